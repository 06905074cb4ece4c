// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// The records of a table that span lines. In a table whose fields are not quoted, two names with a quote make one record of all
/// that stand between them, whose hashes would be passed over.
struct SpannedLines: Sendable {
    /// The number of records that span lines.
    private(set) var records = 0
    /// The number of lines in them that read as records with a hash.
    private(set) var hiddenRecords = 0
    private var first: (number: Int, lines: Int)?
    private var firstHidden: (number: Int, lines: Int)?

    /// Adds a record, if it has more than one line.
    ///
    /// - Parameters:
    ///   - record: The record. A carriage return ends a line as well: that of CRLF, or in tables of old systems alone.
    ///   - number: Its number.
    ///   - column: The column of the hashes.
    ///   - isRecord: Whether a line would be upgraded if it were a record.
    mutating func add(
        _ record: TableRecord,
        number: Int,
        _ column: HashColumn,
        isRecord: (TableRecord) -> Bool = { _ in false }
    ) {
        guard record.hasLineFeed || record.hasBareReturn else { return }
        let lines = record.bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let hidden = lines.count { Self.isHidden($0, in: record, column, isRecord: isRecord) }
        // Between tabs, a carriage return may belong to a text: `mysql -B` does not escape it.
        guard hidden > 0 || !record.format.hasEscapes else { return }
        records += 1
        hiddenRecords += hidden
        if number < first?.number ?? .max { first = (number, max(2, lines.count)) }
        if hidden > 0, number < firstHidden?.number ?? .max { firstHidden = (number, hidden) }
    }

    /// Returns whether a line of a record has a hash in the hash column that is not the record's own field, which is read anyway.
    ///
    /// The table may not have been written as its format has it, so the line is read in other ways, too: a quote behind a
    /// backslash does not end a field (MySQL's `SELECT … INTO OUTFILE`), or all quotes are ordinary characters.
    private static func isHidden(
        _ line: ArraySlice<UInt8>,
        in record: TableRecord,
        _ column: HashColumn,
        isRecord: (TableRecord) -> Bool
    ) -> Bool {
        let bytes = Array(line)
        var readings: [(bytes: [UInt8], format: TableRecord.Format)] = [(bytes, record.format)]
        if record.format.hasQuotes {
            readings.append((withoutEscapedQuotes(bytes), record.format))
            readings.append((bytes, record.format.withoutQuotes))
        }
        return readings.contains { reading in
            let fields = TableRecord(reading.bytes, format: reading.format)
            guard let field = fields.rawField(column.hashField),
                !isOwn(field, offset: line.startIndex, of: record, column)
            else { return false }
            guard reading.format != record.format else {
                return isRecord(fields) || isHash(in: fields, column)
            }
            // Here a quote separates nothing, so the fields stay the same without quotes.
            let unquoted = TableRecord(
                reading.bytes.filter { $0 != UInt8(ascii: "\"") },
                format: reading.format
            )
            return isRecord(unquoted) || isHash(in: unquoted, column)
        }
    }

    /// Returns whether a field of a line is the hash field of the record, or its beginning: a record whose hash field continues
    /// behind the line is reported as one that is not readable, unless it is a comment.
    private static func isOwn(
        _ field: ArraySlice<UInt8>,
        offset: Int,
        of record: TableRecord,
        _ column: HashColumn
    ) -> Bool {
        guard let own = record.rawField(column.hashField), own.startIndex == offset + field.startIndex else {
            return false
        }
        return own.count == field.count || !HashColumn.isBlankOrComment(record)
    }

    /// Returns a line of the same length in which no quote follows a backslash that escapes it.
    private static func withoutEscapedQuotes(_ line: [UInt8]) -> [UInt8] {
        var line = line
        var index = 0
        while index + 1 < line.count {
            let isEscape = line[index] == UInt8(ascii: "\\")
            if isEscape && line[index + 1] == UInt8(ascii: "\"") { line[index + 1] = UInt8(ascii: "\\") }
            index += isEscape ? 2 : 1
        }
        return line
    }

    private static func isHash(in line: TableRecord, _ column: HashColumn) -> Bool {
        line.field(column.hashField).map { isHash($0, column.bareHashes) } ?? false
    }

    private static func isHash(_ field: [UInt8], _ bareHashes: BareHashOptions) -> Bool {
        let field = StoredPasswordField.withMarksFirst(field.span) ?? field
        let stored = StoredPasswordField(field.span)
        let hash = field.dropFirst(stored.lockByteCount)
        guard !hash.isEmpty else { return false }
        return PasswordTableAudit.isBareHex(Array(hash).span)
            || bareHashes.saltedDigest(in: Array(hash)) != nil
            || (try? PasswordHash(String(decoding: hash, as: UTF8.self))) != nil
    }

    /// Says on standard error what there is to say.
    func report(_ name: String) {
        if let first {
            StandardStreams.report(
                "\(name): \(records) \(records == 1 ? "record spans" : "records span") several lines, the first record "
                    + "\(first.number) of \(first.lines) lines"
            )
        }
        if let firstHidden {
            StandardStreams.report(
                "\(name): \(hiddenRecords) lines in quotes or behind a carriage return read as records with a hash, the first in record \(firstHidden.number): if "
                    + "this table does not put fields in quotes, a quote in a name encloses them, and they were passed over"
            )
        }
    }
}
