// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An event of a ``LoginSession``.
public enum LoginEvent: Sendable, Equatable {
    /// A user has logged in.
    case loggedIn(account: String)
    /// An expired login was renewed.
    case renewed(account: String)
    /// The user has logged out.
    case loggedOut(account: String)
    /// A login or a renewal failed.
    case loginFailed(ClientError)
}
