// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain

/// A user's own store that throws one error from every call.
struct BrokenStore: CredentialStore {
    let name = "broken"
    let capabilities: StoreCapabilities = []
    let error: any Error

    func credential(for key: CredentialKey) async throws -> Credential? { throw error }
    func set(_ credential: Credential) async throws { throw error }
    func delete(_ key: CredentialKey) async throws -> Bool { throw error }
    func items(service: String?) async throws -> [CredentialItem] { throw error }
    func search(_ attributes: [String: String]) async throws -> [CredentialItem] { throw error }
    func update(_ changes: [CredentialChange]) async throws { throw error }
    func lock() async throws { throw error }
    func unlock() async throws { throw error }
}
