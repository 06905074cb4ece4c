// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension VaultStore {
    /// Returns the slots that unlock the vault. No secret is needed.
    ///
    /// - Returns: The slots, in the order of the file.
    /// - Throws: ``KeychainError``; ``KeychainError/notFound`` if there is no vault.
    public func slots() async throws(KeychainError) -> [VaultSlot] {
        try await perform { (state, _) throws(KeychainError) in
            guard let header = try state.file.readHeader()?.header else {
                throw .notFound("there is no vault \(state.file.path)")
            }
            return header.slots.map(VaultSlot.init)
        }
    }

    /// Adds a slot that unlocks the vault.
    ///
    /// - Parameters:
    ///   - secret: The secret of the slot.
    ///   - name: The name of the slot. It is stored unencrypted in the file.
    /// - Returns: The new slot.
    /// - Throws: ``KeychainError``.
    @discardableResult
    public func addSlot(_ secret: VaultSlotSecret, name: String) async throws(KeychainError) -> VaultSlot {
        let (kind, secret) = try await makeSecret(secret)
        return try await changeSlots(remembering: secret) { (vault, secrets) throws(KeychainError) in
            let slot = try vault.slot(kind, name: name, under: secret.bytes, secrets.budget)
            guard vault.header.slots.count < VaultLimits.slotCount else {
                throw .overLimit("a vault has at most \(VaultLimits.slotCount) key slots")
            }
            vault.header.slots.append(slot)
            return VaultSlot(slot)
        }
    }

    /// Removes a slot, and replaces the vault key, so that an old copy of the file cannot be used to unlock later
    /// saves. The backup is replaced too.
    ///
    /// - Parameter identifier: The identifier of the slot.
    /// - Returns: Other slots that were dropped, because their secrets were not available.
    /// - Throws: ``KeychainError``; ``KeychainError/invalid`` if no slot would remain.
    @discardableResult
    public func removeSlot(_ identifier: String) async throws(KeychainError) -> [VaultSlot] {
        try await rekey { (slots, _) throws(KeychainError) in
            guard slots.contains(where: { VaultSlot($0).identifier == identifier }) else {
                throw .notFound("the vault has no slot \(identifier)")
            }
            return slots.filter { VaultSlot($0).identifier != identifier }.map { ($0, nil) }
        }
    }

    /// Replaces the vault key, and encrypts everything with the new one, including the backup.
    ///
    /// - Returns: The slots that were dropped, because their secrets were not available.
    /// - Throws: ``KeychainError``.
    @discardableResult
    public func rekey() async throws(KeychainError) -> [VaultSlot] {
        try await rekey { (slots, _) throws(KeychainError) in slots.map { ($0, nil) } }
    }

    /// Changes the passphrase and replaces the vault key. Otherwise an attacker with an old copy of the file and the
    /// old passphrase could unlock every later save. The backup is replaced too.
    ///
    /// - Parameters:
    ///   - passphrase: The new passphrase.
    ///   - identifier: The slot; `nil` for the one that the available passphrase opens, or the only one.
    ///   - rotatesKey: Whether to encrypt the vault with a new key. Without that the change is cheap and keeps all other
    ///     slots, but an attacker with the old passphrase and an old copy of the file, or a backup, can get the key and
    ///     decrypt every later save. Pass `false` only if no one else can know the old passphrase.
    /// - Returns: Other slots that were dropped, because their secrets were not available.
    /// - Throws: ``KeychainError``.
    @discardableResult
    public func changePassphrase(
        to passphrase: SecretBytes,
        slot identifier: String? = nil,
        rotatingKey rotatesKey: Bool = true
    ) async throws(KeychainError) -> [VaultSlot] {
        let new = try UnlockSecret.passphrase(passphrase)
        guard rotatesKey else {
            try await rewrap(with: new, slot: identifier)
            return []
        }
        return try await rekey { [path] (slots, openedBy) throws(KeychainError) in
            let changed = try Self.passphraseSlot(identifier, of: slots, openedBy: openedBy, path)
            return slots.map { ($0, $0.identifier == changed.identifier ? new : nil) }
        }
    }

    /// Encrypts the vault's key with a new passphrase.
    private func rewrap(
        with new: UnlockSecret,
        slot identifier: String?
    ) async throws(KeychainError) {
        let costs = configuration.argon2idCost
        try await changeSlots(remembering: new) { [path] (vault, secrets) throws(KeychainError) in
            let slots = vault.header.slots
            let opened = try secrets.opening(slots, of: vault.header.identifier)
            let openedBy = zip(slots, opened).filter { $0.1 != nil }.map(\.0)
            let changed = try Self.passphraseSlot(identifier, of: slots, openedBy: openedBy, path)
            for (index, slot) in slots.enumerated() where slot.identifier == changed.identifier {
                vault.header.slots[index] = try vault.slot(
                    .passphrase(costs),
                    identifier: slot.identifier,
                    name: slot.name,
                    under: new.bytes,
                    secrets.budget
                )
            }
        }
    }
}

