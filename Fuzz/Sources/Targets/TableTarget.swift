// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
@testable import CredKit
@testable import CredKitCommand
import Glibc

extension FuzzTarget {
    /// Feeds password tables, as CSV with commas or semicolons, TSV and between colons, to the reader and to the upgrade
    /// with the lowest cost.
    static let tables = FuzzTarget("tables") { bytes in
        var input = FuzzInput(bytes)
        let options = input.byte()
        let csv = TableRecord.Format.separated(by: options & 16 == 0 ? UInt8(ascii: ",") : UInt8(ascii: ";"))
        let format: TableRecord.Format = options & 1 == 0 ? .colons : options & 8 == 0 ? csv : .tsv
        let properties = try TableProperties(format: format, hashField: Int(options >> 1) % 4)
        let records = try properties.records(input.remaining)
        try requireEqual(records.flatMap(\.bytes), input.remaining, "the records are the whole table")
        for (index, record) in records.enumerated() {
            try require(
                index == records.count - 1 || record.isTerminated,
                "only the last record lacks a line feed"
            )
            try properties.check(record)
            try properties.upgrade(record)
        }
        try properties.audit(input.remaining, records)
    }
}

private struct TableProperties {
    let format: TableRecord.Format
    let context: PasswordContext
    let upgrader: RecordUpgrader
    let toSCRAM: [RecordUpgrader]

    private static let bareHashes = Result { try BareHashOptions.parse(["--as", "md5"]) }

    init(format: TableRecord.Format, hashField: Int) throws {
        self.format = format
        let policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(8), passes: 1))
        context = try PasswordContext(policy: policy)
        let column = HashColumn(
            hashField: hashField,
            saltField: nil,
            bareHashes: try Self.bareHashes.get()
        )
        upgrader = RecordUpgrader(
            target: Argon2idUpgrade(context: context, schemes: nil),
            column: column
        )
        let iterations = try SCRAM.Iterations.fewer(SCRAM.Iterations.minimumCount)
        toSCRAM = [true, false].map { keepsEquivalents in
            RecordUpgrader(
                target: SCRAMUpgrade(
                    function: .sha256,
                    iterations: iterations,
                    form: format == .colons ? .dovecot : .postgreSQL,
                    keepsEquivalents: keepsEquivalents,
                    limits: .standard
                ),
                column: column
            )
        }
    }

    /// Reads a table from a pipe, which holds more than the largest input.
    func records(_ bytes: [UInt8]) throws -> [TableRecord] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return [] }
        defer { close(ends[0]) }
        let count = write(ends[1], bytes, bytes.count)
        close(ends[1])
        try requireEqual(count, bytes.count, "the pipe takes the whole input")
        var reader = TableReader(
            descriptor: ends[0],
            format: format,
            name: "input",
            recognizesOtherFiles: false
        )
        var records: [TableRecord] = []
        while let record = try reader.next() { records.append(record) }
        try requireEqual(reader.byteCount, bytes.count, "all bytes are counted")
        return records
    }

    func check(_ record: TableRecord) throws {
        try require(
            record.fieldCount > 0 && record.field(record.fieldCount) == nil,
            "fields are numbered from 0"
        )
        try requireEqual(TableRecord(record.bytes, format: format), record, "a record is its bytes")
        for index in 0..<record.fieldCount {
            guard let field = record.field(index) else { throw PropertyFailure("field \(index) exists") }
            for content in [field, Array("$1$a".utf8), Array("a,;\"b".utf8)]
            where format != .colons || !content.contains(UInt8(ascii: ":")) {
                let changed = record.replacing(index, with: content)
                try requireEqual(changed.fieldCount, record.fieldCount, "replacing adds no field")
                try requireEqual(changed.field(index), content, "a replaced field has the new content")
                try require(changed.isAlike(record, exceptFor: index), "replacing changes one field")
                try require(changed.isTerminated || !record.isTerminated, "replacing changes no line ending")
            }
        }
    }

    func upgrade(_ record: TableRecord) throws {
        for upgrader in [upgrader] + toSCRAM { try upgrade(record, upgrader) }
    }

    private func upgrade(_ record: TableRecord, _ upgrader: RecordUpgrader) throws {
        let (upgraded, outcome) = try upgrader.upgrade(record)
        switch outcome {
        case .layered, .removed: break
        case .kept, .rehash, .problem:
            return try require(upgraded == record, "a record that is not upgraded is unchanged")
        }
        try require(
            upgraded.isAlike(record, exceptFor: upgrader.column.hashField),
            "an upgrade changes one field"
        )
        switch try upgrader.outcome(of: upgraded, for: record) {
        case .layered?, .removed?: break
        default: throw PropertyFailure("a written record is recognized: \(record.bytes)")
        }
        let (again, _) = try upgrader.upgrade(upgraded)
        try require(again == upgraded, "an upgraded record is not upgraded again")
    }

    /// An audit counts what an upgrade does.
    func audit(_ bytes: [UInt8], _ records: [TableRecord]) throws {
        var ends: [Int] = []
        for record in records { ends.append((ends.last ?? 0) + record.bytes.count) }
        var audit = PasswordTableAudit(context: context)
        try HashFieldReader(upgrader.column, format: format).add(
            TableBlock(bytes: bytes, ends: ends, firstNumber: 1),
            to: &audit,
            skippingFirst: false
        )
        try requireEqual(audit.records, records.count, "each record is counted")
        var layered = 0
        for record in records {
            if case .replace = try upgrader.decide(record) { layered += 1 }
        }
        try requireEqual(audit.accounts(.layer), layered, "the audit counts what the upgrade layers")
    }
}
