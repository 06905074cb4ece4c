// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// Reads the file `export.data` of 1Password's archive `.1pux`, which is described at
/// <https://support.1password.com/1pux-format/>: accounts with vaults of items.
enum OnePasswordJSON {
    /// Returns whether a document is such a file: its object has a member `accounts`, and no `format` before it.
    static func isDocument(_ bytes: Span<UInt8>) -> Bool {
        JSONScanner.firstMember(of: ["accounts", "encrypted", "folders", "format"], in: bytes) == "accounts"
    }

    /// Reads the entries of a document.
    struct Reader {
        private var entries: [PasswordEntry] = []
        private var budget = ImportBudget()
        private var collector: ImportCollector

        /// Reads entries. Deleted ones are left out.
        static func entries(
            of bytes: Span<UInt8>,
            _ collector: inout ImportCollector
        ) throws(KeychainError) -> [PasswordEntry] {
            var reader = Reader(collector: collector)
            defer { collector = reader.collector }
            var scanner = JSONScanner()
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                guard name == "accounts" else { return try scanner.skipValue(in: bytes) }
                try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                    try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                        guard name == "vaults", !scanner.takeNull(in: bytes) else {
                            if name != "vaults" { try scanner.skipValue(in: bytes) }
                            return
                        }
                        try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                            try reader.vault(&scanner, in: bytes)
                        }
                    }
                }
            }
            try scanner.finish(in: bytes)
            return reader.entries
        }

        private init(collector: ImportCollector) { self.collector = collector }

        /// Reads a vault, whose name becomes the folder of its items.
        private mutating func vault(_ scanner: inout JSONScanner, in bytes: Span<UInt8>) throws(KeychainError)
        {
            let start = entries.count
            var folder = ""
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                case "attrs":
                    try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                        if name == "name" {
                            folder = try scanner.text(in: bytes)
                        } else {
                            try scanner.skipValue(in: bytes)
                        }
                    }
                case "items":
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try item(&scanner, in: bytes)
                    }
                default: try scanner.skipValue(in: bytes)
                }
            }
            guard folder.utf8.count <= StoreLimits.nameByteCount else {
                throw .overLimit("a vault's name is longer than \(StoreLimits.nameByteCount) bytes")
            }
            guard !folder.isEmpty else { return }
            for index in start..<entries.count {
                try budget.take(folder: folder)
                entries[index].folder = folder
            }
        }

        private mutating func item(_ scanner: inout JSONScanner, in bytes: Span<UInt8>) throws(KeychainError)
        {
            var entry = PasswordEntry()
            var isDeleted = false
            try Self.members(&entry, &isDeleted, &scanner, in: bytes)
            guard !isDeleted else {
                return collector.leaveOut(entry.name, "", "left out: a deleted entry or folder")
            }
            entry.useOneTimeCode()
            try budget.take(entry)
            entries.append(entry)
        }

        private static func members(
            _ entry: inout PasswordEntry,
            _ isDeleted: inout Bool,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>,
            depth: Int = 0
        ) throws(KeychainError) {
            guard depth < 2 else { throw scanner.malformed }
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                // The first version of the format.
                case "item": try members(&entry, &isDeleted, &scanner, in: bytes, depth: depth + 1)
                case "uuid", "categoryUuid": try scanner.skipValue(in: bytes)
                case "createdAt": entry.created = try time(name, &entry, &scanner, in: bytes)
                case "updatedAt": entry.modified = try time(name, &entry, &scanner, in: bytes)
                case "trashed": if try scanner.isSet(in: bytes) { isDeleted = true }
                case "state":
                    let state = try scanner.text(in: bytes)
                    if state == "deleted" { isDeleted = true }
                    if state == "archived" { entry.leaveOut(name, "left out: archived") }
                case "overview": try overview(&entry, &scanner, in: bytes)
                case "details": try details(&entry, &scanner, in: bytes)
                case "file": try attachment(&entry, &scanner, in: bytes)
                default: if try scanner.isSet(in: bytes) { entry.leaveOut(name, "left out") }
                }
            }
        }

        private static func time(
            _ name: String,
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) -> Date? {
            _ = scanner.peek(in: bytes)
            let start = scanner.position
            try scanner.skipValue(in: bytes)
            let digits = (start..<min(scanner.position, start + 20)).map { bytes[$0] }
            let date = UInt64(String(decoding: digits, as: UTF8.self)).flatMap { Timestamp.date(seconds: $0) }
            if date == nil { entry.leaveOut(name, "left out: no time in the usual form") }
            return date
        }

        private static func overview(
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            var addresses: [SecretBytes] = []
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                case "title": entry.title = try scanner.text(in: bytes)
                case "url": try address(&addresses, &scanner, in: bytes)
                case "urls":
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                            if scanner.takeNull(in: bytes) { return }
                            guard name == "url" else { return try scanner.skipValue(in: bytes) }
                            try address(&addresses, &scanner, in: bytes)
                        }
                    }
                case "tags": if try scanner.isSet(in: bytes) { entry.leaveOut(name, "left out") }
                // What follows from the rest, or is only shown: the subtitle, the strength of the password.
                default: try scanner.skipValue(in: bytes)
                }
            }
            entry.address = addresses.first
            for (index, address) in addresses.enumerated().dropFirst() {
                entry.add("url \(index + 1)", address)
            }
        }

        private static func address(
            _ addresses: inout [SecretBytes],
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            // One more than an entry keeps, which is said.
            guard addresses.count <= TransferLimits.fieldCount + 1 else {
                return try scanner.skipValue(in: bytes)
            }
            let address = try scanner.secretText(in: bytes)
            if !address.isEmpty, !addresses.contains(address) { addresses.append(address) }
        }

        private static func details(
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                case "notesPlain": entry.notes = try scanner.filledText(in: bytes)
                case "password":
                    let password = try scanner.secretText(in: bytes)
                    if entry.password == nil { entry.password = password } else { entry.add(name, password) }
                case "loginFields":
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try field(of: nil, &entry, &scanner, in: bytes)
                    }
                case "sections":
                    try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                        try section(&entry, &scanner, in: bytes)
                    }
                case "documentAttributes": try attachment(&entry, &scanner, in: bytes)
                default: if try scanner.isSet(in: bytes) { entry.leaveOut(name, "left out") }
                }
            }
        }

        private static func section(
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            var title = ""
            // The title may stand behind the fields.
            var fields: JSONScanner?
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                guard name != "title" else {
                    title = try scanner.text(in: bytes)
                    return
                }
                if name == "fields" { fields = scanner }
                try scanner.skipValue(in: bytes)
            }
            try fields?.array(in: bytes) { (scanner) throws(KeychainError) in
                try field(of: title, &entry, &scanner, in: bytes)
            }
        }

        /// Reads a field of a section, or of the form of a login, which has no section.
        private static func field(
            of section: String?,
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            var (title, identifier, designation) = ("", "", "")
            var value: JSONScanner?
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                switch name {
                case "title", "name": title = try scanner.text(in: bytes)
                case "id": identifier = try scanner.text(in: bytes)
                case "designation": designation = try scanner.text(in: bytes)
                default:
                    if name == "value" { value = scanner }
                    try scanner.skipValue(in: bytes)
                }
            }
            guard var value else { return }
            let name = [section ?? "", title.isEmpty ? identifier : title].filter { !$0.isEmpty }
                .joined(separator: ".")
            guard section == nil else { return try kinds(name, &entry, &value, in: bytes) }
            guard value.peek(in: bytes) == UInt8(ascii: "\"") else {
                return try BitwardenJSON.Reader.flatten(name, &entry, &value, in: bytes)
            }
            let text = try value.secretText(in: bytes)
            switch designation {
            case "username" where entry.account == nil && text.isUTF8:
                if !text.isEmpty { entry.account = OneTimeCodeParts.string(text) }
            case "password" where entry.password == nil: entry.password = text
            default: if !text.isEmpty { entry.add(name, text) }
            }
        }

        /// Reads the value of a field, an object with a member for its kind: `{"totp": "otpauth://…"}`.
        private static func kinds(
            _ name: String,
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            try scanner.object(in: bytes) { (scanner, kind) throws(KeychainError) in
                if scanner.takeNull(in: bytes) { return }
                guard kind != "file" else { return try attachment(&entry, &scanner, in: bytes) }
                guard scanner.peek(in: bytes) == UInt8(ascii: "\"") else {
                    return try BitwardenJSON.Reader.flatten(name, &entry, &scanner, in: bytes)
                }
                guard let text = try scanner.filledText(in: bytes) else { return }
                if kind != "totp" {
                    entry.add(name, text)
                } else if entry.oneTimeCode == nil {
                    entry.oneTimeCode = text
                } else {
                    entry.addOneTimeCode(name, text)
                }
            }
        }

        private static func attachment(
            _ entry: inout PasswordEntry,
            _ scanner: inout JSONScanner,
            in bytes: Span<UInt8>
        ) throws(KeychainError) {
            try scanner.skipValue(in: bytes)
            entry.leaveOut("attachment", "left out")
        }
    }
}
