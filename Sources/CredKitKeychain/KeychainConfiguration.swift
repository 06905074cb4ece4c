// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Which backend a ``Keychain`` takes, and how it behaves.
public struct KeychainConfiguration: Sendable {
    /// The backend; `nil` to choose, as ``Keychain/open(_:)`` describes.
    public var backend: KeychainBackend?

    /// Whether somebody may be asked, and how long anything waits. It holds for both stores.
    public var interaction = Interaction.never

    /// The Secret Service's collection: its alias, label, or the last part of its path; `nil` for the default one.
    public var collection: String?

    /// The names that attributes have in the Secret Service.
    public var attributeScheme = AttributeScheme.generic

    /// The vault. Its interaction is that of this configuration.
    public var vault = VaultConfiguration()

    /// Whether questions that the chosen store answers with no go to the other store as well, and deletions to both.
    public var isCascading = false

    /// Whether a backend that was chosen automatically is remembered when something is stored, so that later programs
    /// of this account choose the same.
    public var remembersChoice = true

    /// Who may be asked for the vault's passphrase, where that is not whom ``interaction`` allows to ask: a command can
    /// ask at its terminal as well as at the desktop, whichever store it comes to.
    package var vaultPrompting: Interaction.Prompting?

    /// The standard configuration, to start from.
    public init() {}
}
