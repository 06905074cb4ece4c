// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A store for credentials: the Secret Service, a vault, or the memory of the process.
///
/// Programs use a ``Keychain``, which has the convenience methods. A store has the primitives, with the same meaning in
/// each:
///
/// - An item is stored under a ``CredentialKey``. Storing an item replaces only the one with the same key: the items
///   `{service}` and `{service, account}` are different.
/// - A query by service and account finds the item that has both; its further attributes do not matter. If several items
///   match, the one with the same key is chosen; if there is none, ``KeychainError/ambiguous`` is thrown.
/// - The attribute `credkit-purpose` is an exception: an item that has one is found only by a query with the same value, so that no
///   other component of CredKit, and no query by service and account, gets a secret that is for one purpose.
/// - An acknowledged change is visible to every later call, in this process and in others.
/// - A store may throw any error. ``Keychain`` passes a ``KeychainError`` on, turns a `CancellationError` into
///   ``KeychainError/cancelled``, and wraps every other error as ``KeychainError/underlying`` of a
///   ``KeychainError/failed``.
public protocol CredentialStore: Sendable {
    /// The name of the store: `secret-service`, `vault`, `memory`.
    var name: String { get }

    /// The optional features of the store.
    var capabilities: StoreCapabilities { get }

    /// Returns the item that matches a key.
    ///
    /// - Parameter key: The service, the account, and any further attributes that make the key unambiguous.
    /// - Returns: The item with its secret, or `nil` if there is none.
    /// - Throws: ``KeychainError``, or an error of the store's own.
    func credential(for key: CredentialKey) async throws -> Credential?

    /// Stores an item, and replaces the one with the same key if there is one.
    ///
    /// - Parameter credential: The item and its secret.
    /// - Throws: ``KeychainError``, or an error of the store's own; the store is then unchanged.
    func set(_ credential: Credential) async throws

    /// Deletes the item that matches a key.
    ///
    /// - Parameter key: The service, the account, and any further attributes that make the key unambiguous.
    /// - Returns: Whether there was such an item.
    /// - Throws: ``KeychainError``, or an error of the store's own; the store is then unchanged.
    @discardableResult
    func delete(_ key: CredentialKey) async throws -> Bool

    /// Returns the items of a service, or all of them, without their secrets, sorted by service and account.
    ///
    /// - Parameter service: The service; `nil` for all items. A Secret Service omits items that other programs stored
    ///   without a service: find them with ``search(_:)``.
    /// - Returns: The items.
    /// - Throws: ``KeychainError``, or an error of the store's own.
    func items(service: String?) async throws -> [CredentialItem]

    /// Returns the items that have all of the attributes, without their secrets.
    ///
    /// - Parameter attributes: Values by name; `service` and `username` refer to service and account.
    /// - Returns: The items, sorted by service and account; all items if there are no attributes.
    /// - Throws: ``KeychainError``, or an error of the store's own.
    func search(_ attributes: [String: String]) async throws -> [CredentialItem]

    /// Makes several changes in order. A store with ``StoreCapabilities/atomicUpdates`` makes all of them or none, and
    /// saves once. Other stores undo as many changes as they can if one fails.
    ///
    /// - Parameter changes: The items to store and delete.
    /// - Throws: ``KeychainError``, or an error of the store's own.
    func update(_ changes: [CredentialChange]) async throws

    /// Locks the store: its memory is wiped, and it must be unlocked before it is used again.
    ///
    /// - Throws: ``KeychainError``, or an error of the store's own.
    func lock() async throws

    /// Unlocks the store, with a prompt if necessary and allowed by the ``PromptPolicy``.
    ///
    /// - Throws: ``KeychainError``, or an error of the store's own.
    func unlock() async throws
}

extension CredentialStore {
    /// Chooses among several items that match a query: the one with the same key, or else the only one.
    package static func choose(
        _ key: CredentialKey,
        among items: [CredentialItem]
    ) throws(KeychainError) -> Int? {
        guard items.count > 1 else { return items.indices.first }
        let same = items.indices.filter { items[$0].key.isSame(as: key) }
        if same.count == 1 { return same[0] }
        throw .several(items, for: key)
    }

    /// Chooses the item that is replaced by a stored one: the item with the same key. All stores decide it by this rule.
    package static func chooseReplaced(
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
            "\(names.count) items match \(key): \(names.joined(separator: "; ")). Add an attribute that only one has, "
                + "or delete the others",
            candidates: names
        )
    }
}

extension [CredentialItem] {
    /// Returns the items in the order used in lists.
    package func sortedForPeople() -> [CredentialItem] {
        sorted {
            ($0.service, $0.account ?? "", $0.account == nil ? 0 : 1, $0.label)
                < ($1.service, $1.account ?? "", $1.account == nil ? 0 : 1, $1.label)
        }
    }
}
