// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

extension TableColumnOptions {
    /// The positions of fields in the records of one table.
    struct Layout {
        let hashField: Int
        let saltField: Int?
        /// Whether the first record has the names of the columns.
        let hasHeader: Bool
        /// The declared text for NULL.
        let nullText: [UInt8]?
    }

    /// Returns the layout of a table, whose first record is read.
    func layout(_ table: OpenTable, _ input: FileArgument) throws -> Layout {
        var reader = TableReader(
            descriptor: table.descriptor,
            format: format(of: input),
            name: input.quoted
        )
        let first = try reader.next()
        try table.rewind()
        return try layout(first: first, name: input.quoted)
    }

    /// Returns the layout of a table with this first record. A header that is not declared is reported.
    func layout(first: TableRecord?, name table: String) throws -> Layout {
        let hashField = try index(of: hashColumn ?? "2", in: first, table)
        let hasHeader: Bool
        switch header ?? .auto {
        case .yes: hasHeader = true
        case .no: hasHeader = false
        case .auto where usesNames: hasHeader = true
        case .auto:
            let mayBeHeader = first.map { hasNames($0, hashField) } ?? false
            // The password of an account, unhashed by mistake, can read as a name, too.
            hasHeader = mayBeHeader && first?.field(hashField).map(ColumnName.isOfHashes) ?? false
            if mayBeHeader {
                StandardStreams.report(
                    "\(table): record 1 is taken as "
                        + (hasHeader
                            ? "a header; if it is an account, use --header no"
                            : "an account; if it is a header, use --header yes")
                )
            }
        }
        return Layout(
            hashField: hashField,
            saltField: try saltColumn.map { try index(of: $0, in: first, table) },
            hasHeader: hasHeader,
            nullText: nullText
        )
    }

    /// Returns whether a first record can be a header: names in all fields, and no hash, mark or NULL in that of the
    /// hashes. A damaged hash must not pass for a name, so that one is strict.
    private func hasNames(_ record: TableRecord, _ hashField: Int) -> Bool {
        guard record.format.hasNames, !record.isQuoted, let name = record.field(hashField),
            ColumnName.isIdentifier(name), name != nullText, name != Array("NULL".utf8),
            StoredPasswordField(name.span).absence == nil
        else { return false }
        return (0..<record.fieldCount).allSatisfy { index in
            // The column of row numbers, which some programs add, has no name.
            record.field(index).map { $0.isEmpty || ColumnName.hasNameForm($0) } ?? false
        }
    }

    private func index(of column: String, in first: TableRecord?, _ table: String) throws -> Int {
        if let number = Int(column) { return number - 1 }
        let name = RawArguments.encode(column)
        let names = (0..<(first?.fieldCount ?? 0)).compactMap { first?.field($0) }
        let matching = names.indices.filter { names[$0] == name }
        if matching.count == 1 { return matching[0] }
        throw CommandFailure(
            .malformed,
            "\(table): its first record has \(matching.isEmpty ? "no column" : "several columns") "
                + "named \(ShellQuoting.quote(name))\(first.map(hint) ?? "")"
        )
    }

    /// Says which columns a table has, or would have with another delimiter.
    private func hint(_ first: TableRecord) -> String {
        if first.fieldCount == 1 {
            let delimiters: KeyValuePairs<UInt8, String> = [
                UInt8(ascii: ";"): "';'", UInt8(ascii: "\t"): "tab", UInt8(ascii: "|"): "'|'",
                UInt8(ascii: ","): "','",
            ]
            for (byte, text) in delimiters where first.bytes.contains(byte) {
                let other = TableRecord(first.bytes, format: .separated(by: byte))
                guard other.fieldCount > 1, let names = ColumnName.all(of: other) else { continue }
                return "; with --format csv --delimiter \(text) it has the columns \(ColumnName.list(names))"
            }
        }
        guard let names = ColumnName.all(of: first) else {
            // The fields may be those of an account.
            let count = first.fieldCount == 1 ? "1 column" : "\(first.fieldCount) columns"
            return "; it has \(count); if it is no header, give the numbers of the columns"
        }
        return "; it has \(names.count == 1 ? "the column" : "the columns") \(ColumnName.list(names))"
    }
}
