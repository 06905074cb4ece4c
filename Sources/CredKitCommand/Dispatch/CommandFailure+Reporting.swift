// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTerminal

extension CommandFailure {
    /// Creates the failure that reports any error of the libraries; `nil` for errors of the argument parser.
    init?(reporting error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as PasswordError: self.init(reporting: error)
        case let error as KeychainError:
            let failure = CommandFailure(reporting: error)
            self.init(failure.status, failure.message.map { $0 + Self.advice(on: error) })
        case let error as ClientError: self.init(reporting: error)
        case let error as OneTimeCodeError:
            self.init(error == .outOfMemory ? .tryAgain : .malformed, "\(error)")
        case let error as SecretMemoryError: self.init(.tryAgain, "\(error)")
        default: return nil
        }
    }

    /// Returns advice on what to do at the shell.
    private static func advice(on error: KeychainError) -> String {
        switch error {
        // A source that was given and has failed says so itself.
        case .noPassphrase where error.detail == .noSource:
            """
            . Give one with --passphrase-file, --passphrase-fd or --passphrase-command, in CREDKIT_PASSPHRASE, or at a terminal
            """
        case .locked: " (credkit keychain unlock)"
        default: ""
        }
    }
}
