// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension VaultStore {
    /// Repairs a vault from whichever of its two copies is whole.
    ///
    /// - If the vault is damaged or missing, restores its backup: the state before the last save. A backup that is older
    ///   than that, or of another vault than the one this account has used at the path, is restored only if
    ///   ``VaultConfiguration/acceptsRollback`` is set.
    /// - If the backup is damaged or missing, replaces it by a copy of the vault.
    /// - If the vault is an older copy or another one, saves it as the newest, but only if
    ///   ``VaultConfiguration/acceptsRollback`` is set.
    ///
    /// Nothing is deleted: a damaged file, and a backup that is newer than an accepted copy, get another name and stay
    /// beside the vault. A vault that has a later format, is too costly, or opens with no passphrase may have been
    /// tampered with: it is replaced by its backup only if ``VaultConfiguration/acceptsRollback`` is set.
    ///
    /// - Returns: What was done; `nil` if no repair was necessary.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if both copies are, ``KeychainError/rollbackDetected`` and
    ///   ``KeychainError/vaultReplaced`` as described above. Then nothing was changed.
    public func repair() async throws(KeychainError) -> VaultRepair? {
        try await performUnlocked { (state, context) throws(KeychainError) in try state.repair(context) }
    }
}
