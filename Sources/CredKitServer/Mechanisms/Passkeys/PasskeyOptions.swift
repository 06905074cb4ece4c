// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a page needs to ask for a passkey, or for a new one.
public struct PasskeyOptions: Sendable, Hashable {
    /// The options as JSON, for `parseRequestOptionsFromJSON` or `parseCreationOptionsFromJSON` of the browser. It may stand in a
    /// script element of HTML.
    public let json: String

    /// What the page must send back together with the response: base64url. It says what the browser was asked for, encrypted.
    public let ceremony: String
}
