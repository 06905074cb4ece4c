// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
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
        case .keychain, .storage, .insecureFile:
            self.init(
                failure.status,
                "the server accepted \(account), but the session cannot be saved: \(message)"
            )
        case .invalidCredentials:
            guard let text = error.serverMessage, !text.isEmpty, !Self.mayContain(secret, text) else {
                self = failure
                return
            }
            let shown = ShellQuoting.escapingUnprintable(String(text.prefix(200)))
            self.init(failure.status, "\(message): the server says '\(shown)'")
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
        guard let secret, !secret.isEmpty else { return false }
        let bytes = secret.withSecretBytes { secret in secret.indices.map { secret[$0] } }
        return Array(text.utf8).contains(bytes)
    }
}
