// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Foundation

/// A vault with many items.
struct SampleVault {
    let path: String
    let isByPassphrase: Bool
    private let rawKey: SecretBytes

    /// Creates the vault.
    init(path: String, count: Int, isByPassphrase: Bool) throws {
        self.path = path
        self.isByPassphrase = isByPassphrase
        rawKey = try SecretBytes(randomByteCount: 32)
        let vault = try open()
        let changes = try (0..<count).map { CredentialChange.set(try Self.credential($0)) }
        try Blocking.run { try await vault.update(changes) }
    }

    func open() throws -> VaultStore {
        var configuration = VaultConfiguration()
        configuration.path = path
        configuration.stateDirectory = path + ".state"
        configuration.keySources = [
            isByPassphrase ? .passphrase(try SecretBytes("correct horse")) : .key(rawKey)
        ]
        configuration.promptPolicy.timeout = .seconds(60)
        return try VaultStore(configuration)
    }

    /// The size of the file.
    var byteCount: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int ?? 0
    }

    static func key(_ number: Int) -> CredentialKey {
        CredentialKey(service: "com.example.service-\(number % 100)", account: "user-\(number)@example.com")
    }

    static func credential(_ number: Int) throws -> Credential {
        Credential(item: CredentialItem(key: key(number)), secret: try SecretBytes(randomByteCount: 24))
    }
}
