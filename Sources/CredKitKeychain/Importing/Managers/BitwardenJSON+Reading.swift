// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// Reads and writes the unencrypted JSON of Bitwarden (`bw export --format json`; the format is described at
/// <https://bitwarden.com/help/condition-bitwarden-import/>): folders, and items of several types.
enum BitwardenJSON {
    static let noteType = 2

    /// Returns whether a document is an export of Bitwarden: its object has a member `encrypted`, or `folders` or `collections`
    /// as before there was `encrypted`, and before it neither `format`, as an export of a keychain, nor `accounts`.
    static func isDocument(_ bytes: Span<UInt8>) -> Bool {
        let names = ["encrypted", "folders", "collections"]
        let first = JSONScanner.firstMember(of: names + ["format", "accounts"], in: bytes)
        return first.map { names.contains($0) } ?? false
    }

    /// Reads the entries of a document.
    struct Reader {
        private var entries: [PasswordEntry] = []
        private var budget = ImportBudget()
        private var folderIDs: [String?] = []
        private var folders: [String: String] = [:]

        static func entries(of bytes: Span<UInt8>) throws(KeychainError) -> [PasswordEntry] {
            var reader = Reader()
            var scanner = JSONScanner()
            var hasItems = false
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                switch name {
                case "encrypted":
                    let start = scanner.position
                    try scanner.skipValue(in: bytes)
                    guard (start..<scanner.position).contains(where: { bytes[$0] == UInt8(ascii: "f") })
                    else {
                        throw .unsupported("the export is encrypted: export it as unencrypted JSON")
                    }
                case "folders":
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try reader.folder(&scanner, in: bytes)
                    }
                case "items":
                    hasItems = true
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try reader.item(&scanner, in: bytes)
                    }
                default: try scanner.skipValue(in: bytes)
                }
            }
            try scanner.finish(in: bytes)
            guard hasItems else { throw .damaged("the file has no items") }
            for (index, identifier) in reader.folderIDs.enumerated() {
                guard let identifier else { continue }
                guard let folder = reader.folders[identifier] else {
                    throw .damaged("an item is in a folder that the file does not have")
                }
                try reader.budget.take(folder: folder)
                reader.entries[index].folder = folder
            }
            return reader.entries
        }

        private mutating func folder(_ scanner: inout JSONScanner, in bytes: Span<UInt8>)
            throws(KeychainError)
        {
            var (identifier, title): (String?, String?)
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                switch name {
                case "id": identifier = try scanner.text(in: bytes)
                case "name": title = try scanner.text(in: bytes)
                default: try scanner.skipValue(in: bytes)
                }
            }
            guard let identifier, let title else { throw .damaged("a folder has no id or no name") }
            guard title.utf8.count <= StoreLimits.nameByteCount else {
                throw .overLimit("a folder's name is longer than \(StoreLimits.nameByteCount) bytes")
            }
            guard folders.count < TransferLimits.entryCount else {
                throw .overLimit("the file has more than \(TransferLimits.entryCount) folders")
            }
            folders[identifier] = title
        }

        private mutating func item(_ scanner: inout JSONScanner, in bytes: Span<UInt8>) throws(KeychainError)
        {
            var entry = PasswordEntry()
            var folderID: String?
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                case "name": entry.title = try scanner.text(in: bytes)
                case "notes": entry.notes = try scanner.filledText(in: bytes)
                case "folderId": folderID = try scanner.text(in: bytes)
                case "creationDate", "revisionDate":
                    let text = try scanner.text(in: bytes)
                    let date = Timestamp.date(text)
                    if date == nil, !text.isEmpty {
                        entry.leaveOut(name, "left out: no time in the usual form")
                    }
                    if name == "creationDate" { entry.created = date } else { entry.modified = date }
                case "login": try Self.login(&entry, &scanner, in: bytes)
                case "fields":
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try Self.field(&entry, &scanner, in: bytes)
                    }
                case "card", "identity", "sshKey", "bankAccount", "driversLicense", "passport":
                    try Self.flatten(name, &entry, &scanner, in: bytes)
                case "id", "object", "type", "secureNote": try scanner.skipValue(in: bytes)
                default:
                    // A value that is not empty is reported as left out.
                    if try scanner.isSet(in: bytes) {
                        entry.leaveOut(name, "left out")
                    }
                }
            }
            entry.useOneTimeCode()
            try budget.take(entry)
            entries.append(entry)
            folderIDs.append(folderID)
        }

        private static func login(
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                case "username":
                    let account = try scanner.text(in: bytes)
                    entry.account = account.isEmpty ? nil : account
                case "password": entry.password = try scanner.secretText(in: bytes)
                case "totp": entry.oneTimeCode = try scanner.filledText(in: bytes)
                case "uris":
                    var count = 0
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                            if scanner.takeNull(in: bytes) { return }
                            guard name == "uri" else {
                                // The checksum follows from the address.
                                if try scanner.isSet(in: bytes), name != "uriChecksum" {
                                    entry.leaveOut("uri " + name, "left out")
                                }
                                return
                            }
                            count += 1
                            guard !entry.isFull || count == 1 else {
                                entry.leaveOutField()
                                return try scanner.skipValue(in: bytes)
                            }
                            let address = try scanner.secretText(in: bytes)
                            if count == 1 {
                                entry.address = address
                            } else {
                                entry.add("uri \(count)", address)
                            }
                        }
                    }
                case "passwordRevisionDate":
                    try scanner.skipValue(in: bytes)
                    entry.leaveOut(name, "left out")
                default: try flatten(name, &entry, &scanner, in: bytes)
                }
            }
        }

        private static func field(
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            var title = ""
            var text: SecretBytes?
            var isLinked = false
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                case "name": title = try scanner.text(in: bytes)
                case "value": text = try scanner.secretText(in: bytes)
                case "linkedId":
                    isLinked = true
                    try scanner.skipValue(in: bytes)
                default: try scanner.skipValue(in: bytes)
                }
            }
            if isLinked {
                return entry.leaveOut(
                    "field '\(EntryText.shortened(title))'",
                    "left out: it is linked to another one",
                    kind: "linked field"
                )
            }
            let value: SecretBytes =
                if let text { text } else { try convertingMemory(SecretBytes([UInt8]())) }
            if title == EntryMarker.name, entry.marker == nil, EntryMarker.item(value) != nil {
                entry.marker = value
            } else {
                entry.add(title, value)
            }
        }

        /// Adds a field for each value in a structure, with a name like `card.number`.
        static func flatten(
            _ path: String,
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>,
            depth: Int = 0
        ) throws(KeychainError) {
            guard depth < 8, path.utf8.count <= StoreLimits.nameByteCount else { throw scanner.malformed }
            guard !entry.isFull else {
                guard !scanner.takeNull(in: bytes) else { return }
                entry.leaveOutField()
                return try scanner.skipValue(in: bytes)
            }
            switch scanner.peek(in: bytes) {
            case UInt8(ascii: "{"):
                try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                    try flatten(path + "." + name, &entry, &scanner, in: bytes, depth: depth + 1)
                }
            case UInt8(ascii: "["):
                var count = 0
                try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                    count += 1
                    try flatten("\(path).\(count)", &entry, &scanner, in: bytes, depth: depth + 1)
                }
            case UInt8(ascii: "\""): entry.add(path, try scanner.secretText(in: bytes))
            default:
                if scanner.takeNull(in: bytes) { return }
                let start = scanner.position
                try scanner.skipValue(in: bytes)
                let value = start..<scanner.position
                entry.add(path, try convertingMemory(SecretBytes(bytes.extracting(value))))
            }
        }
    }
}
