// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// What an item is of its entry. All but the password have a service of their own, so that a program that asks for the
/// password never gets another secret, as `credkit otp` does it too.
enum EntryPart: Hashable, Sendable {
    case password
    case oneTimeCode
    case notes
    case field(String, number: Int)

    static let fieldName = "field"
    static let numberName = "number"
    static let prefixes = [oneTimeCode, notes, field("", number: 1)].map(\.servicePrefix)

    var servicePrefix: String {
        switch self {
        case .password: ""
        case .oneTimeCode: "otp:"
        case .notes: "note:"
        case .field: "field:"
        }
    }

    /// The name in messages.
    var description: String {
        switch self {
        case .password: "password"
        case .oneTimeCode: "one-time code"
        case .notes: "notes"
        case .field(let name, _): "field '\(name)'"
        }
    }

    /// Returns the key of the part of an entry.
    func key(in entry: CredentialKey) -> CredentialKey {
        var key = entry
        key.service = servicePrefix + key.service
        if case .oneTimeCode = self {
            key.attributes[CredentialKey.purposeName] = CredentialKey.Purpose.oneTimeCode.rawValue
        }
        if case .field(let name, let number) = self {
            key.attributes[Self.fieldName] = name
            if number > 1 { key.attributes[Self.numberName] = "\(number)" }
        }
        return key
    }

    /// Returns which part an item is, and the key of its entry.
    static func of(_ credential: Credential) -> (EntryPart, CredentialKey) {
        var key = credential.item.key
        for part in [EntryPart.oneTimeCode, .notes, .field("", number: 1)] {
            let prefix = part.servicePrefix
            guard key.service.utf8.starts(with: prefix.utf8), key.service.utf8.count > prefix.utf8.count
            else {
                continue
            }
            key.service = String(decoding: key.service.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            if part == .oneTimeCode {
                let purpose = key.attributes.removeValue(forKey: CredentialKey.purposeName)
                guard purpose == CredentialKey.Purpose.oneTimeCode.rawValue else {
                    return (.password, credential.item.key)
                }
            }
            guard case .field = part else {
                let isCode = part == .notes || (try? OneTimeCodeKey(uri: credential.secret)) != nil
                return isCode ? (part, key) : (.password, credential.item.key)
            }
            let number = key.attributes.removeValue(forKey: numberName)
            let value = number.map { Int($0) ?? 0 } ?? 1
            guard let name = key.attributes.removeValue(forKey: fieldName),
                number == nil || (value > 1 && number == "\(value)")
            else { break }
            return (.field(name, number: value), key)
        }
        return (.password, credential.item.key)
    }
}

extension PasswordEntry {
    /// The name of the attribute, and of the field with the whole address.
    static let addressName = "url"
    static let folderName = "folder"

    /// Returns the items that the entry becomes, with the parts of it that they are; at least one.
    ///
    /// - Parameter number: A number that distinguishes the entry from others with the same names, from 2.
    /// - Returns: The items and their parts.
    /// - Throws: ``KeychainError/outOfMemory``.
    func items(number: Int = 1) throws(KeychainError) -> [(part: EntryPart, credential: Credential)] {
        let address = address.map { WebAddress($0) }
        var item = visibleItem()
        if let marked = markedItem(item) { item = marked }
        if number > 1 { item.key.attributes["entry"] = "\(number)" }
        var parts: [(EntryPart, SecretBytes)] = []
        if let oneTimeCode { parts.append((.oneTimeCode, oneTimeCode)) }
        if let notes { parts.append((.notes, notes)) }
        var counts: [String: Int] = [:]
        var fields = fields
        if let whole = self.address, let address, !address.isWhole, !whole.isEmpty {
            fields.append(Field(name: Self.addressName, value: whole))
        }
        for field in fields {
            let count = counts[field.name, default: 0] + 1
            counts[field.name] = count
            parts.append((.field(field.name, number: count), field.value))
        }
        var all: [(EntryPart, Credential)] = []
        if let password, !password.isEmpty || parts.isEmpty {
            all.append((.password, Credential(item: item, secret: password)))
        } else if parts.isEmpty {
            all.append(
                (.password, Credential(item: item, secret: try convertingMemory(SecretBytes([UInt8]()))))
            )
        }
        for (part, secret) in parts {
            let (label, key) = (part.label(in: item.label), part.key(in: item.key))
            var other = CredentialItem(key: key, label: label, contentType: "text/plain")
            (other.created, other.modified) = (item.created, item.modified)
            all.append((part, Credential(item: other, secret: secret)))
        }
        return all
    }

