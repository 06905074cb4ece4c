// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc

/// Upgrades a table: reads records, processes many in parallel, and writes them in their order.
struct TableUpgrader {
    /// The maximum number of records in a batch, most of which may be copied unchanged.
    private static let maximumBatchCount = 4096

    let upgrader: RecordUpgrader
    let workerCount: Int
    let skipsHeader: Bool
    let inputName: String
    /// The records to upgrade; `nil` for all. The output of a shard begins with the place of its header.
    let shard: Shard?

    private(set) var counts = UpgradeCounts()
    private(set) var remainder = UpgradeRemainder()
    private(set) var spannedLines = SpannedLines()
    /// The records of the input that were read.
    private(set) var prefix: InputPrefix
    /// The records of the output, if it is that of a shard.
    private var part = InputPrefix()

    init(
        upgrader: RecordUpgrader,
        workerCount: Int,
        skipsHeader: Bool,
        inputName: String,
        shard: Shard? = nil
    ) {
        self.upgrader = upgrader
        self.workerCount = workerCount
        self.skipsHeader = skipsHeader
        self.inputName = inputName
        self.shard = shard
        prefix = InputPrefix(of: shard)
    }

    private var headerByteCount: Int { shard == nil ? 0 : ShardHeader.byteCount }

    /// Finds the place where an interrupted run stopped: after all complete records that belong to this input, up to the
    /// limit, which is the number of the last record of the input that it read. Removes the rest of the output.
    mutating func resume(
        _ input: inout TableReader,
        _ output: TableOutput,
        _ written: inout TableReader,
        limit: Int,
        meter: inout ProgressMeter
    ) throws {
        var done = 0
        var length = 0
        let share = shard ?? .all
        try output.seek(to: headerByteCount)
        while share.tableNumber(ofRecord: done) <= limit, let record = try written.next(), record.isTerminated
        {
            let mismatch = CommandFailure(
                .malformed,
                "\(output.partial.quoted): record \(done + 1) is not what this input and these options produce; "
                    + "was it made from another table? Nothing was changed"
            )
            guard let (original, number) = try next(&input) else { throw mismatch }
            guard let outcome = try self.outcome(of: record, for: original, number: number) else {
                throw mismatch
            }
            count(outcome, number: number, &meter)
            if shard != nil { part.append(record) }
            done += 1
            length += record.bytes.count
        }
        try output.truncate(to: headerByteCount + length)
        meter.restart(at: done)
    }

    /// Processes the rest of the input.
    mutating func run(
        _ input: inout TableReader,
        _ output: TableOutput,
        _ note: inout TableOutputNote,
        meter: inout ProgressMeter
    ) throws {
        if prefix.recordCount == 0 {
            try output.truncate(to: headerByteCount)
            if skipsHeader, (shard ?? .all).contains(1), let (header, number) = try next(&input) {
                try note.write(prefix.entry)
                try write(header, output)
                count(.comment, number: number, &meter)
                meter.advance(by: 1)
            }
        }
        var signals = PendingSignals()
        defer { signals.restore() }
        while true {
            let (records, numbers, decisions) = try nextBatch(&input)
            guard !records.isEmpty else { return }
            // Before the records, so that none of them is without an entry.
            try note.write(prefix.entry)
            for (offset, result) in work(on: records, decisions).enumerated() {
                try write(try result.get(), output)
                count(decisions[offset].outcome, number: numbers[offset], &meter)
            }
            meter.advance(by: records.count)
            if let signal = signals.next() {
                meter.finish()
                StandardStreams.report(
                    "stopped after \(counts.total) records; continue with --resume"
                )
                signals.restore()
                raise(signal)
            }
        }
    }

    /// Completes the output of a shard, when all of the input was read.
    func writeHeader(_ output: TableOutput) throws {
        guard let shard else { return }
        try output.seek(to: 0)
        try output.write(ShardHeader(shard, input: prefix, records: part).bytes)
    }

    /// Counts what an upgrade would do, without computing and writing.
    mutating func plan(_ input: inout TableReader, meter: inout ProgressMeter) throws {
        while let (record, number) = try next(&input) {
            count(try upgrader.decide(record).outcome, number: number, &meter)
            meter.advance(by: 1)
        }
    }

    // MARK: Records

    /// Returns the next record to upgrade, and its number. Those of other shards are read over.
    mutating func next(_ input: inout TableReader) throws -> (TableRecord, Int)? {
        while let record = try input.next() {
            prefix.append(record)
            let number = input.recordNumber
            guard shard?.contains(number) ?? true else { continue }
            let upgrader = upgrader
            spannedLines.add(record, number: number, upgrader.column) { line in
                if case .replace = try? upgrader.decide(line) { true } else { false }
            }
            return (record, number)
        }
        return nil
    }

    /// Reads the rest of the input, to know its digest.
    mutating func readRest(of input: inout TableReader) throws {
        while let record = try input.next() { prefix.append(record) }
    }

    /// Returns the outcome for a record that another run wrote; `nil` if this run would write another record, apart from
    /// the random salt.
    func outcome(
        of written: TableRecord,
        for record: TableRecord,
        number: Int
    ) throws -> HashUpgrader.Outcome? {
        guard skipsHeader && number == 1 else { return try upgrader.outcome(of: written, for: record) }
        return written == record ? .comment : nil
    }

    /// Returns records with as many hashes to replace as a batch has, their numbers, and what is to be done with each.
    private mutating func nextBatch(
        _ input: inout TableReader
    ) throws -> ([TableRecord], [Int], [HashUpgrader.Decision]) {
        var records: [TableRecord] = []
        var numbers: [Int] = []
        var decisions: [HashUpgrader.Decision] = []
        var hashes = 0
        while hashes < workerCount * upgrader.target.batchSize, records.count < Self.maximumBatchCount,
            let (record, number) = try next(&input)
        {
            let decision = try upgrader.decide(record)
            if case .replace = decision { hashes += 1 }
            records.append(record)
            numbers.append(number)
            decisions.append(decision)
        }
        return (records, numbers, decisions)
    }

    private mutating func write(_ record: TableRecord, _ output: TableOutput) throws {
        try output.write(record.bytes)
        if shard != nil { part.append(record) }
    }

    /// Counts the outcome for a record, and reports what is to be done about it. A header is none, as in an audit.
    mutating func count(_ outcome: HashUpgrader.Outcome, number: Int, _ meter: inout ProgressMeter) {
        guard !skipsHeader || number > 1 else { return }
        counts.count(outcome)
        guard let remark = outcome.remark(upgrader.target),
            let line = remainder.add(outcome, "\(number)", "record \(number): \(remark)")
        else { return }
        meter.finish()
        StandardStreams.report("\(inputName): \(line)")
    }

    /// Returns the records to write. All workers compute. An error of this machine ends the run: the records written so far
    /// remain valid.
    private func work(
        on records: [TableRecord],
        _ decisions: [HashUpgrader.Decision]
    ) -> [Result<TableRecord, any Error>] {
        let replacements = decisions.compactMap { decision in
            if case .replace(let replacement, _) = decision { replacement } else { nil }
        }
        var made = LayeringBatch.contents(of: replacements, upgrader.target, workerCount: workerCount)[...]
        return zip(records, decisions).map { record, decision in
            guard case .replace(_, let lock) = decision, let content = made.popFirst() else {
                return .success(record)
            }
            return content.map { upgrader.replacing(lock + $0, in: record) }
        }
    }
}