// Secrets of new slots.
extension VaultStore {
    private func changeSlots<Value: Sendable>(
        remembering secret: UnlockSecret,
        _ body: @escaping @Sendable (inout OpenVault, SlotSecrets) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        let value = try await change(body, savesIf: { _ in true })
        guard let value else { throw .notFound("there is no vault \(path)") }
        try await perform { (state, _) throws(KeychainError) in state.unlocker.remember(secret) }
        return value
    }

    private func makeSecret(
        _ secret: VaultSlotSecret
    ) async throws(KeychainError) -> (KeySlot.Kind, UnlockSecret) {
        switch secret {
        case .passphrase(let bytes):
            return (.passphrase(configuration.argon2idCost), try UnlockSecret.passphrase(bytes))
        case .key(let bytes):
            return (.rawKey, try UnlockSecret.key(bytes, "the key"))
        case .store(let store):
            guard let identifier = try await identifier() else {
                throw .notFound("there is no vault \(path)")
            }
            let key = Self.keyOfStoredKey(vaultIdentifier: identifier)
            // The key of an existing slot is reused. Another one may be known to others, who could read the vault: it is replaced.
            if let stored = try await KeychainError.wrapping(store, { try await $0.credential(for: key) }),
                let secret = try? UnlockSecret.key(stored.secret, "the key in \(store.name)"),
                try await opensSlot(secret)
            {
                return (.secretService, secret)
            }
            let bytes = try Self.storableKey()
            let item = CredentialItem(
                key: key,
                label: "Key of the CredKit vault \(path)",
                contentType: "text/plain"
            )
            try await KeychainError.wrapping(store) {
                try await $0.set(Credential(item: item, secret: bytes))
            }
            return (.secretService, try UnlockSecret.key(bytes, "the key"))
        }
    }

    private func opensSlot(_ secret: UnlockSecret) async throws(KeychainError) -> Bool {
        try await perform { (state, context) throws(KeychainError) in
            try state.file.readHeader()?.header.open(with: secret, context.budget) != nil
        }
    }

    private func identifier() async throws(KeychainError) -> [UInt8]? {
        try await perform { (state, _) throws(KeychainError) in try state.file.readHeader()?.header.identifier
        }
    }

    /// Returns 32 random bytes as 64 hexadecimal digits: a text, which every store preserves.
    private static func storableKey() throws(KeychainError) -> SecretBytes {
        let digits = Array("0123456789abcdef".utf8)
        let key = try SecretBytes.random()
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: 2 * key.count) { output in
                key.withSecretBytes { key in
                    for index in key.indices {
                        output.append(digits[Int(key[index] >> 4)])
                        output.append(digits[Int(key[index] & 15)])
                    }
                }
            }
        } catch {
            throw .outOfMemory
        }
    }
}
