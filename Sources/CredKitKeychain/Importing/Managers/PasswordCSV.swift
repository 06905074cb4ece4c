// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// Reads and writes the tables of password managers and browsers. They are told apart by the names of their columns, in any
/// order; versions of a program lack some of them, or have more.
enum PasswordCSV {
    /// The columns of a document.
    struct Layout {
        let format: PasswordFile.ImportFormat
        let columns: [Column]
    }

    /// Returns the columns that the header of a document names, and the scanner after the header.
    static func layout(of bytes: Span<UInt8>) -> (Layout, CSVScanner)? {
        var scanner = CSVScanner()
        guard bytes.count > 0, let cells = try? scanner.next(in: bytes), cells.count > 1 else { return nil }
        let names = cells.map { EntryText.shortened($0.text(in: bytes)) }
        for table in tables {
            if let columns = columns(of: table, names) {
                return (Layout(format: table.format, columns: columns), scanner)
            }
        }
        return nil
    }

    /// Returns what the columns with these names are; `nil` if the table is another one.
    private static func columns(of table: Table, _ names: [String]) -> [Column]? {
        var found: [String: Column] = [:]
        for head in table.heads {
            guard let name = ([head.name] + head.otherNames).first(where: { names.contains($0) }) else {
                guard !head.isRequired else { return nil }
                continue
            }
            found[name] = head.column
        }
        // Of two columns with one name, neither is certain.
        guard found.keys.allSatisfy({ name in names.count { $0 == name } == 1 }) else { return nil }
        return names.map { name in
            found[name] ?? (codeNames.contains(name.lowercased()) ? .oneTimeCode : .unknown(name))
        }
    }

    static func entries(
        _ layout: Layout,
        _ scanner: CSVScanner,
        in bytes: Span<UInt8>
    ) throws(KeychainError) -> [PasswordEntry] {
        var scanner = scanner
        var entries: [PasswordEntry] = []
        var budget = ImportBudget()
        // The table of Firefox has no titles, and browsers have no folders.
        let hasFolder = layout.columns.contains { if case .folder = $0 { true } else { false } }
        while let cells = try scanner.next(in: bytes) {
            // An empty line at the end.
            if cells.count == 1, cells[0].range.isEmpty, !cells[0].isQuoted { continue }
            guard cells.count <= layout.columns.count else {
                throw scanner.malformed("has \(cells.count) values; the header has \(layout.columns.count)")
            }
            var entry = PasswordEntry()
            for (cell, column) in zip(cells, layout.columns) { try entry.take(cell, as: column, in: bytes) }
            if cells.count < layout.columns.count {
                let detail = "it has fewer values than the header; those that are missing are taken as empty"
                entry.leaveOut("row", detail, isKept: true)
            }
            entry.hasFolder = hasFolder
            if layout.format == .lastPassCSV { entry.dropAddressOfNotes() }
            if layout.format == .bitwardenCSV { try entry.splitAddress() }
            entry.useOneTimeCode()
            try budget.take(entry)
            entries.append(entry)
        }
        return entries
    }

    static func write(_ entries: [PasswordEntry], as table: Table, _ emit: (UInt8) -> Void) {
        func field(_ text: some Sequence<UInt8>, quoted: Bool) {
            if quoted { emit(UInt8(ascii: "\"")) }
            for byte in text {
                if byte == UInt8(ascii: "\"") { emit(byte) }
                emit(byte)
            }
            if quoted { emit(UInt8(ascii: "\"")) }
        }
        for (index, head) in table.heads.enumerated() {
            if index > 0 { emit(UInt8(ascii: ",")) }
            field(head.name.utf8, quoted: table.quotesAll)
        }
        emit(10)
        for entry in entries {
            for (index, column) in table.heads.map(\.column).enumerated() {
                if index > 0 { emit(UInt8(ascii: ",")) }
                if let secret = entry.secret(of: column) {
                    emit(UInt8(ascii: "\""))
                    secret.forEachByte { byte in
                        if byte == UInt8(ascii: "\"") { emit(byte) }
                        emit(byte)
                    }
                    emit(UInt8(ascii: "\""))
                } else if let text = entry.text(of: column) {
                    field(text.utf8, quoted: true)
                }
            }
            emit(10)
        }
    }
}

extension PasswordEntry {
    /// The folder that contains all others in KeePassXC's table.
    private static let root = "Passwords"

