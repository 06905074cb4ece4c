// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// Reads and writes the tables of KeePassXC, Chromium and Firefox. They are told apart by their whole header: other
/// products have columns of the same names with other meanings.
enum PasswordCSV {
    /// What a column is.
    enum Column: Equatable {
        case folder, title, account, password, address, notes, oneTimeCode
        case created, modified
        case createdMilliseconds, modifiedMilliseconds
        /// An attribute of the item. A value without quotes is missing, one with quotes may be empty.
        case attribute(String)
        /// A value without a place in an item, unless it is the usual one.
        case leftOut(String, usual: String, written: String)
    }

    struct Table {
        let format: PasswordFile.Format
        let names: [String]
        let columns: [Column]
        let quotesAll: Bool
    }

    /// The tables; the first one of a format is written.
    static let tables: [Table] = [
        Table(
            format: .keePassXCCSV,
            names: [
                "Group", "Title", "Username", "Password", "URL", "Notes", "TOTP", "Icon", "Last Modified",
                "Created",
            ],
            columns: [
                .folder, .title, .account, .password, .address, .notes, .oneTimeCode,
                .leftOut("icon", usual: "0", written: "0"), .modified, .created,
            ],
            quotesAll: true
        ),
        Table(
            format: .chromiumCSV,
            names: ["name", "url", "username", "password", "note"],
            columns: [.title, .address, .account, .password, .notes],
            quotesAll: false
        ),
        Table(
            format: .chromiumCSV,
            names: ["name", "url", "username", "password"],
            columns: [.title, .address, .account, .password],
            quotesAll: false
        ),
        Table(
            format: .firefoxCSV,
            names: [
                "url", "username", "password", "httpRealm", "formActionOrigin", "guid", "timeCreated",
                "timeLastUsed",
                "timePasswordChanged",
            ],
            columns: [
                .address, .account, .password, .attribute("httpRealm"), .attribute("formActionOrigin"),
                .leftOut("identifier", usual: "", written: ""), .createdMilliseconds,
                .leftOut("time of the last use", usual: "", written: ""), .modifiedMilliseconds,
            ],
            quotesAll: true
        ),
    ]

    /// Returns the table whose header a document has, and the scanner after the header.
    static func table(of bytes: Span<UInt8>) -> (Table, CSVScanner)? {
        var scanner = CSVScanner()
        guard bytes.count > 0, let cells = try? scanner.next(in: bytes) else { return nil }
        let table = tables.first { table in
            table.names.count == cells.count
                && zip(cells, table.names).allSatisfy { $0.isText($1, in: bytes) }
        }
        return table.map { ($0, scanner) }
    }

    static func entries(_ table: Table, _ scanner: CSVScanner, in bytes: Span<UInt8>) throws(KeychainError)
        -> [PasswordEntry]
    {
        var scanner = scanner
        var entries: [PasswordEntry] = []
        var budget = ImportBudget()
        while let cells = try scanner.next(in: bytes) {
            // An empty line at the end.
            if cells.count == 1, cells[0].range.isEmpty, !cells[0].isQuoted { continue }
            guard cells.count == table.columns.count else {
                throw scanner.malformed("has \(cells.count) values; the header has \(table.columns.count)")
            }
            var entry = PasswordEntry()
            for (cell, column) in zip(cells, table.columns) { try entry.take(cell, as: column, in: bytes) }
            // The table of Firefox has no titles, and none has folders but that of KeePassXC.
            entry.hasFolder = table.columns.contains(.folder)
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
        for (index, name) in table.names.enumerated() {
            if index > 0 { emit(UInt8(ascii: ",")) }
            field(name.utf8, quoted: table.quotesAll)
        }
        emit(10)
        for entry in entries {
            for (index, column) in table.columns.enumerated() {
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
        case .oneTimeCode: oneTimeCode = isMissing ? nil : try cell.secret(in: bytes)
        case .address: address = isMissing ? nil : try cell.secret(in: bytes)
        case .title: title = cell.text(in: bytes)
        case .account: account = isMissing ? nil : cell.text(in: bytes)
        case .folder:
            let path = cell.text(in: bytes)
            folder = path.utf8.firstIndex(of: UInt8(ascii: "/")).map {
                String(path[path.utf8.index(after: $0)...])
            }
        case .created: created = date(cell, "created", in: bytes)
        case .modified: modified = date(cell, "modified", in: bytes)
        case .createdMilliseconds: created = time(cell, "created", in: bytes)
        case .modifiedMilliseconds: modified = time(cell, "modified", in: bytes)
        case .attribute(let name): if cell.isQuoted { attributes[name] = cell.text(in: bytes) }
        case .leftOut(let name, let usual, _):
            if cell.text(in: bytes) != usual { leaveOut(name, "left out") }
        }
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
