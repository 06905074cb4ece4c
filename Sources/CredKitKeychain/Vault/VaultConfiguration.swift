// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The settings of a vault: its file, and how it is unlocked.
public struct VaultConfiguration: Sendable {
    /// The absolute path of the file; `nil` for `$CREDKIT_VAULT` if that is set, otherwise `credkit/keychain.vault` in
    /// `$XDG_DATA_HOME` (`~/.local/share`).
    public var path: String?

    /// The sources of the secrets that unlock the vault, in order.
    public var keySources: [VaultKeySource] = VaultKeySource.standard

    /// The cost of deriving a key from a passphrase, for new slots.
    public var argon2idCost = Argon2idCost.standard

    /// Which prompts are allowed, and how long calls wait.
    public var promptPolicy = PromptPolicy.never

    /// The time after the last use when the vault locks itself; `nil` for never.
    public var autoLockTimeout: Duration?

    /// Whether to use the vault's key from the kernel's keyring if it is there; see ``VaultStore/cacheKey(for:)``.
    public var usesCachedKey = false

    /// Whether to accept an older copy than the newest one that this account has seen, another vault at the same path,
    /// or none where there was one. The next save makes it the known one. See ``VaultStore/accept()`` for doing so once.
    public var acceptsRollback = false

    /// Whether to try key slots that cost more than 16 GiB of memory × passes together. An attacker who can write the
    /// file chooses these costs, so they are limited by default. One slot costs at most 4 GiB in any case, and a
    /// derivation that would take longer than the remaining time of the call is not begun.
    public var allowsCostlyKeyDerivation = false

    /// The folder that stores the newest state seen of each vault; `nil` for `credkit/vaults` in `$XDG_STATE_HOME`
    /// (`~/.local/state`).
    public var stateDirectory: String?

    /// Creates the default configuration.
    public init() {}

    func resolvedPath() throws(KeychainError) -> String {
        if let path { return path }
        if let path = try converting(Environment.path("CREDKIT_VAULT")) {
            guard path.utf8.first == UInt8(ascii: "/") else {
                throw .invalid("CREDKIT_VAULT is not an absolute path: \(path)")
            }
            return path
        }
        return try converting(UserDirectories.data()) + "/credkit/keychain.vault"
    }

    func resolvedStateDirectory() throws(KeychainError) -> String {
        if let stateDirectory { return stateDirectory }
        return try converting(UserDirectories.state()) + "/credkit/vaults"
    }
}
