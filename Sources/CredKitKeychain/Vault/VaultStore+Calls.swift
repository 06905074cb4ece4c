// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

// Running calls on the store's thread.
extension VaultStore {
    /// Which keys that other stores contain for the vault a call needs.
    enum StoredKeys {
        /// The call does not unlock the vault.
        case unneeded
        /// Those that unlock the vault, unless it is open.
        case toUnlock
        /// Those of all its slots.
        case all
    }

    /// Calls `body` with the vault in its current state on the disk, or `nil` if there is none.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (OpenVault?) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        try await perform(.toUnlock) { (state, context) throws(KeychainError) in
            try body(state.current(context))
        }
    }

    /// Calls `body` with the vault while no other program can change it, and saves it if `isChanged` returns `true` for
    /// the result.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout OpenVault, SlotSecrets) throws(KeychainError) -> Value,
        savesIf isChanged: @escaping @Sendable (Value) -> Bool
    ) async throws(KeychainError) -> Value? {
        try await perform(.toUnlock) { (state, context) throws(KeychainError) in
            var value: Value?
            try state.update(context) { (vault, secrets) throws(KeychainError) in
                let result = try body(&vault, secrets)
                value = result
                return isChanged(result)
            }
            return value
        }
    }

    /// Calls `body` on the store's thread.
    ///
    /// - Parameters:
    ///   - keys: The keys of other stores that are read before.
    ///   - end: When the call must have ended; `nil` for the time of a call that begins now.
    ///   - acceptsRollback: Whether to accept any vault at the path, also an older copy or another vault.
    ///   - body: What to do.
    /// - Returns: What `body` returned.
    /// - Throws: ``KeychainError``.
    func perform<Value: Sendable>(
        _ keys: StoredKeys = .unneeded,
        until end: ContinuousClock.Instant? = nil,
        acceptsRollback: Bool = false,
        _ body: @escaping @Sendable (inout VaultState, UnlockContext) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        var deadline = end ?? newDeadline
        let storedKeys = try await storedKeys(keys, until: &deadline)
        let time = deadline - .now
        defer { noteUse() }
        return try await thread.run(
            deadline: time,
            orThrow: { KeychainError($0) }
        ) { [configuration, state] token -> Result<Value, KeychainError> in
            state.withLock { state -> Result<Value, KeychainError> in
                do throws(KeychainError) {
                    // The call may have waited for the state. A caller that has stopped waiting assumes that nothing
                    // was changed, and may have made another change since.
                    try token.check()
                    let context = UnlockContext(
                        configuration,
                        token: token,
                        storedKeys: storedKeys,
                        acceptsRollback: acceptsRollback
                    )
                    return .success(try body(&state, context))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    /// When a call that begins now must have ended.
    private var newDeadline: ContinuousClock.Instant { .now + configuration.promptPolicy.vaultTimeout }
}

// Keys in other stores.
extension VaultStore {
    /// Returns the keys for this vault from other stores, if they are needed.
    private func storedKeys(
        _ needed: StoredKeys,
        until deadline: inout ContinuousClock.Instant
    ) async throws(KeychainError) -> [SecretBytes] {
        guard needed != .unneeded else { return [] }
        let stores = configuration.keySources.compactMap { source in
            if case .store(let store) = source { store } else { nil }
        }
        guard !stores.isEmpty else { return [] }
        let header = try await perform(until: deadline) { (state, _) throws(KeychainError) -> VaultHeader? in
            // A damaged vault is reported by the call itself; its backup has the same keys.
            let header = state.file.readableHeader
            // The vault is open, and its key has not changed.
            let isOpen = state.vault != nil && state.vault?.header.keyCheck == header?.keyCheck
            return isOpen && needed == .toUnlock ? nil : header
        }
        // A store without a slot in this vault must not delay the call.
        guard let header, header.slots.contains(where: { $0.kind == .secretService }) else { return [] }
        var keys: [SecretBytes] = []
        for store in stores {
            let start = ContinuousClock.now
            // If a store does not answer, the other sources are still tried, in the time that is left.
            let key = Self.keyOfStoredKey(vaultIdentifier: header.identifier)
            guard let credential = try? await store.credential(for: key) else { continue }
            keys.append(credential.secret)
            // The store may have asked the user.
            if configuration.promptPolicy.mode != .never { deadline += .now - start }
        }
        return keys
    }

    static func keyOfStoredKey(vaultIdentifier: [UInt8]) -> CredentialKey {
        CredentialKey(.vaultSlot, service: "credkit-vault", account: Hex.encode(vaultIdentifier))
    }
}

// The automatic lock.
extension VaultStore {
    /// Postpones the automatic lock.
    private func noteUse() {
        guard let timeout = configuration.autoLockTimeout else { return }
        use.withLock { use in
            use.last = .now
            guard use.timer == nil else { return }
            use.timer = Task { [weak self] in
                while let last = self?.use.withLock({ $0.last }), !Task.isCancelled {
                    guard last + timeout <= .now else {
                        try? await Task.sleep(until: last + timeout, clock: .continuous)
                        continue
                    }
                    self?.use.withLock { $0.timer = nil }
                    try? await self?.closeWhenIdle()
                    return
                }
            }
        }
    }

    /// Locks the vault without counting as a use.
    private func closeWhenIdle() async throws(KeychainError) {
        try await thread.run(
            deadline: configuration.promptPolicy.vaultTimeout,
            orThrow: { KeychainError($0) }
        ) { [state] _ -> Result<Void, KeychainError> in
            state.withLock { $0.close() }
            return .success(())
        }
    }
}
