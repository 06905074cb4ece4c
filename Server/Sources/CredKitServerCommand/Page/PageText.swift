// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The texts of the login page, in one place for a translation.
enum PageText {
    static let language = "en"
    static let userName = "User name"
    static let password = "Password"
    static let code = "One-time code"
    static let logIn = "Log in"
    static let otherUser = "Log in as another user"
    static let loggedInAs = "You are logged in as"
    static let loggingInAs = "Logging in as"
    static let proceed = "Continue"
    static let logOut = "Log out"
    static let logOutEverywhere = "Log out everywhere"

    static let incomplete = "Enter your user name and your password."
    static let wrong = "The user name or the password is wrong."
    static let missingCode = "Enter the one-time code."
    static let wrongCode = "The one-time code is wrong, or was already used."
    static let expired = "The login took too long. Enter your password again."
    static let foreignForm = "The page was outdated, or cookies are blocked. Try again."

    static let passkeys = "Passkeys"
    static let passkeyLogin = "Log in with a passkey"
    static let passkeyStep = "Continue with a passkey"
    static let addPasskey = "Add a passkey"
    static let passkeyName = "Name of the new passkey"
    static let newName = "New name of the chosen passkey"
    static let rename = "Rename"
    static let remove = "Remove"
    static let removal = "Removing a passkey logs you out everywhere."
    static let logInAgain = "Log in again"
    static let recentLogin = "Passkeys can be added and removed in the first five minutes after a login."
    static let linkPurpose = "With this link you can add one passkey to your account."
    static let requirePasskey = "Require a passkey at each login"
    static let requireNoPasskey = "Accept logins without a passkey"
    static let scriptsNeeded = "Passkeys require JavaScript."
    static let neverUsed = "not used yet"

    static let passkeyFailed = "The passkey was not used. Try again, or choose another way."
    static let wrongPasskey = "The passkey was not accepted. Try again, or choose another way."
    static let passkeyExists = "This passkey is in use already."
    static let invalidPasskey = "The new passkey was not accepted. Try again."
    static let tooManyPasskeys = "There is no room for another passkey. Remove one first."
    static let notPermitted = "Log in again to change passkeys. A link can be used once, for an hour."
    static let unknownPasskey = "There is no such passkey any more."
    static let lastWayIn = "This passkey is the last way to log in. Add another one first."

    /// When a passkey was last used.
    static func lastUse(_ time: String?) -> String { time.map { "last used at \($0)" } ?? neverUsed }

    /// Too many attempts.
    static func limited(_ wait: Duration) -> String { "Too many attempts. Try again in \(words(wait))." }

    /// The server cannot decide now.
    static func unavailable(_ wait: Duration) -> String {
        "Logins are not possible at the moment. Try again in \(words(wait))."
    }

    /// A time in the largest unit that fits, rounded up.
    static func words(_ time: Duration) -> String {
        let seconds = ServerAnswer.seconds(of: time)
        func count(_ number: Int64, _ unit: String) -> String { "\(number) \(unit)\(number == 1 ? "" : "s")" }
        if seconds < 60 { return count(seconds, "second") }
        if seconds < 3600 { return count((seconds + 59) / 60, "minute") }
        return count((seconds + 3599) / 3600, "hour")
    }
}
