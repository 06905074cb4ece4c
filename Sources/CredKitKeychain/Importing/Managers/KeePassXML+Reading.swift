// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// Reads and writes the XML of KeePass 2 and KeePassXC (`keepassxc-cli export -f xml`): groups of entries, whose
/// fields are texts with a key.
enum KeePassXML {
    /// Reads the entries of a document.
    struct Reader {
        /// The seconds from the beginning of the year 1 to 1970, and to the end of 9999.
        private static let (epoch, lastSecond): (Int64, Int64) = (62_135_596_800, 315_537_897_599)

        private var scanner = XMLScanner()
        private var entries: [PasswordEntry] = []
        private var budget = ImportBudget()
        /// The identifier of the group with deleted entries, which `Meta` has before all groups.
        private var recycleBin = ""
        private var collector = ImportCollector()

        /// Reads entries. What the groups have beside them is left out.
        static func entries(
            of bytes: Span<UInt8>,
            _ collector: inout ImportCollector
        ) throws(KeychainError) -> [PasswordEntry] {
            var reader = Reader()
            reader.collector = collector
            defer { collector = reader.collector }
            guard let root = try reader.scanner.next(in: bytes), root.name == "KeePassFile", !root.isEmpty
            else {
                throw .damaged("the file has no element KeePassFile")
            }
            var hasRoot = false
            while let tag = try reader.scanner.next(in: bytes) {
                if tag.name == "Meta", !tag.isEmpty {
                    try reader.meta(in: bytes)
                    continue
                }
                guard tag.name == "Root", !tag.isEmpty else {
                    try reader.scanner.skip(tag, in: bytes)
                    continue
                }
                hasRoot = true
                while let tag = try reader.scanner.next(in: bytes) {
                    guard tag.name == "Group", !tag.isEmpty else {
                        try reader.scanner.skip(tag, in: bytes)
                        continue
                    }
                    try reader.group(nil, isRoot: true, in: bytes)
                }
            }
            guard hasRoot, try reader.scanner.next(in: bytes) == nil else {
                throw .damaged("the file has no groups, or something after them")
            }
            return reader.entries
        }

        private mutating func meta(in bytes: Span<UInt8>) throws(KeychainError) {
            while let tag = try scanner.next(in: bytes) {
                if tag.name == "RecycleBinUUID" {
                    recycleBin = try text(tag, in: bytes)
                } else {
                    try scanner.skip(tag, in: bytes)
                }
            }
        }

        /// Reads a group. Its identifier and its name stand before its entries.
        private mutating func group(_ parent: String?, isRoot: Bool, in bytes: Span<UInt8>)
            throws(KeychainError)
        {
            var folder = parent
            var isDeleted = false
            while let tag = try scanner.next(in: bytes) {
                switch tag.name {
                case "UUID":
                    let identifier = try text(tag, in: bytes)
                    isDeleted = !recycleBin.isEmpty && identifier == recycleBin
                case "Group" where isDeleted, "Entry" where isDeleted:
                    collector.leaveOut(folder ?? "", "", "left out: a deleted entry or folder")
                    try scanner.skip(tag, in: bytes)
                case "Notes", "Tags":
                    if try hasText(tag, in: bytes) {
                        collector.leaveOut(
                            folder ?? "",
                            tag.name,
                            "left out: an item has no place for those of a folder"
                        )
                    }
                case "CustomData":
                    if !tag.isEmpty { collector.leaveOut(folder ?? "", tag.name, "left out") }
                    try scanner.skip(tag, in: bytes)
                case "Name":
                    let name = try text(tag, in: bytes)
                    if !isRoot { folder = parent.map { $0 + "/" + name } ?? name }
                    guard folder?.utf8.count ?? 0 <= StoreLimits.nameByteCount else {
                        throw .overLimit("a folder's name is longer than \(StoreLimits.nameByteCount) bytes")
                    }
                case "Entry" where !tag.isEmpty:
                    var entry = PasswordEntry()
                    entry.folder = folder
                    try self.entry(&entry, in: bytes)
                    entry.useOneTimeCode()
                    try budget.take(entry)
                    entries.append(entry)
                case "Group" where !tag.isEmpty: try group(folder, isRoot: false, in: bytes)
                default: try scanner.skip(tag, in: bytes)
                }
            }
        }

        private mutating func entry(_ entry: inout PasswordEntry, in bytes: Span<UInt8>) throws(KeychainError)
        {
            while let tag = try scanner.next(in: bytes) {
                switch tag.name {
                case "String" where !tag.isEmpty: try field(&entry, in: bytes)
                case "Times" where !tag.isEmpty: try times(&entry, in: bytes)
                case "Binary" where !tag.isEmpty:
                    var name = ""
                    while let tag = try scanner.next(in: bytes) {
                        if tag.name == "Key" {
                            name = try text(tag, in: bytes)
                        } else {
                            try scanner.skip(tag, in: bytes)
                        }
                    }
                    entry.leaveOut(
                        "attachment '\(EntryText.shortened(name))'",
                        "left out",
                        kind: "attachment"
                    )
                case "History" where !tag.isEmpty:
                    var count = 0
                    while let tag = try scanner.next(in: bytes) {
                        count += 1
                        try scanner.skip(tag, in: bytes)
                    }
                    if count > 0 { entry.leaveOut("history", "left out: \(count) previous versions") }
                case "Tags", "OverrideURL", "ForegroundColor", "BackgroundColor":
                    if try hasText(tag, in: bytes) { entry.leaveOut(tag.name, "left out") }
                case "IconID":
                    if try text(tag, in: bytes) != "0" { entry.leaveOut("icon", "left out") }
                case "CustomIconUUID", "CustomData":
                    if !tag.isEmpty { entry.leaveOut(tag.name, "left out") }
                    try scanner.skip(tag, in: bytes)
                case "AutoType" where !tag.isEmpty:
                    while let tag = try scanner.next(in: bytes) {
                        let isUsual =
                            tag.isEmpty || tag.name == "Enabled" || tag.name == "DataTransferObfuscation"
                        if !isUsual { entry.leaveOut("auto-type", "left out") }
                        try scanner.skip(tag, in: bytes)
                    }
                default: try scanner.skip(tag, in: bytes)
                }
            }
        }

