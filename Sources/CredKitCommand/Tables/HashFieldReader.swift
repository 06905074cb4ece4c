// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem

/// Adds the records of a block to an audit, without copying those that have no quotes.
struct HashFieldReader: Sendable {
    private let column: HashColumn
    private let format: TableRecord.Format
    /// The declared algorithm of bare hashes, if it is the same for all records.
    private let algorithm: PasswordHash.LegacyHexAlgorithm?
    /// Whether each hash has its salt behind it.
    private let hasSaltInHash: Bool
    private let cutOffRecord = Lock<(number: Int, message: String)?>(nil)
    private let lines = Lock(SpannedLines())

    /// The first record whose hash is cut off at a colon.
    var firstCutOffRecord: (number: Int, message: String)? { cutOffRecord.withLock { $0 } }

    /// The records that span lines.
    var spannedLines: SpannedLines { lines.withLock { $0 } }

    init(_ column: HashColumn, format: TableRecord.Format) throws {
        self.column = column
        self.format = format
        let isConstant = column.saltField == nil && !column.bareHashes.requiresSaltInHash
        algorithm = isConstant ? try column.bareHashes.algorithm() : nil
        hasSaltInHash = column.saltField == nil && column.bareHashes.hasSaltInHash
    }

    /// Adds the records of a block.
    func add(_ block: TableBlock, to audit: inout PasswordTableAudit, skippingFirst: Bool) {
        block.bytes.withUnsafeBufferPointer { bytes in
            for index in block.ends.indices {
                let record = UnsafeBufferPointer(rebasing: bytes[block.range(index)])
                guard index > 0 || !skippingFirst else {
                    let header = TableRecord(Array(record), format: format)
                    lines.withLock { $0.add(header, number: 1, column) }
                    continue
                }
                add(record, number: block.firstNumber + index, to: &audit)
            }
        }
    }

    private func add(_ record: UnsafeBufferPointer<UInt8>, number: Int, to audit: inout PasswordTableAudit) {
        var end = record.count
        if end > 0, record[end - 1] == 0x0A { end -= 1 }
        if end > 0, end < record.count, record[end - 1] == 0x0D { end -= 1 }
        let content = UnsafeBufferPointer(rebasing: record[..<end])
        // Quotes, escapes, byte order marks, carriage returns and salts are rare or slow anyway: the way of `upgrade` serves
        // for them.
        let isPlain =
            column.saltField == nil && !hasSaltInHash && record.first != 0xEF
            && (!format.hasQuotes || record.firstIndex(of: UInt8(ascii: "\""), from: 0) == nil)
            && content.firstIndex(of: 0x0D, from: 0) == nil
            && (!format.hasEscapes || record.firstIndex(of: UInt8(ascii: "\\"), from: 0) == nil)
        guard isPlain else { return add(TableRecord(Array(record), format: format), number, to: &audit) }

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
            return add(TableRecord(Array(record), format: format), number, to: &audit)
        }
        if !isComment { noteCutOff(field, number) }
        audit.add(field, row: number, bareHexAlgorithm: algorithm, isComment: isComment)
    }

    private func add(_ record: TableRecord, _ number: Int, to audit: inout PasswordTableAudit) {
        let isComment = HashColumn.isBlankOrComment(record)
        lines.withLock { $0.add(record, number: number, column) }
        guard !record.isQuoted, let content = record.field(column.hashField) else {
            return audit.addIncomplete(row: number, isComment: isComment)
        }
        let field = column.isNull(content.span) ? [] : content
        if !isComment { noteCutOff(field.span, number) }
        if let message = column.cutOff(in: record) {
            note(message, number)
            return audit.addIncomplete(row: number, isComment: false)
        }
        do {
            var algorithm = algorithm
            let stored = StoredPasswordField(field.span)
            if hasSaltInHash,
                let parts = column.bareHashes.saltedDigest(in: Array(field.dropFirst(stored.lockByteCount)))
            {
                let digest = Array(field.prefix(stored.lockByteCount)) + Array(parts.digits.utf8)
                return audit.add(
                    digest.span,
                    row: number,
                    bareHexAlgorithm: try column.bareHashes.algorithm(salt: parts.salt),
                    isComment: isComment,
                    lockByteCount: stored.lockByteCount
                )
            } else if column.saltField != nil {
                let hash = field.span.extracting(stored.lockByteCount...)
                if PasswordTableAudit.isBareHex(hash) || column.isAmbiguous(stored) {
                    algorithm = try column.bareHexAlgorithm(of: record)
                }
            }
            audit.add(field.span, row: number, bareHexAlgorithm: algorithm, isComment: isComment)
        } catch {
            audit.addIncomplete(row: number, isComment: false)
        }
    }

    private func noteCutOff(_ field: Span<UInt8>, _ number: Int) {
        guard let message = HashColumn.cutOff(field, format) else { return }
        note(message, number)
    }

    private func note(_ message: String, _ number: Int) {
        cutOffRecord.withLock { first in
            if number < first?.number ?? .max { first = (number, message) }
        }
    }
}
