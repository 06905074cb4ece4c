// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Keychain {
    /// Stores imported items: all or none, if the store has ``StoreCapabilities/atomicUpdates``. A vault keeps the times that
    /// the items have. This is for imports: ``set(_:)`` and its variants always replace the item with the same key.
    ///
    /// - Parameters:
    ///   - credentials: The items with their secrets. One that exists with the same secret is skipped, and so is the key of a
    ///     vault.
    ///   - replacing: Whether to replace items that exist with another secret.
    /// - Returns: The stored items.
    /// - Throws: ``KeychainError``; ``KeychainError/alreadyExists`` if an item exists with another secret and is not to be
    ///   replaced.
    @discardableResult
    public func add(
        _ credentials: [Credential],
        replacing: Bool = false
    ) async throws(KeychainError) -> [CredentialItem] {
        let added = try await missing(credentials, replacing: replacing)
        try await store(added)
        return added.map(\.item)
    }

    /// Stores items that ``missing(_:replacing:)`` returned.
    package func store(_ credentials: [Credential]) async throws(KeychainError) {
        guard !credentials.isEmpty else { return }
        guard let vault = self.store as? VaultStore else {
            return try await update(credentials.map { .set($0) })
        }
        let isRemembered = try rememberChoice()
        do {
            try await vault.add(credentials)
        } catch {
            throw failure(error, isRemembered: isRemembered)
        }
    }

    /// Returns the items that do not exist with the same secret. An item with further attributes is another one.
    ///
    /// - Parameters:
    ///   - credentials: The items with their secrets.
    ///   - replacing: Whether the items may exist with another secret.
    /// - Returns: The items.
    /// - Throws: ``KeychainError``; ``KeychainError/alreadyExists``.
    package func missing(_ credentials: [Credential], replacing: Bool) async throws(KeychainError)
        -> [Credential]
    {
        let existing = Set(try await search([:]).map { $0.key.withoutWriterMarks })
        var missing: [Credential] = []
        for credential in credentials where !credential.item.key.isFor(.vaultSlot) {
            let key = credential.item.key
            guard existing.contains(key.withoutWriterMarks) else {
                missing.append(credential)
                continue
            }
            let stored = try await self.credential(for: key)
            if let stored, stored.item.key.isSame(as: key), stored.secret == credential.secret { continue }
            guard replacing else { throw .alreadyExists("\(key) already exists with another secret") }
            missing.append(credential)
        }
        return missing
    }
}

extension CredentialKey {
    /// The key as ``isSame(as:)`` compares it.
    var withoutWriterMarks: CredentialKey {
        CredentialKey(
            service: service,
            account: account,
            attributes: attributes.filter { !Self.writerMarks.contains($0.key) }
        )
    }
}
