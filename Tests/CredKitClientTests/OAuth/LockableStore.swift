// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTesting

/// A store that can refuse to store anything, and to return anything before a function has returned.
actor LockableStore: CredentialStore {
    nonisolated let name = "test"
    nonisolated let capabilities: StoreCapabilities = []

    private let inner = InMemoryStore()
    private var isRefusing = false
    private var onRead: (@Sendable () async -> Void)?

    func onRead(_ body: (@Sendable () async -> Void)?) { onRead = body }

    func refuse(_ isRefusing: Bool) { self.isRefusing = isRefusing }

    func set(_ credential: Credential) async throws {
        guard !isRefusing else { throw KeychainError.locked }
        try await inner.set(credential)
    }

    func credential(for key: CredentialKey) async throws -> Credential? {
        await onRead?()
        return try await inner.credential(for: key)
    }
    func delete(_ key: CredentialKey) async throws -> Bool { try await inner.delete(key) }
    func items(service: String?) async throws -> [CredentialItem] { await inner.items(service: service) }
    func search(_ attributes: [String: String]) async throws -> [CredentialItem] {
        await inner.search(attributes)
    }
    func lock() {}
    func unlock() {}

    func update(_ changes: [CredentialChange]) async throws {
        guard !isRefusing else { throw KeychainError.locked }
        try await inner.update(changes)
    }
}
