// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// Reads and writes the XML of KeePass 2 and KeePassXC (`keepassxc-cli export -f xml`): groups of entries, whose
/// fields are texts with a key.
enum KeePassXML {
    /// Reads the entries of a document.
    struct Reader {
        private var scanner = XMLScanner()
        private var entries: [PasswordEntry] = []

        static func entries(of bytes: Span<UInt8>) throws(KeychainError) -> [PasswordEntry] {
            var reader = Reader()
            guard let root = try reader.scanner.next(in: bytes), root.name == "KeePassFile", !root.isEmpty
            else {
                throw .damaged("the file has no element KeePassFile")
            }
            var hasRoot = false
            while let tag = try reader.scanner.next(in: bytes) {
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

        /// Reads a group. Its name stands before its entries.
        private mutating func group(_ parent: String?, isRoot: Bool, in bytes: Span<UInt8>)
            throws(KeychainError)
        {
            var folder: String?
            while let tag = try scanner.next(in: bytes) {
                switch tag.name {
                case "Name":
                    let name = try text(tag, in: bytes)
                    if !isRoot { folder = parent.map { $0 + "/" + name } ?? name }
                    guard folder?.utf8.count ?? 0 <= StoreLimits.nameByteCount else {
                        throw .overLimit("a folder's name is longer than \(StoreLimits.nameByteCount) bytes")
                    }
                case "Entry" where !tag.isEmpty:
                    guard entries.count < TransferLimits.entryCount else {
                        throw .overLimit("the file has more than \(TransferLimits.entryCount) entries")
                    }
                    var entry = PasswordEntry()
                    entry.folder = folder
                    try self.entry(&entry, in: bytes)
                    try entry.useOneTimeCode()
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
                    entry.leftOut.append(("attachment '\(name)'", "left out"))
                case "History" where !tag.isEmpty:
                    var count = 0
                    while let tag = try scanner.next(in: bytes) {
                        count += 1
                        try scanner.skip(tag, in: bytes)
                    }
                    if count > 0 { entry.leftOut.append(("history", "left out: \(count) previous versions")) }
                case "Tags", "OverrideURL", "ForegroundColor", "BackgroundColor":
                    if try !text(tag, in: bytes).isEmpty { entry.leftOut.append((tag.name, "left out")) }
                case "IconID":
                    if try text(tag, in: bytes) != "0" { entry.leftOut.append(("icon", "left out")) }
                case "CustomIconUUID", "CustomData":
                    if !tag.isEmpty { entry.leftOut.append((tag.name, "left out")) }
                    try scanner.skip(tag, in: bytes)
                case "AutoType" where !tag.isEmpty:
                    while let tag = try scanner.next(in: bytes) {
                        let isUsual =
                            tag.isEmpty || tag.name == "Enabled" || tag.name == "DataTransferObfuscation"
                        if !isUsual { entry.leftOut.append(("auto-type", "left out")) }
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
            switch name {
            case "Title": entry.title = string(value, in: bytes)
            case "UserName": entry.account = value.isEmpty ? nil : string(value, in: bytes)
            case "Password": entry.password = try secret(value, in: bytes)
            case "URL": entry.address = value.isEmpty ? nil : try secret(value, in: bytes)
            case "Notes": entry.notes = value.isEmpty ? nil : try secret(value, in: bytes)
            case "otp" where entry.oneTimeCode == nil: entry.oneTimeCode = try secret(value, in: bytes)
            default:
                let secret = try secret(value, in: bytes)
                if name == EntryMarker.name, entry.marker == nil, EntryMarker.item(secret) != nil {
                    entry.marker = secret
                } else {
                    try entry.add(name, secret)
                }
            }
        }

        private mutating func times(_ entry: inout PasswordEntry, in bytes: Span<UInt8>) throws(KeychainError)
        {
            var (expires, expiry) = (false, "")
            while let tag = try scanner.next(in: bytes) {
                switch tag.name {
                case "CreationTime": entry.created = Self.date(try text(tag, in: bytes))
                case "LastModificationTime": entry.modified = Self.date(try text(tag, in: bytes))
                case "Expires": expires = try text(tag, in: bytes) == "True"
                case "ExpiryTime": expiry = try text(tag, in: bytes)
                default: try scanner.skip(tag, in: bytes)
                }
            }
            if expires {
                entry.leftOut.append(("expiry", "left out: \(expiry.utf8.count <= 32 ? expiry : "")"))
            }
        }

        private static func date(_ text: String) -> Date? { Timestamp.date(text) }

        private mutating func text(_ tag: XMLScanner.Tag, in bytes: Span<UInt8>) throws(KeychainError)
            -> String
        {
            string(try scanner.text(of: tag, in: bytes), in: bytes)
        }

        private func string(_ range: Range<Int>, in bytes: Span<UInt8>) -> String {
            var text: [UInt8] = []
            XMLScanner.forEachByte(of: range, in: bytes) { text.append($0) }
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
