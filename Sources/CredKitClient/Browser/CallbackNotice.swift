// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a login should tell its user while it waits for the browser.
enum CallbackNotice: Sendable, Hashable {
    /// An answer came that is not one of this login.
    case wrongAnswer
    /// The right answer came to another URL of this computer: the authorization server has changed `127.0.0.1` to `localhost`,
    /// say.
    case otherHost(String)
}
