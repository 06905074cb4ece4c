// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitKeychain
internal import FoundationEssentials

/// Credentials in the memory of this process, for tests and for programs that must not store anything permanently.
///
/// The secrets are in guarded memory; services, accounts and attributes are on the heap. The store cannot be locked.
public actor InMemoryStore: CredentialStore {
    /// `memory`.
    public nonisolated let name = "memory"

    /// A batch is stored completely or not at all.
    public nonisolated let capabilities: StoreCapabilities = [.atomicUpdates]

    private var credentials: [Credential] = []

    /// Creates an empty store.
    public init() {}

    /// Returns the item that matches a key, or `nil`.
    public func credential(for key: CredentialKey) throws(KeychainError) -> Credential? {
        try Self.index(of: key, in: credentials).map { credentials[$0] }
    }

    /// Stores an item, and replaces the one with the same key if there is one.
    public func set(_ credential: Credential) throws(KeychainError) {
        try Self.set(credential, in: &credentials)
    }

    /// Deletes the item that matches a key, and returns whether there was one.
    @discardableResult
    public func delete(_ key: CredentialKey) throws(KeychainError) -> Bool {
        guard let index = try Self.index(of: key, in: credentials) else { return false }
        credentials.remove(at: index)
        return true
    }

    /// Returns the items of a service, or all items.
    public func items(service: String?) -> [CredentialItem] {
        credentials.map(\.item)
            .filter { item in service.map { item.service.utf8.elementsEqual($0.utf8) } ?? true }
            .sortedForPeople()
    }

    /// Returns the items that have all of the attributes.
    public func search(_ attributes: [String: String]) -> [CredentialItem] {
        credentials.map(\.item).filter { $0.key.matches(attributes) }.sortedForPeople()
    }

    /// Makes all changes, or none.
    public func update(_ changes: [CredentialChange]) throws(KeychainError) {
        var changed = credentials
        for change in changes {
            switch change {
            case .set(let credential): try Self.set(credential, in: &changed)
            case .delete(let key):
                if let index = try Self.index(of: key, in: changed) { changed.remove(at: index) }
            }
        }
        credentials = changed
    }

    /// Does nothing: the store cannot be locked.
    public func lock() {}

    /// Does nothing: the store cannot be locked.
    public func unlock() {}

    private static func index(of key: CredentialKey, in all: [Credential]) throws(KeychainError) -> Int? {
        let candidates = all.indices.filter { all[$0].item.key.answers(key) }
        return try choose(key, among: candidates.map { all[$0].item }).map { candidates[$0] }
    }

    private static func set(_ credential: Credential, in all: inout [Credential]) throws(KeychainError) {
        try credential.check()
        var stored = credential
        stored.item.modified = Date()
        if let index = try chooseReplaced(credential.item.key, among: all.map(\.item)) {
            stored.item.created = all[index].item.created
            all[index] = stored
        } else {
            stored.item.created = stored.item.modified
            all.append(stored)
        }
    }
}