    /// Returns the item that the entry is without its marker.
    func visibleItem() -> CredentialItem {
        let address = address.map { WebAddress($0) }
        var attributes = attributes
        if let url = address?.publicPart { attributes[Self.addressName] = url }
        if let folder { attributes[Self.folderName] = folder }
        var service = service ?? address?.host ?? (title.isEmpty ? "imported" : title)
        // A password whose service has the prefix of another part would be taken for that.
        let isPart = EntryPart.prefixes.contains { service.utf8.starts(with: $0.utf8) }
        if isPart { service = "entry:" + service }
        let key = CredentialKey(service: service, account: account, attributes: attributes)
        let contentType = password?.isUTF8 ?? true ? "text/plain" : "application/octet-stream"
        var item = CredentialItem(key: key, label: title.isEmpty ? nil : title, contentType: contentType)
        (item.created, item.modified) = (created, modified)
        return item
    }

    /// Returns the item of the marker, unless another program has changed the entry since. Its title and times may have
    /// changed: they identify nothing.
    func markedItem(_ visible: CredentialItem) -> CredentialItem? {
        // A stranger's file must not give its passwords to a component, such as git's helper or the slots of a vault.
        // Keys of one-time codes are what such files have, too.
        guard let marker, var item = EntryMarker.item(marker), agrees(with: item.key),
            item.key.isFor(nil) || item.key.isFor(.oneTimeCode)
        else {
            return nil
        }
        // By the mark of its writer, an item of the Secret Service is git's, docker's or that of another program.
        item.key = item.key.withoutWriterMarks
        if !title.isEmpty, !EntryText.visible(item.label).utf8.elementsEqual(title.utf8) {
            item.label = title
        }
        item.created = Self.time(item.created, seenAs: visible.created)
        item.modified = Self.time(item.modified, seenAs: visible.modified)
        return item
    }

    private func agrees(with key: CredentialKey) -> Bool {
        let address = address.flatMap { WebAddress($0).publicPart } ?? ""
        let folder = hasFolder ? key.attributes[Self.folderName].map { EntryText.visible($0) } ?? "" : ""
        return EntryText.visible(key.account ?? "").utf8.elementsEqual((account ?? "").utf8)
            && Self.address(of: key).utf8.elementsEqual(address.utf8)
            && folder.utf8.elementsEqual((self.folder ?? "").utf8)
    }

    /// Returns the address that other programs are shown for a key; empty if there is none.
    static func address(of key: CredentialKey) -> String {
        let text = EntryText.visible(key.attributes[addressName] ?? "")
        guard let secret = try? SecretBytes(text), WebAddress(secret).isWhole else { return "" }
        return text
    }

    /// Returns the exact time if the entry has the same one, to the second.
    private static func time(_ exact: Date?, seenAs visible: Date?) -> Date? {
        guard let exact, let visible else { return exact ?? visible }
        return abs(exact.timeIntervalSince(visible)) < 1 ? exact : visible
    }
}

extension EntryPart {
    /// Returns the label of the part of an entry, which begins with that of the entry.
    func label(in entry: String) -> String {
        let start: String
        switch self {
        case .password: return entry
        case .oneTimeCode: start = "One-time codes of "
        case .notes: start = "Notes of "
        case .field(let name, _): start = "\(name) of "
        }
        return EntryText.clipped(start + entry)
    }
}
