// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The answer of a ``LoginService`` to a user who wants to add a passkey.
public enum PasskeyEnrolmentStart: Sendable, Hashable {
    /// The page can ask the browser for a new passkey.
    case options(PasskeyOptions)
    /// The permission is not valid: the user must log in again, or needs a new link. Over HTTP: 403.
    case notPermitted
    /// The account has the maximum number of passkeys: see ``PasskeyConfiguration/perAccountLimit``. Over HTTP: 409.
    case tooManyPasskeys
    /// The service has no ``PasskeyMechanism``.
    case unknownMechanism
}

/// The decision of a ``LoginService`` about a new passkey.
public enum PasskeyEnrolment: Sendable, Hashable {
    /// The passkey is stored. Tell the user in another way as well, such as by mail. Over HTTP: 201.
    case enrolled(PasskeyCredential)
    /// The permission is not valid: the user must log in again, or needs a new link. Over HTTP: 403.
    case notPermitted
    /// The enrolment was not begun here or in this browser, has expired, or was finished before: begin anew. Over HTTP: 400.
    case invalidCeremony
    /// The response is refused. Over HTTP: 400, or 409 for the code `credentialExists`.
    ///
    /// - Parameter code: Why.
    case refused(WebAuthn.Error.Code)
    /// The account has the maximum number of passkeys. Over HTTP: 409.
    case tooManyPasskeys
    /// The service cannot determine whether the enrolment was finished before. Over HTTP: 503.
    ///
    /// - Parameter retryAfter: The time to wait.
    case unavailable(retryAfter: Duration)
    /// The service has no ``PasskeyMechanism``.
    case unknownMechanism
}

/// The decision of a ``LoginService`` about a change of passkeys.
public enum PasskeyChange: Sendable, Hashable {
    /// It is done. Over HTTP: 204.
    case done
    /// The permission is not valid: the user must log in again. Over HTTP: 403.
    case notPermitted
    /// The account has no such passkey. Over HTTP: 404.
    case unknownPasskey
    /// Without this passkey the user could not log in any more: it is the last one, and there is no password, or the account
    /// requires a passkey. Over HTTP: 409.
    case lastWayIn
    /// The service has no ``PasskeyMechanism``.
    case unknownMechanism
}
