// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Keeps passwords and other secrets of this user.
///
/// ```swift
/// let keychain = try await Keychain.open()
/// try await keychain.setPassword("s3cret", service: "com.example.app", account: "alice")
/// let password = try await keychain.password(service: "com.example.app", account: "alice")
/// ```
///
/// It stands on a ``CredentialStore``: the desktop's Secret Service, or an encrypted file where there is none. Nobody is
/// asked and nothing waits for long unless the ``Interaction`` allows it.
public struct Keychain: Sendable {
    /// The store that everything is stored in.
    public let store: any CredentialStore

    /// Stores that are asked when ``store`` has no such item, in their order; items are deleted from them as well. A Secret
    /// Service that is not there on this machine has nothing.
    public let fallbacks: [any CredentialStore]

    /// Why this store was chosen, for people.
    public let reason: String

    private let choice: KeychainBackend?

    /// A keychain on a store of the caller's choice.
    ///
    /// - Parameters:
    ///   - store: The store that everything is stored in.
    ///   - fallbacks: Stores that are asked when it has no such item.
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
        self.reason = reason
        self.choice = choice
    }

    // MARK: Items

    /// The item that a key means.
    ///
    /// - Parameter key: Service, account and, where several items have both, further attributes.
    /// - Returns: The item with its secret, or `nil` if there is none.
    /// - Throws: ``KeychainError``.
    public func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        if let credential = try await store.credential(for: key) { return credential }
        for store in fallbacks {
            let found = try await Self.unlessMissing(nil) { () throws(KeychainError) in
                try await store.credential(for: key)
            }
            if let found { return found }
        }
        return nil
    }

    /// Stores an item, in place of the one with the same key if there is one.
    ///
    /// - Parameter credential: The item and its secret.
    /// - Throws: ``KeychainError``; then nothing was stored.
    public func set(_ credential: Credential) async throws(KeychainError) {
        try await update([.set(credential)])
    }

    /// Deletes the item that a key means, from ``store`` and all ``fallbacks``: otherwise it would be found there.
    ///
    /// - Parameter key: Service, account and, where several items have both, further attributes.
    /// - Returns: Whether there was such an item.
    /// - Throws: ``KeychainError``.
    @discardableResult
    public func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        var wasThere = false
        for store in fallbacks {
            let isDeleted = try await Self.unlessMissing(false) { () throws(KeychainError) in
                try await store.delete(key)
            }
            wasThere = wasThere || isDeleted
        }
        return try await store.delete(key) || wasThere
    }

    /// The items of a service, or all of them, without their secrets.
    ///
    /// - Parameter service: The service; `nil` for all.
    /// - Returns: The items, sorted by service and account, each key once.
    /// - Throws: ``KeychainError``.
    public func items(service: String? = nil) async throws(KeychainError) -> [CredentialItem] {
        var all = try await store.items(service: service)
        for store in fallbacks {
            all += try await Self.unlessMissing([]) { () throws(KeychainError) in
                try await store.items(service: service)
            }
        }
        return Self.unique(all)
    }

    /// The items that have all of the attributes, without their secrets.
    ///
    /// - Parameter attributes: Values by name; `service` and `username` stand for service and account.
    /// - Returns: The items, sorted by service and account, each key once.
    /// - Throws: ``KeychainError``.
    public func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        var all = try await store.search(attributes)
        for store in fallbacks {
            all += try await Self.unlessMissing([]) { () throws(KeychainError) in
                try await store.search(attributes)
            }
        }
        return Self.unique(all)
    }

    /// Makes several changes in their order: all or none where the store has
    /// ``StoreCapabilities/atomicUpdates``. Fallbacks stay as they are.
    ///
    /// - Parameter changes: What to store and delete.
    /// - Throws: ``KeychainError``.
    public func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        // Before anything is stored: what cannot be remembered would leave its item where no later program looks.
        let isRemembered = if let choice { try BackendChoice.write(choice) } else { false }
        do throws(KeychainError) {
            try await store.update(changes)
        } catch {
            if isRemembered { try? BackendChoice.remove() }
            throw error
        }
    }

    /// What a fallback answers; where there is none on this machine, nothing is in it.
    private static func unlessMissing<Value>(
        _ nothing: Value,
        _ question: () async throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        do throws(KeychainError) {
            return try await question()
        } catch {
            guard [.noBus, .noService, .noDefaultCollection].contains(error) else { throw error }
            return nothing
        }
    }

    /// The first of those with the same key: from the store that would answer.
    private static func unique(_ items: [CredentialItem]) -> [CredentialItem] {
        var places: [CredentialKey: String?] = [:]
        var all: [CredentialItem] = []
        for item in items {
            // One store may have two with the same key, and then both are shown.
            if let known = places[item.key], known == nil || item.place == nil { continue }
            places[item.key] = item.place
            all.append(item)
        }
        return all.sortedForPeople()
    }
}
