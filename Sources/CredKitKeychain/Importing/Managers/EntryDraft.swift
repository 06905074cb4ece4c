// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// Items that become one entry of another program: a password with its one-time codes, notes and fields.
struct EntryDraft {
    private static let reservedNames: Set = [
        "Title", "UserName", "Password", "URL", "Notes", "otp", EntryMarker.name,
    ]

    let key: CredentialKey
    private(set) var items: [(part: EntryPart, credential: Credential)] = []
    private var fieldCount = 0

    init(key: CredentialKey) { self.key = key }

    /// Adds an item that is an entry of its own.
    mutating func append(_ credential: Credential) { items.append((.password, credential)) }

    /// Groups items by the entry that they belong to, in the order of the first one.
    static func grouping(_ credentials: [Credential]) -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        var indices: [CredentialKey: Int] = [:]
        for credential in credentials {
            var (part, key) = EntryPart.of(credential)
            let isField = if case .field = part { true } else { false }
            // The address and the marker need places, too.
            if isField, let index = indices[key], drafts[index].fieldCount >= TransferLimits.fieldCount - 2 {
                (part, key) = (.password, credential.item.key)
            }
            let index = indices[key] ?? drafts.count
            if index == drafts.count {
                drafts.append(EntryDraft(key: key))
                indices[key] = index
            }
            drafts[index].items.append((part, credential))
            if part != .password && isField { drafts[index].fieldCount += 1 }
        }
        return drafts
    }

    /// The item of the password, otherwise one that has its key and is not stored.
    private var item: CredentialItem {
        if let main = items.first(where: { $0.part == .password }) { return main.credential.item }
        var item = CredentialItem(key: key, label: key.service)
        (item.created, item.modified) = (items[0].credential.item.created, items[0].credential.item.modified)
        return item
    }

    /// Returns the entry. It has a marker if the item could not be told from what other programs show.
    ///
    /// - Parameters:
    ///   - hasFields: Whether the format has fields.
    ///   - accepts: Whether the format has a place for a secret.
    /// - Returns: The entry.
    /// - Throws: ``KeychainError/outOfMemory``.
    func entry(
        hasFields: Bool,
        accepting accepts: (SecretBytes) -> Bool
    ) throws(KeychainError) -> PasswordEntry {
        let item = item
        var entry = PasswordEntry()
        entry.title = EntryText.visible(item.label)
        entry.account = item.account.map { EntryText.visible($0) }
        entry.folder = item.key.attributes[PasswordEntry.folderName].map { EntryText.visible($0) }
        (entry.created, entry.modified) = (item.created, item.modified)
        let address = PasswordEntry.address(of: item.key)
        if !address.isEmpty { entry.address = try convertingMemory(SecretBytes(address)) }
        for (part, credential) in items where accepts(credential.secret) {
            let secret = credential.secret
            switch part {
            case .password: entry.password = secret
            case .oneTimeCode: entry.oneTimeCode = secret
            case .notes: entry.notes = secret
            case .field(PasswordEntry.addressName, 1)
            where !address.isEmpty && WebAddress(secret).publicPart == address:
                entry.address = secret
            case .field(let name, _):
                // A field with the name of a property would replace it.
                let isReserved = Self.reservedNames.contains(name)
                if hasFields { entry.add(EntryText.visible(isReserved ? name + "_" : name), secret) }
            }
        }
        guard hasFields else {
            for name in ["httpRealm", "formActionOrigin"] {
                entry.attributes[name] = item.key.attributes[name]
            }
            return entry
        }
        let copy = entry.visibleItem()
        // An empty name reads back as none.
        let hasEmptyName = item.account?.isEmpty == true || entry.folder?.isEmpty == true
        let isSame =
            !hasEmptyName && copy.key == item.key && copy.contentType == item.contentType
            && copy.label.utf8.elementsEqual(item.label.utf8)
        if !isSame { entry.marker = try convertingMemory(SecretBytes(EntryMarker.text(item))) }
        return entry
    }

    /// Returns how many items of a copy have their secret.
    func keptCount(in copy: [(part: EntryPart, credential: Credential)]) -> Int {
        items.count { part, credential in
            copy.contains { $0.part == part && $0.credential.secret == credential.secret }
        }
    }

    /// Returns what a copy of the items has not kept.
    func losses(comparedWith copy: [(part: EntryPart, credential: Credential)], _ name: String)
        -> [TransferLoss]
    {
        var losses: [TransferLoss] = []
        for (part, credential) in items {
            guard let other = copy.first(where: { $0.part == part })?.credential,
                other.secret == credential.secret
            else {
                losses.append(TransferLoss(entry: name, field: part.description, detail: "left out"))
                continue
            }
            let start = part == .password ? "" : "\(part.description): "
            for (field, detail, isKept) in credential.item.losses(in: other.item) {
                losses.append(TransferLoss(entry: name, field: start + field, detail: detail, isKept: isKept))
            }
        }
        return losses
    }
}

extension CredentialItem {
    /// Returns the properties that differ in a copy, what they have become, and whether that keeps them.
    fileprivate func losses(in copy: CredentialItem) -> [(field: String, detail: String, isKept: Bool)] {
        var losses: [(String, String, Bool)] = []
        func compare(_ field: String, _ value: String?, _ other: String?) {
            guard value.map({ Array($0.utf8) }) != other.map({ Array($0.utf8) }) else { return }
            let detail = other == nil || other == "" ? "left out" : "read back as another text"
            losses.append((field, detail, false))
        }
        compare("service", service, copy.service)
        compare("account", account, copy.account)
        compare("label", label, copy.label)
        compare("content type", contentType, copy.contentType)
        for name in Set(key.attributes.keys).union(copy.key.attributes.keys).sorted() {
            compare("attribute '\(name)'", key.attributes[name], copy.key.attributes[name])
        }
        for (field, time, other) in [
            ("created", created, copy.created), ("modified", modified, copy.modified),
        ] {
            guard let time else { continue }
            guard let milliseconds = Timestamp.text(time), let other else {
                losses.append((field, "left out", false))
                continue
            }
            if Timestamp.text(other) != milliseconds { losses.append((field, "kept to the second", true)) }
        }
        return losses
    }
}

/// The properties of an item that another program has no place for, as a text in a field of the entry: an item of
/// ``CredentialsJSON`` without its secret. It is ASCII but for printable characters.
enum EntryMarker {
    /// The name of the field.
    static let name = "credkit"

    static func text(_ item: CredentialItem) -> [UInt8] {
        CredentialsJSON.Encoder.start(of: item, isText: true) + Array("\"}".utf8)
    }

    /// Returns the item, or `nil` if the text is no marker.
    static func item(_ text: SecretBytes) -> CredentialItem? {
        let start = Array(
            "{\"format\":\"\(CredentialsJSON.format)\",\"version\":\(CredentialsJSON.version),\"items\":["
                .utf8
        )
        let document = try? SecretBytes(capacity: start.count + text.count + 2) { output in
            output.append(contentsOf: start.span)
            text.withSecretBytes { output.append(contentsOf: $0) }
            output.append(UInt8(ascii: "]"))
            output.append(UInt8(ascii: "}"))
        }
        guard let document, let items = try? CredentialsJSON.decode(document), items.count == 1,
            items[0].secret.isEmpty
        else { return nil }
        return items[0].item
    }
}
