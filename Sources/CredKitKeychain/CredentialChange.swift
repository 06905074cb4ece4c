// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One change of a batch; see ``CredentialStore/update(_:)``.
public enum CredentialChange: Sendable {
    /// Stores an item, and replaces the one with the same key if there is one.
    case set(Credential)
    /// Deletes an item if it exists.
    case delete(CredentialKey)

    /// The key of the changed item.
    var key: CredentialKey {
        switch self {
        case .set(let credential): credential.item.key
        case .delete(let key): key
        }
    }
}
