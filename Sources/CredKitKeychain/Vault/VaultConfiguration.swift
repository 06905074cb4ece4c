// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Which vault, and how it is opened.
public struct VaultConfiguration: Sendable {
    /// The path of the file, absolute; `nil` for `$CREDKIT_VAULT` if that is set, else `credkit/keychain.vault` in
    /// `$XDG_DATA_HOME` (`~/.local/share`).
    public var path: String?

    /// Where the secrets that open it come from, in their order.
    public var keySources: [VaultKeySource] = VaultKeySource.standard

    /// What it costs to make a key from a passphrase, for slots that are made.
    public var keyDerivation = KeyDerivation.standard

    /// Whether somebody may be asked, and how long anything waits.
    public var interaction = Interaction.never

    /// How long after its last use the vault locks itself; `nil` for never.
    public var autoLock: Duration?

    /// Whether the vault's key is taken from the kernel's keyring if it is there; see
    /// ``VaultStore/cacheKey(for:)``.
    public var usesCachedKey = false

    /// Whether an older copy than the one that this account has seen is opened all the same. The next save makes it
    /// the newest.
    public var acceptsOlderCopy = false

    /// The folder that remembers the newest state of each vault; `nil` for `credkit/vaults` in `$XDG_STATE_HOME`
    /// (`~/.local/state`).
    public var statePath: String?

    /// The standard configuration, to start from.
    public init() {}

    func resolvedPath() throws(KeychainError) -> String {
        if let path { return path }
        if let path = Environment.value("CREDKIT_VAULT") {
            guard path.hasPrefix("/") else {
                throw .invalid("CREDKIT_VAULT is no absolute path: \(path)")
            }
            return path
        }
        return try converting(UserDirectories.data()) + "/credkit/keychain.vault"
    }

    func resolvedStatePath() throws(KeychainError) -> String {
        if let statePath { return statePath }
        return try converting(UserDirectories.state()) + "/credkit/vaults"
    }
}
