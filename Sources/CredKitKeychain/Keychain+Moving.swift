// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension Keychain {
    /// Moves items from one store to another: all of them, or none.
    ///
    /// Everything is stored in the new place and read back before anything is deleted from the old one. If that fails,
    /// what was stored is taken back; if deleting fails, the items are in both places, and the error says so.
    ///
    /// - Parameters:
    ///   - service: The service whose items are moved; `nil` for all items that have one.
    ///   - source: Where they are.
    ///   - target: Where they go. An item with the same key that is there already is an error, unless it has the same
    ///     secret.
    ///   - keepsSource: Whether the items stay where they are as well: they are copied then.
    /// - Returns: The items that were moved.
    /// - Throws: ``KeychainError``; ``KeychainError/alreadyExists``.
    @discardableResult
    public static func move(
        service: String? = nil,
        from source: any CredentialStore,
        to target: any CredentialStore,
        keepsSource: Bool = false
    ) async throws(KeychainError) -> [CredentialItem] {
        var moved: [Credential] = []
        var added: [Credential] = []
        for item in try await source.items(service: service) where !item.service.isEmpty {
            guard let credential = try await source.credential(for: item.key) else {
                throw .notFound("\(item.nameForPeople) went away while it was to be moved; nothing was moved")
            }
            moved.append(credential)
            guard let existing = try await target.credential(for: item.key),
                existing.item.key.isSame(as: item.key)
            else {
                added.append(credential)
                continue
            }
            guard existing.secret == credential.secret else {
                throw .alreadyExists(
                    "\(existing.item.nameForPeople) is in the \(target.name) already, with another secret; nothing was "
                        + "moved"
                )
            }
        }
        try await store(added, in: target)
        if keepsSource { return moved.map(\.item) }
        do throws(KeychainError) {
            try await source.update(moved.map { .delete($0.item.key) })
        } catch {
            throw .inputOutput(
                "the items are in the \(target.name) now, but not all could be deleted from the \(source.name): \(error)"
            )
        }
        return moved.map(\.item)
    }

    /// Stores items and reads them back; all of them, or none.
    private static func store(_ credentials: [Credential], in target: any CredentialStore)
        async throws(KeychainError)
    {
        do throws(KeychainError) {
            try await target.update(credentials.map { .set($0) })
            for credential in credentials {
                let copy = try await target.credential(for: credential.item.key)
                guard copy?.secret == credential.secret else {
                    throw .failed("the \(target.name) does not give back what was stored; nothing was moved")
                }
            }
        } catch {
            // In a task of its own, which is not cancelled when this one is.
            await Task { await takeBack(credentials, from: target) }.value
            throw error
        }
    }

    /// Deletes what is there of what was stored, and nothing else: a key means an item with further attributes too,
    /// where the item itself is not there.
    private static func takeBack(_ credentials: [Credential], from target: any CredentialStore) async {
        for credential in credentials {
            let key = credential.item.key
            do throws(KeychainError) {
                guard let copy = try await target.credential(for: key), copy.item.key.isSame(as: key),
                    copy.secret == credential.secret
                else { continue }
                try await target.delete(key)
            } catch {
                // A store that does not answer would take its deadline for each of them.
                if error.isOfTheWholeStore { return }
            }
        }
    }
}
