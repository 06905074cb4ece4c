// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem

/// Adds the records of a block to an audit, without copying those that have no quotes.
struct HashFieldReader: Sendable {
    private let column: HashColumn
    private let format: TableRecord.Format
    private let hashes: AuditedHash
    private let cutOffRecord = Lock<(number: Int, message: String)?>(nil)
    private let lines = Lock(SpannedLines())

    /// The first record whose hash is cut off at a colon.
    var firstCutOffRecord: (number: Int, message: String)? { cutOffRecord.withLock { $0 } }

    /// The records that span lines.
    var spannedLines: SpannedLines { lines.withLock { $0 } }

    init(_ column: HashColumn, format: TableRecord.Format) throws {
        self.column = column
        self.format = format
        hashes = try AuditedHash(column.bareHashes, hasSaltColumn: column.saltField != nil)
    }

    /// Adds the records of a block.
    func add(_ block: TableBlock, to audit: inout PasswordTableAudit, skippingFirst: Bool) throws {
        try block.bytes.withUnsafeBufferPointer { bytes in
            for index in block.ends.indices {
                let record = UnsafeBufferPointer(rebasing: bytes[block.range(index)])
                guard index > 0 || !skippingFirst else {
                    let header = TableRecord(Array(record), format: format)
                    lines.withLock { $0.add(header, number: 1, column) }
                    continue
                }
                try add(record, number: block.firstNumber + index, to: &audit)
            }
        }
    }

    private func add(
        _ record: UnsafeBufferPointer<UInt8>,
        number: Int,
        to audit: inout PasswordTableAudit
    ) throws {
        var end = record.count
        if end > 0, record[end - 1] == 0x0A { end -= 1 }
        if end > 0, end < record.count, record[end - 1] == 0x0D { end -= 1 }
        let content = UnsafeBufferPointer(rebasing: record[..<end])
        // Quotes, escapes, byte order marks, carriage returns and salts are rare or slow anyway: the way of `upgrade` serves
        // for them.
        let isPlain =
            hashes.needsNoSalt && record.first != 0xEF
            && (!format.hasQuotes || record.firstIndex(of: UInt8(ascii: "\""), from: 0) == nil)
            && content.firstIndex(of: 0x0D, from: 0) == nil
            && (!format.hasEscapes || record.firstIndex(of: UInt8(ascii: "\\"), from: 0) == nil)
        guard isPlain else { return try add(TableRecord(Array(record), format: format), number, to: &audit) }

        var start = 0
        var fieldEnd = content.firstIndex(of: format.separator, from: 0) ?? end
        let isComment = HashColumn.isBlankOrComment(content.span, isOnlyField: fieldEnd == end, format)
        for _ in 0..<column.hashField {
            guard fieldEnd < end else { return audit.addIncomplete(row: number, isComment: isComment) }
            start = fieldEnd + 1
            fieldEnd = content.firstIndex(of: format.separator, from: start) ?? end
        }
        // NULL counts as an empty field.
        if column.isNull(UnsafeBufferPointer(rebasing: content[start..<fieldEnd]).span) { fieldEnd = start }
        let field = UnsafeBufferPointer(rebasing: content[start..<fieldEnd]).span
        guard format != .colons || !field.isEmpty && !HashColumn.canBeOfJoomla(field) else {
            // It may be the beginning of a hash that contains colons.
            return try add(TableRecord(Array(record), format: format), number, to: &audit)
        }
        guard isComment || !noteCutOff(field, number) else {
            return audit.addIncomplete(row: number, isComment: false)
        }
        audit.add(field, row: number, bareHexAlgorithm: hashes.algorithm, isComment: isComment)
    }

    private func add(_ record: TableRecord, _ number: Int, to audit: inout PasswordTableAudit) throws {
        let isComment = HashColumn.isBlankOrComment(record)
        lines.withLock { $0.add(record, number: number, column) }
        guard !record.isQuoted, let content = record.field(column.hashField) else {
            return audit.addIncomplete(row: number, isComment: isComment)
        }
        let field = column.isNull(content.span) ? [] : content
        if let message = column.cutOff(in: record) {
            note(message, number)
            return audit.addIncomplete(row: number, isComment: false)
        }
        guard isComment || !noteCutOff(field.span, number) else {
            return audit.addIncomplete(row: number, isComment: false)
        }
        try hashes.add(field, row: number, isComment: isComment, to: &audit) { try column.salt(of: record) }
    }

    /// Returns whether the field of a record is not all of its hash, which is reported of the first such record.
    private func noteCutOff(_ field: Span<UInt8>, _ number: Int) -> Bool {
        // As in `HashUpgrader`, where neither of these comes to the question.
        guard let message = HashColumn.cutOff(field, format), StoredPasswordField(field).absence == nil,
            column.bareHashes.saltedDigest(in: field.withUnsafeBufferPointer { Array($0) }) == nil
        else { return false }
        note(message, number)
        return true
    }

    private func note(_ message: String, _ number: Int) {
        cutOffRecord.withLock { first in
            if number < first?.number ?? .max { first = (number, message) }
        }
    }
}
