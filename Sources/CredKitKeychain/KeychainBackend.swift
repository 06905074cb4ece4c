// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The store that a ``Keychain`` uses.
public enum KeychainBackend: String, Sendable, Hashable, CaseIterable {
    /// The desktop's keyring: GNOME Keyring, KWallet, KeePassXC …
    case secretService = "secret-service"
    /// CredKit's own encrypted file.
    case vault
}
