// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Upgrades the records of a file.
struct RecordUpgrader: Sendable {
    let target: any UpgradeTarget
    let column: HashColumn

    private var hashes: HashUpgrader { HashUpgrader(target: target, bareHashes: column.bareHashes) }

    /// Returns the record to write, and the outcome.
    func upgrade(_ record: TableRecord) throws -> (TableRecord, HashUpgrader.Outcome) {
        let decision = try decide(record)
        guard case .replace(let replacement, let lock) = decision else { return (record, decision.outcome) }
        return (replacing(lock + (try replacement.make()), in: record), decision.outcome)
    }

    /// Returns the record with a new hash.
    func replacing(_ hash: [UInt8], in record: TableRecord) -> TableRecord {
        record.replacing(column.hashField, with: hash)
    }

    /// Returns what is to be done with a record, without computing a hash.
    func decide(_ record: TableRecord) throws -> HashUpgrader.Decision {
        let isComment = HashColumn.isBlankOrComment(record)
        guard !record.isQuoted else { return Self.incomplete(.openQuote) }
        guard let field = record.field(column.hashField) else {
            return isComment ? .keep(.comment) : Self.incomplete(.noHashField)
        }
        if let message = column.cutOff(in: record) {
            return .problem(UpgradeRemark(kind: UpgradeRemark.incomplete, reason: message))
        }
        // NULL is decided on as an empty field.
        let content = column.isNull(field.span) ? [] : field
        return try hashes.decide(content, in: record.format, isComment: isComment) {
            try column.salt(of: record)
        }
    }

    private static func incomplete(_ problem: HashColumn.Problem) -> HashUpgrader.Decision {
        .problem(UpgradeRemark(kind: UpgradeRemark.incomplete, reason: problem.message))
    }

    /// Returns the outcome for a record that an earlier run wrote; `nil` if this run would write another record, apart
    /// from the random salt.
    func outcome(of written: TableRecord, for record: TableRecord) throws -> HashUpgrader.Outcome? {
        let decision = try decide(record)
        guard case .replace(let replacement, let lock) = decision else {
            return written == record ? decision.outcome : nil
        }
        // All other bytes must be unchanged. The field itself may have lost unnecessary quotes.
        guard written.isAlike(record, exceptFor: column.hashField),
            let field = written.field(column.hashField), field.starts(with: lock),
            replacement.mightHaveMade(Array(field.dropFirst(lock.count)))
        else { return nil }
        return decision.outcome
    }
}
