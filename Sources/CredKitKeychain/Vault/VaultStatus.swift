// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The status of a vault, determined without unlocking it.
public struct VaultStatus: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// Whether the file exists.
    public let exists: Bool
    /// Whether a backup exists.
    public let hasBackup: Bool
    /// The identifier of the vault, 32 hexadecimal digits; `nil` if the file does not exist.
    public let identifier: String?
    /// The generation of the vault, which increases with each save; 0 if the file does not exist.
    public let generation: UInt64
    /// The newest generation that this account has seen; `nil` if it has seen none.
    public let newestGenerationSeen: UInt64?
    /// ``KeychainError/Code/rollbackDetected``, ``KeychainError/Code/vaultReplaced`` or
    /// ``KeychainError/Code/vaultMissing`` if the vault is not what this account has seen; see ``VaultStore/accept()``.
    public let alarm: KeychainError.Code?
    /// The slots that unlock the vault.
    public let slots: [VaultSlot]
    /// Whether its key is in the kernel's keyring now.
    public let isKeyCached: Bool
}
