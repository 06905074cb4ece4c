// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTerminal

extension CommandFailure {
    /// Creates the failure that reports why a login failed.
    ///
    /// - Parameters:
    ///   - error: The error of the login.
    ///   - account: The user name.
    ///   - secret: What was sent, which no message repeats; `nil` if the user confirmed the login elsewhere.
    init(ofLogin error: ClientError, as account: String, secret: SecretBytes?) {
        let failure = CommandFailure(reporting: error)
        let message = failure.message ?? ""
        switch error.code {
        // Another program renews this login, which was then not sent, or writes to the vault.
        case .keychain where error.keychainError == .busy:
            self.init(failure.status, "the login of \(account) was not completed: \(message)")
        case .keychain, .storage, .insecureFile:
            self.init(
                failure.status,
                "the server accepted \(account), but the session cannot be saved: \(message)"
            )
        case .invalidCredentials:
            // A word that is shown in part is judged as a whole.
            let text = String((error.serverMessage ?? "").unicodeScalars.prefix(1000))
            guard !text.isEmpty, !Self.mayContain(secret, text) else {
                self = failure
                return
            }
            // A character can have any number of scalars.
            let shown = ShellQuoting.escapingUnprintable(String(text.unicodeScalars.prefix(200)))
            self.init(failure.status, "\(message): the server says '\(shown)'")
        case .loginAbandoned:
            self.init(
                failure.status,
                "\(message) (a server's page that stays open may forbid the way back by form-action; --use-device-code logs "
                    + "in without a way back, if the server has it)"
            )
        case .malformedResponse, .malformedChallenge, .redirectRefused, .unexpectedStatus:
            guard error.statusCode ?? 0 < 500 else {
                self = failure
                return
            }
            self.init(failure.status, "\(message) ('credkit help login' has examples of a --profile)")
        default: self = failure
        }
    }

    /// Whether a server's text may repeat the secret, or a proof or token made of it.
    private static func mayContain(_ secret: SecretBytes?, _ text: String) -> Bool {
        let words = text.utf8.split { byte in
            switch byte {
            case 48...57, 65...90, 97...122: false
            default: !"+/=-_".utf8.contains(byte)
            }
        }
        if words.contains(where: { $0.count >= 24 }) { return true }
        return secret.map { ServerMessage.repeats($0, in: text) } ?? false
    }
}
