// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How a login in the browser ended, which its last page says.
enum CallbackEnding: Sendable, CaseIterable {
    /// The user is logged in, and the login is saved.
    case succeeded
    /// The user or the authorization server refused.
    case refused
    /// The login failed after the browser's answer.
    case failed
}
