// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

// The vault's key in the kernel's keyring.
extension VaultStore {
    /// Caches the vault's key in the kernel's keyring of this user for a time, so that other processes of this user can
    /// unlock the vault without a prompt; see ``VaultConfiguration/usesCachedKey``.
    ///
    /// - Parameter time: The lifetime of the cached key, at least one second.
    /// - Throws: ``KeychainError``; ``KeychainError/denied`` if the kernel's keyring is not available, as in many
    ///   containers.
    public func cacheKey(for time: Duration) async throws(KeychainError) {
        let seconds = UInt32(clamping: max(1, time.components.seconds))
        try await read { [path] (vault) throws(KeychainError) in
            guard let vault else { throw .notFound("there is no vault \(path)") }
            try VaultKeyCache.write(
                vault.key,
                vaultIdentifier: vault.header.identifier,
                seconds: seconds
            )
        }
    }

    /// Removes the vault's key from the kernel's keyring, if it is there. If the vault is missing, damaged, or not the one
    /// that this account has used at the path, it is unknown which key that is: then the keys of all vaults of this user
    /// are removed.
    ///
    /// - Throws: ``KeychainError`` if a key remains.
    public func forgetCachedKey() async throws(KeychainError) {
        try await perform { (state, _) throws(KeychainError) in
            let header = try? state.file.readHeader()?.header
            guard let header, state.rollback.identifierSeenHere == header.identifier else {
                return try VaultKeyCache.removeAll()
            }
            try VaultKeyCache.remove(vaultIdentifier: header.identifier)
        }
    }
}
