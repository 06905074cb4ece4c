// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// The texts of the pages of a user's account.
extension PageText {
    static let account = "Your account"
    static let tooLate = "Log in again, and repeat the change in the first five minutes."
    static let conflict = "The account was changed at the same time. Look at it, and try again."

    /// The form is from a page of another account.
    static func otherAccount(_ user: String) -> String {
        "Nothing was changed: the form was for another account. This page is for \(user)."
    }

    // MARK: Passwords

    static let changePassword = "Change the password"
    static let passwordPurpose = "A new password ends all other sessions."
    static let oldPassword = "Old password"
    static let newPassword = "New password"
    static let newPasswordAgain = "New password again"
    static let savePassword = "Save the password"
    static let passwordFor = "The password is for"
    static let firstPassword = "Choose a password"
    static let newPasswordByLink = "Choose a new password"
    static let incompletePassword = "Fill in all fields."
    static let differentPasswords = "The new passwords differ."
    static let wrongOldPassword = "The old password or the code is wrong."
    static let usedLinkTitle = "This link is not valid"
    static let usedLink = "It was used, or it has expired. Ask for a new one."

    /// Why a new password is not accepted.
    static func refused(_ reasons: [String]) -> String {
        "The new password is not accepted: \(reasons.joined(separator: "; "))."
    }

    /// The server cannot make a change now.
    static func changesUnavailable(_ wait: Duration) -> String {
        "Changes are not possible at the moment. Try again in \(words(wait))."
    }

    // MARK: Sessions

    static let sessions = "Sessions"
    static let thisSession = "this browser"
    static let end = "End"
    static let endOthers = "End all others"

    /// A session in the list.
    static func session(_ age: Duration, _ idle: Duration) -> String {
        "Logged in \(words(age)) ago, used \(words(idle)) ago"
    }

    /// What the button of a session does.
    static func endSession(_ age: Duration) -> String { "End the session of \(words(age)) ago" }

    // MARK: Codes

    static let codes = "One-time codes"
    static let codesOff = "You log in without a one-time code."
    static let codesOn = "You need a one-time code to log in with your password."
    static let recentLoginForCodes = "Codes can be changed in the first five minutes after a login."
    static let codePurpose =
        "To add codes, scan the image with an authenticator app, or type the key, and then enter the code that it shows."
    static let codeImage = "QR code of the key"
    static let codeKey = "Key:"
    static let openInApp = "Open the key in an app of this device"
    static let codeOfKey = "Code that the app shows"
    static let usedCode = "A code of this time was already used. Wait until the app shows the next one."
    static let addCodes = "Add the codes"
    static let codeOrRecoveryCode = "One-time code or recovery code"
    static let removeCodes = "Remove the codes"
    static let recoveryCodes = "Recovery codes"
    static let makeRecoveryCodes = "Make new recovery codes"
    static let recoveryCodesPurpose =
        "Each of these takes the place of a one-time code, once. Keep them where only you find them: they are not shown again, "
        + "and those from before are not valid any more."

    /// How many recovery codes are left.
    static func recoveryCodesLeft(_ count: Int) -> String {
        count == 1 ? "1 recovery code is left." : "\(count) recovery codes are left."
    }

    /// What was done before the browser was sent to a page. The address names it, so that it is one of these texts.
    static func done(_ name: String?) -> String? {
        switch name {
        case "password": "The password was changed."
        case "session": "The session has ended."
        case "sessions": "All other sessions have ended."
        case "code": "One-time codes were added."
        case "nocode": "One-time codes were removed."
        default: nil
        }
    }
}
