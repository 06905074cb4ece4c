// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension Keychain {
    /// Moves items from one store to another: all of them, or none.
    ///
    /// All items are stored in the target and read back before any is deleted from the source. If that fails, the
    /// stored items are deleted again. If the process is killed, no item is lost, and moving again resumes: an item that
    /// is in both stores with the same secret is deleted from the source. If deleting from the source fails, the items are in both stores, and the error
    /// says so. An item that another program changes in the source meanwhile stays there. Only one program of this
    /// account moves items at a time.
    ///
    /// The keys of vaults stay where they are: in a vault, one would be locked up behind itself.
    ///
    /// - Parameters:
    ///   - service: The service whose items are moved; `nil` for all items that have one.
    ///   - source: The store that contains the items.
    ///   - target: The store that receives the items. An existing item with the same key is an error, unless it has the
    ///     same secret.
    ///   - keepsSource: Whether to copy the items instead of moving them.
    ///   - timeout: How long to wait for another program that moves items.
    ///   - announce: Receives the properties that the target will not keep, before anything is stored.
    /// - Returns: The moved items.
    /// - Throws: ``KeychainError``; ``KeychainError/alreadyExists``; ``KeychainError/invalid`` if both stores are the same
    ///   vault, or copies of one; ``KeychainError/busy`` if another program moves items
    ///   for longer than that, or has changed an item.
    @discardableResult
    public static func move(
        service: String? = nil,
        from source: any CredentialStore,
        to target: any CredentialStore,
        keepsSource: Bool = false,
        timeout: Duration = .seconds(30),
        announcing announce: @Sendable ([FieldLoss]) async -> Void = { _ in }
    ) async throws(KeychainError) -> [CredentialItem] {
        let lock = try await ActivityLock.acquire(.move, timeout: timeout)
        try await refuseSame(source, target)
        let moved = try await copy(service: service, from: source, to: target, announcing: announce)
        if !keepsSource { try await delete(moved, from: source, movedTo: target) }
        lock.release()
        return moved.map(\.item)
    }

    /// Throws if both stores are the same vault, or copies of one: moving within it would delete the items, and of two
    /// copies one is an older state of the other.
    ///
    /// - Parameters:
    ///   - source: The store that contains the items.
    ///   - target: The store that receives them.
    /// - Throws: ``KeychainError/invalid``.
    package static func refuseSame(
        _ source: any CredentialStore,
        _ target: any CredentialStore
    ) async throws(KeychainError) {
        guard let source = source as? VaultStore, let target = target as? VaultStore,
            let identifier = try await source.status().identifier
        else { return }
        guard try await target.status().identifier == identifier else { return }
        throw .invalid(
            "cannot move items from \(source.path) to \(target.path): both are the same vault, or copies of it (its id is "
                + "\(identifier))"
        )
    }

    /// Copies items from one store to another: all of them, or none.
    ///
    /// - Returns: The items, with the secrets that the target has now.
    private static func copy(
        service: String?,
        from source: any CredentialStore,
        to target: any CredentialStore,
        announcing announce: @Sendable ([FieldLoss]) async -> Void
    ) async throws(KeychainError) -> [Credential] {
        var moved: [Credential] = []
        var added: [Credential] = []
        let items = try await KeychainError.wrapping(source) { try await $0.items(service: service) }
        for item in items where item.isMovable {
            guard let credential = try await find(item.key, in: source) else {
                throw .notFound(
                    "cannot move \(item.nameForPeople): it was deleted meanwhile; nothing was moved"
                )
            }
            moved.append(credential)
            guard let existing = try await find(item.key, in: target),
                existing.item.key.isSame(as: item.key)
            else {
                added.append(credential)
                continue
            }
            guard existing.secret == credential.secret else {
                throw .alreadyExists(
                    "\(existing.item.nameForPeople) already exists in the \(target.name) with another secret; nothing "
                        + "was moved"
                )
            }
        }
        await announce(try await losses(moving: added, to: target))
        try await store(added, in: target)
        return moved
    }

    /// Deletes items that are in the target now, unless another program has changed them in the source meanwhile.
    private static func delete(
        _ moved: [Credential],
        from source: any CredentialStore,
        movedTo target: any CredentialStore
    ) async throws(KeychainError) {
        guard !moved.isEmpty else { return }
        let changed: [Credential]
        do throws(KeychainError) {
            changed = try await deleteUnchanged(moved, from: source)
        } catch {
            throw KeychainError(
                .inputOutput,
                message: "the items are in the \(target.name) now, but not all could be deleted from the "
                    + "\(source.name): \(error)",
                underlying: error
            )
        }
        guard let first = changed.first else { return }
        throw .busy(
            "\(first.item.nameForPeople) was changed in the \(source.name) during the move and remains there; the "
                + "\(target.name) has its previous secret. All items that were not changed were moved"
        )
    }

    /// Deletes items that still have the same secret, and returns the others.
    private static func deleteUnchanged(
        _ credentials: [Credential],
        from store: any CredentialStore
    ) async throws(KeychainError) -> [Credential] {
        if let vault = store as? VaultStore { return try await vault.deleteUnchanged(credentials) }
        var changed: [Credential] = []
        var changes: [CredentialChange] = []
        for credential in credentials {
            guard let stored = try await find(credential.item.key, in: store),
                stored.item.key.isSame(as: credential.item.key)
            else { continue }
            if stored.hasSameContent(as: credential) {
                changes.append(.delete(credential.item.key))
            } else {
                changed.append(credential)
            }
        }
        try await KeychainError.wrapping(store) { [changes] in try await $0.update(changes) }
        return changed
    }

    /// Stores items and reads them back; all of them, or none.
    private static func store(_ credentials: [Credential], in target: any CredentialStore)
        async throws(KeychainError)
    {
        do throws(KeychainError) {
            try await KeychainError.wrapping(target) { try await $0.update(credentials.map { .set($0) }) }
            if !credentials.isEmpty { try await waitForSaving(by: target) }
            for original in credentials {
                let copy = try await find(original.item.key, in: target)
                guard copy?.secret == original.secret else {
                    throw .failed("the \(target.name) does not return the stored secret; nothing was moved")
                }
            }
        } catch {
            // Runs in its own task, which is not cancelled with this one.
            await Task { await takeBack(credentials, from: target) }.value
            throw error
        }
    }

    /// Waits while KeePassXC saves its database, which it does after it has answered, and without telling when it has done so.
    /// If it ends meanwhile, the items are not read back, and stay in their source.
    private static func waitForSaving(by target: any CredentialStore) async throws(KeychainError) {
        guard let service = target as? SecretServiceStore, try await service.status().daemon == .keePassXC
        else { return }
        // A cancelled task does not wait; its next call ends it.
        try? await Task.sleep(for: .seconds(2))
    }

    /// Deletes the stored copies and nothing else: if a copy does not exist, its key can match another item with
    /// further attributes.
    private static func takeBack(_ credentials: [Credential], from target: any CredentialStore) async {
        for original in credentials {
            let key = original.item.key
            do throws(KeychainError) {
                guard let copy = try await find(key, in: target), copy.item.key.isSame(as: key),
                    copy.secret == original.secret
                else { continue }
                _ = try await KeychainError.wrapping(target) { try await $0.delete(key) }
            } catch {
                // A store that does not answer would take the full timeout for each item.
                if error.isOfTheWholeStore { return }
            }
        }
    }

    private static func find(
        _ key: CredentialKey,
        in store: any CredentialStore
    ) async throws(KeychainError) -> Credential? {
        try await KeychainError.wrapping(store) { try await $0.credential(for: key) }
    }
}
