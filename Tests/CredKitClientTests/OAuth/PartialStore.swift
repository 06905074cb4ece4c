// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTesting

/// A store that can refuse to store keys of session files, and to delete anything.
actor PartialStore: CredentialStore {
    nonisolated let name = "partial"
    nonisolated let capabilities: StoreCapabilities = []

    private let inner = InMemoryStore()
    private var refusesSessionKeys = false
    private var refusesDeletions = false

    func refuse(sessionKeys: Bool, deletions: Bool) {
        (refusesSessionKeys, refusesDeletions) = (sessionKeys, deletions)
    }

    func set(_ credential: Credential) async throws { try await update([.set(credential)]) }

    func delete(_ key: CredentialKey) async throws -> Bool {
        guard !refusesDeletions else { throw KeychainError.locked }
        return try await inner.delete(key)
    }

    func credential(for key: CredentialKey) async throws -> Credential? {
        try await inner.credential(for: key)
    }
    func items(service: String?) async throws -> [CredentialItem] { await inner.items(service: service) }
    func search(_ attributes: [String: String]) async throws -> [CredentialItem] {
        await inner.search(attributes)
    }
    func update(_ changes: [CredentialChange]) async throws {
        for case .set(let credential) in changes {
            guard !refusesSessionKeys || !credential.item.key.isFor(.sessionKey) else {
                throw KeychainError.locked
            }
        }
        try await inner.update(changes)
    }
    func lock() {}
    func unlock() {}
}
