// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The secret of a new key slot.
public enum VaultSlotSecret: Sendable {
    /// A passphrase.
    case passphrase(SecretBytes)
    /// A key: at least 32 bytes, as hard to guess as random ones.
    case key(SecretBytes)
    /// A new random key, which is stored in another store, usually the Secret Service.
    case store(any CredentialStore)
}