    fileprivate mutating func take(
        _ cell: CSVScanner.Cell,
        as column: PasswordCSV.Column,
        in bytes: Span<UInt8>
    ) throws(KeychainError) {
        let isMissing = cell.range.isEmpty
        switch column {
        case .password: password = try cell.secret(in: bytes)
        case .notes: notes = isMissing ? nil : try cell.secret(in: bytes)
        case .oneTimeCode:
            guard !isMissing else { break }
            let code = try cell.secret(in: bytes)
            guard oneTimeCode != nil else {
                oneTimeCode = code
                break
            }
            add(Self.oneTimeCodeName, code)
            let detail = "kept as the field '\(Self.oneTimeCodeName)': an entry has one key of one-time codes"
            leaveOut("further one-time code", detail, isKept: true)
        case .address: address = isMissing ? nil : try cell.secret(in: bytes)
        case .title: title = cell.text(in: bytes)
        case .account: account = isMissing ? nil : cell.text(in: bytes)
        case .folder(let form): folder = path(cell.text(in: bytes), form)
        case .created: created = date(cell, "created", in: bytes)
        case .modified: modified = date(cell, "modified", in: bytes)
        case .createdMilliseconds: created = time(cell, "created", in: bytes)
        case .modifiedMilliseconds: modified = time(cell, "modified", in: bytes)
        case .attribute(let name): if cell.isQuoted { attributes[name] = cell.text(in: bytes) }
        case .field(let name): if !isMissing { add(name, try cell.secret(in: bytes)) }
        case .leftOut(let name, let usual, _):
            if !isMissing, cell.text(in: bytes) != usual { leaveOut(name, "left out") }
        case .ignored: break
        case .unknown(let name):
            if !isMissing { leaveOut("column '\(name)'", "left out: the program is not known to have it") }
        }
    }

    private func path(_ text: String, _ form: PasswordCSV.FolderForm) -> String? {
        switch form {
        case .plain: return text.isEmpty ? nil : text
        case .backslashes:
            let path = text.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
            return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
        case .belowRoot:
            return text.utf8.firstIndex(of: UInt8(ascii: "/")).map {
                String(text[text.utf8.index(after: $0)...])
            }
        }
    }

    /// Removes the address that LastPass gives to notes.
    fileprivate mutating func dropAddressOfNotes() {
        let word = Array("http://sn".utf8)
        let isOfNotes = address?.withSecretBytes { bytes in
            bytes.count == word.count && word.indices.allSatisfy { bytes[$0] == word[$0] }
        }
        if isOfNotes == true { address = nil }
    }

    /// Divides the addresses that Bitwarden writes into one value. Further ones become a field.
    fileprivate mutating func splitAddress() throws(KeychainError) {
        guard let all = address else { return }
        let comma = all.withSecretBytes { bytes in bytes.indices.first { bytes[$0] == UInt8(ascii: ",") } }
        // A single address can have a comma as well.
        guard let comma,
            all.withSecretBytes({ OneTimeCodeParts.contains("://", $0.extracting(comma..<$0.count)) })
        else { return }
        address = try all.withSecretBytes { (bytes) throws(KeychainError) in
            try convertingMemory(SecretBytes(bytes.extracting(0..<comma)))
        }
        add(
            "further uris",
            try all.withSecretBytes { (bytes) throws(KeychainError) in
                try convertingMemory(SecretBytes(bytes.extracting(comma + 1..<bytes.count)))
            }
        )
    }

    private mutating func date(_ cell: CSVScanner.Cell, _ name: String, in bytes: Span<UInt8>) -> Date? {
        let date = Timestamp.date(cell.text(in: bytes))
        if date == nil, !cell.range.isEmpty { leaveOut(name, "left out: no time in the usual form") }
        return date
    }

    /// Returns the time of a number of milliseconds since 1970.
    private mutating func time(_ cell: CSVScanner.Cell, _ name: String, in bytes: Span<UInt8>) -> Date? {
        let date = Int(cell.text(in: bytes)).flatMap { Timestamp.date(milliseconds: $0) }
        if date == nil, !cell.range.isEmpty { leaveOut(name, "left out: no time in the usual form") }
        return date
    }

    fileprivate func secret(of column: PasswordCSV.Column) -> SecretBytes? {
        switch column {
        case .password: password
        case .notes: notes
        case .oneTimeCode: oneTimeCode
        case .address: address
        default: nil
        }
    }

    fileprivate func text(of column: PasswordCSV.Column) -> String? {
        switch column {
        case .password, .notes, .oneTimeCode, .address: ""
        case .title: title
        case .account: account ?? ""
        case .folder: Self.root + (folder.map { "/" + $0 } ?? "")
        case .field, .ignored, .unknown: ""
        case .created: created.flatMap { Timestamp.secondsText($0) } ?? ""
        case .modified: modified.flatMap { Timestamp.secondsText($0) } ?? ""
        case .createdMilliseconds: Self.milliseconds(created)
        case .modifiedMilliseconds: Self.milliseconds(modified)
        case .attribute(let name): attributes[name]
        case .leftOut(_, _, let written): written
        }
    }

    private static func milliseconds(_ date: Date?) -> String {
        guard let date, let number = Int(exactly: (date.timeIntervalSince1970 * 1000).rounded()), number >= 0
        else {
            return ""
        }
        return "\(number)"
    }
}
