// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A property of items that a store does not keep.
public struct StoreLimitation: Sendable, Hashable {
    /// A property of an item.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// The time of the first save.
        case created
        /// The time of the last save.
        case modified
        /// The content type of the secret.
        case contentType = "content-type"
        /// That the helper of git or docker finds the item.
        case helper
    }

    /// The property.
    public var field: Field

    /// What happens to it.
    public var detail: String

    /// In the Secret Service, the items of git and docker have the attributes that their own helpers expect.
    static let helper = StoreLimitation(
        field: .helper,
        detail:
            "git or docker will not find it in the Secret Service; let it store its password there once more"
    )

    /// All stores set the times themselves.
    static let times = [
        StoreLimitation(field: .created, detail: "set to the time when the store first saves the item"),
        StoreLimitation(field: .modified, detail: "set to the time when the store last saves the item"),
    ]
}

/// A property of an item that is lost when the item is moved; see ``Keychain/losses(moving:to:)``.
public struct FieldLoss: Sendable, Hashable {
    /// The item.
    public var item: CredentialItem

    /// The property, and what happens to it.
    public var limitation: StoreLimitation
}
