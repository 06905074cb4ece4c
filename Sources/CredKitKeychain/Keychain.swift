// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Stores and retrieves passwords and other secrets of this user.
///
/// ```swift
/// let keychain = try await Keychain.open()
/// try await keychain.setPassword("s3cret", service: "com.example.app", account: "alice")
/// let password = try await keychain.password(service: "com.example.app", account: "alice")
/// ```
///
/// It uses a ``CredentialStore``: the desktop's Secret Service, or an encrypted file if there is none. The user is not
/// prompted, and no call waits for long, unless the ``PromptPolicy`` allows it.
public struct Keychain: Sendable {
    /// The store in which all items are stored.
    public let store: any CredentialStore

    /// Stores that are searched in order if ``store`` has no such item. Items are deleted from them as well. A Secret
    /// Service that does not exist on this machine counts as empty.
    public let fallbacks: [any CredentialStore]

    /// The reason why this store was chosen, as text for people.
    public let selectionReason: String

    private let choice: KeychainBackend?

    /// Creates a keychain with a given store.
    ///
    /// - Parameters:
    ///   - store: The store in which all items are stored.
    ///   - fallbacks: Stores that are searched if it has no such item.
    public init(store: any CredentialStore, fallbacks: [any CredentialStore] = []) {
        self.init(store: store, fallbacks: fallbacks, reason: "the program has chosen it", choice: nil)
    }

    init(
        store: any CredentialStore,
        fallbacks: [any CredentialStore],
        reason: String,
        choice: KeychainBackend?
    ) {
        self.store = store
        self.fallbacks = fallbacks
        selectionReason = reason
        self.choice = choice
    }

    // MARK: Items

    /// Returns the item that matches a key.
    ///
    /// - Parameter key: The service, the account and, if several items have both, further attributes.
    /// - Returns: The item with its secret, or `nil` if there is none.
    /// - Throws: ``KeychainError``.
    public func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        if let credential = try await KeychainError.wrapping(store, { try await $0.credential(for: key) }) {
            return credential
        }
        for store in fallbacks {
            let found = try await Self.unlessMissing(store, nil) { try await $0.credential(for: key) }
            if let found { return found }
        }
        return nil
    }

    /// Stores an item, and replaces the one with the same key if there is one.
    ///
    /// - Parameter credential: The item and its secret.
    /// - Throws: ``KeychainError``; nothing was stored then.
    public func set(_ credential: Credential) async throws(KeychainError) {
        let isRemembered = try rememberChoice()
        do {
            try await store.update([.set(credential)])
        } catch {
            throw failure(error, isRemembered: isRemembered)
        }
    }

    /// Deletes the item that matches a key from ``store`` and all ``fallbacks``: otherwise a later call would find it
    /// there.
    ///
    /// - Parameter key: The service, the account and, if several items have both, further attributes.
    /// - Returns: Whether there was such an item.
    /// - Throws: ``KeychainError``.
    @discardableResult
    public func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        var wasThere = false
        for store in fallbacks {
            let isDeleted = try await Self.unlessMissing(store, false) { try await $0.delete(key) }
            wasThere = wasThere || isDeleted
        }
        let isDeleted = try await KeychainError.wrapping(store) { try await $0.delete(key) }
        return isDeleted || wasThere
    }

    /// Returns the items of a service, or all items, without their secrets.
    ///
    /// - Parameter service: The service; `nil` for all.
    /// - Returns: The items, sorted by service and account, without duplicate keys.
    /// - Throws: ``KeychainError``.
    public func items(service: String? = nil) async throws(KeychainError) -> [CredentialItem] {
        var all = try await KeychainError.wrapping(store) { try await $0.items(service: service) }
        for store in fallbacks {
            all += try await Self.unlessMissing(store, []) { try await $0.items(service: service) }
        }
        return Self.unique(all)
    }

    /// Returns the items that have all of the attributes, without their secrets.
    ///
    /// - Parameter attributes: Values by name; `service` and `username` refer to service and account.
    /// - Returns: The items, sorted by service and account, without duplicate keys.
    /// - Throws: ``KeychainError``.
    public func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        var all = try await KeychainError.wrapping(store) { try await $0.search(attributes) }
        for store in fallbacks {
            all += try await Self.unlessMissing(store, []) { try await $0.search(attributes) }
        }
        return Self.unique(all)
    }

    /// Makes several changes in order: all or none, if the store has ``StoreCapabilities/atomicUpdates``. Fallbacks are
    /// not changed.
    ///
    /// - Parameter changes: The items to store and delete.
    /// - Throws: ``KeychainError``.
    public func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        let isRemembered = try rememberChoice()
        do {
            try await store.update(changes)
        } catch {
            throw failure(error, isRemembered: isRemembered)
        }
    }

    /// Remembers a new choice of the backend before any item is stored: if it could not be remembered, later programs
    /// would not find the item.
    ///
    /// - Returns: Whether it was written now.
    func rememberChoice() throws(KeychainError) -> Bool {
        guard let choice else { return false }
        return try BackendChoice.write(choice)
    }

    /// Returns the keychain's error for a change that the store has not made, and forgets the choice that was remembered
    /// for it.
    func failure(_ error: any Error, isRemembered: Bool) -> KeychainError {
        if isRemembered { try? BackendChoice.remove() }
        return KeychainError(error, of: store)
    }

    /// Returns the answer of a fallback, or `nothing` if the fallback does not exist on this machine.
    private static func unlessMissing<Value>(
        _ store: any CredentialStore,
        _ nothing: Value,
        _ question: (any CredentialStore) async throws -> Value
    ) async throws(KeychainError) -> Value {
        do throws(KeychainError) {
            return try await KeychainError.wrapping(store, question)
        } catch {
            guard [.noBus, .noService, .noDefaultCollection].contains(error) else { throw error }
            return nothing
        }
    }

    /// Removes duplicate keys, and keeps the item of the store that answers queries.
    private static func unique(_ items: [CredentialItem]) -> [CredentialItem] {
        var places: [CredentialKey: String?] = [:]
        var all: [CredentialItem] = []
        for item in items {
            // One store may contain two items with the same key; both are listed then.
            if let known = places[item.key], known == nil || item.location == nil { continue }
            places[item.key] = item.location
            all.append(item)
        }
        return all.sortedForPeople()
    }
}

extension Keychain {
    /// Returns the properties of items that a store would not keep.
    ///
    /// - Parameters:
    ///   - credentials: The items, as their current store returns them.
    ///   - target: The store that would receive them.
    /// - Returns: The losses, in the order of the items.
    /// - Throws: ``KeychainError`` if the target is a Secret Service that does not answer.
    public static func losses(
        moving credentials: [Credential],
        to target: any CredentialStore
    ) async throws(KeychainError) -> [FieldLoss] {
        guard target.capabilities.contains(.persistent) else { return [] }
        var daemon: SecretServiceDaemon?
        if let service = target as? SecretServiceStore { daemon = try await service.status().daemon }
        var losses: [FieldLoss] = []
        for credential in credentials {
            let item = credential.item
            var limitations = StoreLimitation.times.filter { limitation in
                (limitation.field == .created ? item.created : item.modified) != nil
            }
            if let daemon, let type = daemon.contentTypeLimitation(of: credential) {
                limitations.append(type)
            }
            if daemon != nil, item.key.isFor(.git) || item.key.isFor(.docker) { limitations.append(.helper) }
            losses += limitations.map { FieldLoss(item: item, limitation: $0) }
        }
        return losses
    }
}
