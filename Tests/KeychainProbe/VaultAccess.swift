// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Foundation

/// Opens vaults with a key file, and makes their items.
struct VaultAccess {
    let keyFile: String

    /// Returns a store for a vault, with a passphrase that is tried before the key, if any. The key derivation is as
    /// cheap as possible, so that a kill rarely hits it.
    func vault(_ path: String, passphrase: String? = nil, usesKey: Bool = true) throws -> VaultStore {
        var configuration = VaultConfiguration()
        configuration.path = path
        configuration.stateDirectory = path + ".state"
        configuration.keySources = usesKey ? [.keyFile(keyFile)] : []
        if let passphrase {
            configuration.keySources.insert(.passphrase(try SecretBytes(passphrase)), at: 0)
        }
        configuration.argon2idCost = try Argon2idCost(memory: .kibibytes(8), passes: 1)
        configuration.promptPolicy.timeout = .seconds(60)
        return try VaultStore(configuration)
    }

    func credential(_ service: String, _ account: String, _ secret: String) throws -> Credential {
        let key = CredentialKey(service: service, account: account)
        return Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    /// Stores the items that no test changes.
    func storeBase(in vault: VaultStore) async throws {
        try await vault.update((0..<5).map { .set(try credential("base", "\($0)", "base")) })
    }
}

/// What the probe itself reports, for people.
struct ProbeError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Prints a line immediately: a killed process loses buffered output.
func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    guard write(STDOUT_FILENO, line, line.count) == line.count else { exit(74) }
}
