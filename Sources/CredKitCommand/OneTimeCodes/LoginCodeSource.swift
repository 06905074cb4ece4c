// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitSystem
import CredKitTerminal
import Glibc

/// Where `credkit login` takes a one-time code from: a key in the keychain, or else the terminal.
final class LoginCodeSource: Sendable {
    private let service: String?
    private let keychain: Keychain
    private let failed = Lock<CommandFailure?>(nil)

    init(service: String?, keychain: Keychain) {
        self.service = service
        self.keychain = keychain
    }

    /// Why there was no code, if that is more than the login can say.
    var failure: CommandFailure? { failed.withLock { $0 } }

    /// Returns a code of a user; `nil` if there is none.
    @Sendable
    func code(of account: String) async throws(ClientError) -> SecretBytes? {
        do {
            if let service {
                let item = OneTimeCodeItem.credentialKey(CredentialKey(service: service, account: account))
                return try SecretBytes(try await OneTimeCodeListing(takenFrom: item, in: keychain).code)
            }
            guard isatty(STDIN_FILENO) == 1 else { return nil }
            let reader = try SecretReader(
                file: nil,
                descriptor: nil,
                option: "",
                prompt: "One-time code: "
            )
            return try reader.readAll(keepsLineFeed: false)
        } catch {
            failed.withLock { $0 = CommandFailure(reporting: error) }
            return nil
        }
    }
}