        private mutating func field(_ entry: inout PasswordEntry, in bytes: Span<UInt8>) throws(KeychainError)
        {
            var name: String?
            var value: Range<Int>?
            while let tag = try scanner.next(in: bytes) {
                switch tag.name {
                case "Key": name = try text(tag, in: bytes)
                case "Value":
                    guard !tag.isProtected else {
                        throw .unsupported("the file has encrypted values: export it without encryption")
                    }
                    value = try scanner.text(of: tag, in: bytes)
                default: try scanner.skip(tag, in: bytes)
                }
            }
            guard let name, let value else { throw .damaged("a field of an entry has no name or no value") }
            if isReference(value, in: bytes) {
                let detail = "kept as its text, which refers to another entry"
                entry.leaveOut(name, detail, kind: "reference", isKept: true)
            }
            // What occurs again, which no KeePass writes, becomes a field.
            switch name {
            case "Title" where entry.title.isEmpty: entry.title = string(value, in: bytes)
            case "UserName" where entry.account == nil:
                entry.account = value.isEmpty ? nil : string(value, in: bytes)
            case "Password" where entry.password == nil: entry.password = try secret(value, in: bytes)
            case "URL" where entry.address == nil:
                entry.address = value.isEmpty ? nil : try secret(value, in: bytes)
            case "Notes" where entry.notes == nil:
                entry.notes = value.isEmpty ? nil : try secret(value, in: bytes)
            case "otp" where entry.oneTimeCode == nil: entry.oneTimeCode = try secret(value, in: bytes)
            default:
                guard entry.hasPlace(for: name) || name == EntryMarker.name else {
                    return entry.leaveOutField()
                }
                let secret = try secret(value, in: bytes)
                if name == EntryMarker.name, entry.marker == nil, EntryMarker.item(secret) != nil {
                    entry.marker = secret
                } else {
                    entry.add(name, secret)
                }
            }
        }

        private mutating func times(_ entry: inout PasswordEntry, in bytes: Span<UInt8>) throws(KeychainError)
        {
            var (expires, expiry) = (false, "")
            while let tag = try scanner.next(in: bytes) {
                switch tag.name {
                case "CreationTime": entry.created = time(try text(tag, in: bytes), "created", &entry)
                case "LastModificationTime":
                    entry.modified = time(try text(tag, in: bytes), "modified", &entry)
                case "Expires": expires = try text(tag, in: bytes) == "True"
                case "ExpiryTime": expiry = try text(tag, in: bytes)
                default: try scanner.skip(tag, in: bytes)
                }
            }
            if expires {
                let date = Self.date(expiry).flatMap { Timestamp.secondsText($0) }
                entry.leaveOut("expiry", "left out" + (date.map { ": " + $0 } ?? ""))
            }
        }

        private func time(_ text: String, _ name: String, _ entry: inout PasswordEntry) -> Date? {
            let date = Self.date(text)
            if date == nil, !text.isEmpty {
                entry.leaveOut(name, "left out: no time in the usual form")
            }
            return date
        }

        /// Parses a time of KDBX 3, a text, or of KDBX 4: the seconds since the year 1, as eight bytes in Base64.
        private static func date(_ text: String) -> Date? {
            guard text.utf8.count == 12, let bytes = try? Base64.standard.decode(text), bytes.count == 8
            else {
                return Timestamp.date(text)
            }
            let seconds = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard seconds <= UInt64(lastSecond) else { return nil }
            return Date(timeIntervalSince1970: Double(Int64(seconds) - epoch))
        }

        /// Returns whether a value refers to a field of another entry.
        private func isReference(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
            let start = Array("{ref:".utf8)
            guard range.count > start.count else { return false }
            // It can stand within other text.
            return (range.lowerBound..<range.upperBound - start.count).contains { position in
                start.indices.allSatisfy { bytes[position + $0] | 0x20 == start[$0] | 0x20 }
            }
        }

        private mutating func text(_ tag: XMLScanner.Tag, in bytes: Span<UInt8>) throws(KeychainError)
            -> String
        {
            string(try scanner.text(of: tag, in: bytes), in: bytes)
        }

        /// Consumes an element, and returns whether it has text.
        private mutating func hasText(_ tag: XMLScanner.Tag, in bytes: Span<UInt8>) throws(KeychainError)
            -> Bool
        {
            var isEmpty = true
            XMLScanner.forEachByte(of: try scanner.text(of: tag, in: bytes), in: bytes) { _ in isEmpty = false
            }
            return !isEmpty
        }

        /// Returns a text, or the beginning of one that is longer than an item's may be.
        private func string(_ range: Range<Int>, in bytes: Span<UInt8>) -> String {
            var text: [UInt8] = []
            XMLScanner.forEachByte(of: range, in: bytes) { byte in
                if text.count <= StoreLimits.nameByteCount { text.append(byte) }
            }
            return String(decoding: text, as: UTF8.self)
        }

        private func secret(_ range: Range<Int>, in bytes: Span<UInt8>) throws(KeychainError) -> SecretBytes {
            // A reference is never shorter than its character.
            try convertingMemory(
                SecretBytes(capacity: range.count) { output in
                    XMLScanner.forEachByte(of: range, in: bytes) { output.append($0) }
                }
            )
        }
    }
}
