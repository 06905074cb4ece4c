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
        let hasLineFeed = record.hasLineFeed
        guard hasLineFeed || record.hasBareReturn else { return }
        records += 1
        let lines = record.bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        // The record itself begins with the first line; its own hash is in the last one, behind a line feed in quotes.
        let hidden = lines.dropLast(hasLineFeed ? 1 : 0).dropFirst().count { line in
            let line = TableRecord(Array(line), format: record.format)
            return line.field(column.hashField).map { Self.isHash($0, column.bareHashes) } ?? false
                || isRecord(line)
        }
        hiddenRecords += hidden
        if number < first?.number ?? .max { first = (number, max(2, lines.count)) }
        if hidden > 0, number < firstHidden?.number ?? .max { firstHidden = (number, hidden) }
    }

    private static func isHash(_ field: [UInt8], _ bareHashes: BareHashOptions) -> Bool {
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
