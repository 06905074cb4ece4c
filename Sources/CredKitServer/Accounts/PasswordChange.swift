// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The decision of a ``LoginService`` about a new password. Every time to wait is a number of whole seconds.
public enum PasswordChange: Sendable, Hashable {
    /// The new password is stored, and all sessions of the user have ended. Tell the user in another way as well, such as by mail.
    /// The session is a new one in place of that of the request; `nil` after a link, if the store of sessions is full, or if the
    /// account has changed again: the user logs in then.
    case changed(SessionToken?)
    /// The old password or the code is wrong; which one is not stated. Over HTTP: 403.
    case wrongPassword
    /// The old password is right, and the user must send a code as well. Nothing has been used up.
    case codeRequired
    /// The session is not one of the account, or a second step is needed that no code can be: the user must log in again. Of a link:
    /// it is malformed, expired or used, or the account has another password since it was made, or is gone. Over HTTP: 403.
    case notPermitted
    /// The new password is not acceptable. The old one was not looked at, and nothing was used up or counted. Over HTTP: 422.
    ///
    /// The texts are sentences for the user.
    case refused([String])
    /// Too many attempts to log in or to change the password: answer 429. The time to wait.
    case limited(Duration)
    /// The account changed at the same time, for example by another change of the password: the user may try again. Over HTTP: 409.
    case conflict
    /// The server is too busy to compute a hash: answer 503. The time to wait. A link is not used up.
    case unavailable(Duration)
}
