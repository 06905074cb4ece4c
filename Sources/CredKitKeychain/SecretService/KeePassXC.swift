// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The properties of KeePassXC that its items in a Secret Service have (observed with 2.7.4).
enum KeePassXC {
    /// The fields of an entry, which it shows as attributes of every item.
    static let fields: Set<String> = [
        "Title", "UserName", "Password", "URL", "Notes", "Uuid", "Path", "FDO_SECRETS_CONTENT_TYPE",
    ]

    /// Removes the fields from the key of an item that a program has stored with attributes.
    ///
    /// They differ between items that a program stored with the same attributes. An entry that was made in KeePassXC
    /// itself has no other attributes, and keeps them.
    ///
    /// - Parameters:
    ///   - key: The key of the item.
    ///   - path: The object path of the item, whose last part is its `Uuid` in KeePassXC.
    static func removeFields(from key: inout CredentialKey, at path: String) {
        guard let identifier = key.attributes["Uuid"],
            path.utf8.split(separator: UInt8(ascii: "/")).last.map({ $0.elementsEqual(identifier.utf8) })
                == true,
            key.attributes["Title"] != nil, key.attributes["Path"] != nil
        else { return }
        let others = key.attributes.filter { !fields.contains($0.key) }
        let isStoredByAProgram =
            !key.service.isEmpty || key.account != nil
            || others.contains { !CredentialKey.writerMarks.contains($0.key) }
        if isStoredByAProgram { key.attributes = others }
    }
}
