// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The settings of a ``Keychain``: its backend and how it behaves.
public struct KeychainConfiguration: Sendable {
    /// The backend; `nil` to choose it as ``Keychain/open(_:)`` describes.
    public var backend: KeychainBackend?

    /// Which prompts are allowed, and how long calls wait. It applies to both stores.
    public var promptPolicy = PromptPolicy.never

    /// The Secret Service's collection: its alias, its label, or the last part of its path; `nil` for the default one.
    public var secretServiceCollection: String?

    /// The names of the attributes in the Secret Service.
    public var secretServiceSchema = SecretServiceSchema.generic

    /// The settings of the vault. Its `promptPolicy` is ignored: the one of this configuration applies to both stores.
    public var vault = VaultConfiguration()

    /// Whether an item that the chosen store does not have is searched in the other store, and deletions apply to both.
    public var searchesFallbackStores = false

    /// Whether to remember an automatically chosen backend when an item is stored, so that later programs of this
    /// account choose the same.
    public var remembersBackend = true

    /// The prompt for the vault's passphrase, if it differs from ``promptPolicy``: a command can prompt both at its
    /// terminal and at the desktop, depending on the store.
    package var vaultPromptMode: PromptPolicy.Mode?

    /// Creates the default configuration.
    public init() {}
}
