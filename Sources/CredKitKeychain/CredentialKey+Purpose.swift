// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension CredentialKey {
    /// What a component of CredKit uses a secret for. It is an attribute of the item, and an item that has one answers only a
    /// query with the same one. So components find only their own secrets, also where service and account are the same.
    package enum Purpose: String, Sendable, CaseIterable {
        /// The key of a session file.
        case sessionKey = "session-key"
        /// The password or token with which a session logs in again.
        case sessionSecret = "session-secret"
        /// A key of one-time codes.
        case oneTimeCode = "one-time-code"
        /// The key of a slot of a vault.
        case vaultSlot = "vault-slot"
        /// A credential of git's, in a vault. In the Secret Service git's items have names of their own.
        case git = "git"
        /// A credential of docker's, in a vault.
        case docker = "docker"
    }

    /// The name of the attribute.
    package static let purposeName = "credkit-purpose"

    /// Creates the key of an item for a purpose.
    package init(
        _ purpose: Purpose,
        service: String,
        account: String?,
        attributes: [String: String] = [:]
    ) {
        self.init(
            service: service,
            account: account,
            attributes: attributes.merging([Self.purposeName: purpose.rawValue]) { $1 }
        )
    }

    /// Whether the item is one for a purpose, or for none.
    package func isFor(_ purpose: Purpose?) -> Bool {
        Self.areSame(attributes[Self.purposeName], purpose?.rawValue)
    }
}

extension CredentialItem {
    /// Whether git, docker, a session or another program finds the item by itself, and uses it without asking.
    package var isUsedUnasked: Bool {
        key.attributes.keys.contains(where: CredentialKey.writerMarks.contains)
            || key.attributes[CredentialKey.purposeName] != nil && !key.isFor(.oneTimeCode)
    }

    /// Whether the item can be moved to another store, exported and imported: not the key of a vault, which unlocks nothing
    /// elsewhere, or could be locked up in what it unlocks. It also needs a service.
    package var isMovable: Bool { !service.isEmpty && !key.isFor(.vaultSlot) }
}
