// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A place that keeps credentials: the Secret Service, a vault, this process's memory.
///
/// Programs use a ``Keychain``, which has the conveniences. A store has the primitives, which mean the same in each:
///
/// - An item is stored under a ``CredentialKey``. Storing one with the same key replaces it, and no other: the item
///   `{service}` and the item `{service, account}` are two.
/// - A question names service and account, and finds the item that has them, whatever further attributes it has. If
///   several do, the one with the same key is meant; if there is none, ``KeychainError/ambiguous`` is thrown.
/// - What a call has acknowledged is there for every call that begins afterwards, in this process and in others.
public protocol CredentialStore: Sendable {
    /// What the store is called: `secret-service`, `vault`, `memory`.
    var name: String { get }

    /// What the store can do beyond storing.
    var capabilities: StoreCapabilities { get }

    /// The item that a key means.
    ///
    /// - Parameter key: Its service and account, and as many further attributes as it takes to tell it from others.
    /// - Returns: The item with its secret, or `nil` if there is none.
    /// - Throws: ``KeychainError``.
    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential?

    /// Stores an item, in place of the one with the same key if there is one.
    ///
    /// - Parameter credential: The item and its secret.
    /// - Throws: ``KeychainError``; then the store is as it was.
    func set(_ credential: Credential) async throws(KeychainError)

    /// Deletes the item that a key means.
    ///
    /// - Parameter key: Its service and account, and as many further attributes as it takes to tell it from others.
    /// - Returns: Whether there was such an item.
    /// - Throws: ``KeychainError``; then the store is as it was.
    @discardableResult
    func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool

    /// The items of a service, or all of them, without their secrets, sorted by service and account.
    ///
    /// - Parameter service: The service; `nil` for all items. A Secret Service leaves out those that other programs keep
    ///   without a service: they are found by searching.
    /// - Returns: The items.
    /// - Throws: ``KeychainError``.
    func items(service: String?) async throws(KeychainError) -> [CredentialItem]

    /// The items that have all of the attributes, without their secrets.
    ///
    /// - Parameter attributes: Values by name; `service` and `username` stand for service and account.
    /// - Returns: The items, sorted by service and account; all of them if no attribute is given.
    /// - Throws: ``KeychainError``.
    func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem]

    /// Makes several changes in their order. A store with ``StoreCapabilities/atomicUpdates`` makes all of them or
    /// none, and saves once; others undo what they can when one fails.
    ///
    /// - Parameter changes: What to store and delete.
    /// - Throws: ``KeychainError``.
    func update(_ changes: [CredentialChange]) async throws(KeychainError)

    /// Locks the store: what it holds in memory is wiped, and it must be unlocked before it is used again.
    ///
    /// - Throws: ``KeychainError``.
    func lock() async throws(KeychainError)

    /// Unlocks the store, asking whoever the ``Interaction`` allows.
    ///
    /// - Throws: ``KeychainError``.
    func unlock() async throws(KeychainError)
}

extension CredentialStore {
    /// Which of several items that answer a question it means: the one with the same key, else the only one.
    static func choose(
        _ key: CredentialKey,
        among items: [CredentialItem]
    ) throws(KeychainError) -> Int? {
        guard items.count > 1 else { return items.indices.first }
        let same = items.indices.filter { items[$0].key.isSame(as: key) }
        if same.count == 1 { return same[0] }
        throw .several(items, for: key)
    }

    /// Which of several items is to be replaced by one that is stored: the one with the same key.
    static func chooseReplaced(
        _ key: CredentialKey,
        among items: [CredentialItem]
    ) throws(KeychainError) -> Int? {
        let same = items.indices.filter { items[$0].key.isSame(as: key) }
        guard same.count > 1 else { return same.first }
        throw .several(same.map { items[$0] }, for: key)
    }
}

extension KeychainError {
    static func several(_ items: [CredentialItem], for key: CredentialKey) -> Self {
        let names = items.map(\.nameForPeople).sorted()
        return .ambiguous(
            "\(names.count) items match \(key): \(names.joined(separator: "; ")). Name an attribute that only one has, "
                + "or delete the others",
            candidates: names
        )
    }
}

extension [CredentialItem] {
    /// In the order that lists have.
    func sortedForPeople() -> [CredentialItem] {
        sorted {
            ($0.service, $0.account ?? "", $0.account == nil ? 0 : 1, $0.label)
                < ($1.service, $1.account ?? "", $1.account == nil ? 0 : 1, $1.label)
        }
    }
}
