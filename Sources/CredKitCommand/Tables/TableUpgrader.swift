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

    private(set) var counts = UpgradeCounts()
    private(set) var spannedLines = SpannedLines()
    /// The records of the input that were read.
    private var prefix = InputPrefix()

    init(upgrader: RecordUpgrader, workerCount: Int, skipsHeader: Bool, inputName: String) {
        self.upgrader = upgrader
        self.workerCount = workerCount
        self.skipsHeader = skipsHeader
        self.inputName = inputName
    }

    /// Finds the place where an interrupted run stopped: after all complete records that belong to this input, of which as many
    /// as the limit are those of the interrupted run. Removes the rest of the output.
    mutating func resume(
        _ input: inout TableReader,
        _ output: TableOutput,
        _ written: inout TableReader,
        limit: Int,
        meter: inout ProgressMeter
    ) throws {
        var done = 0
        var length = 0
        while done < limit, let record = try written.next(), record.isTerminated {
            let mismatch = CommandFailure(
                .malformed,
                "\(output.partial.quoted): record \(done + 1) is not what this input and these options produce; "
                    + "was it made from another table? Nothing was changed"
            )
            guard let original = try input.next() else { throw mismatch }
            if skipsHeader && done == 0 {
                guard record == original else { throw mismatch }
                counts.kept += 1
            } else {
                guard let outcome = try upgrader.outcome(of: record, for: original) else { throw mismatch }
                count(outcome, number: done + 1, &meter)
            }
            note(original, number: done + 1)
            done += 1
            length += record.bytes.count
        }
        try output.truncate(to: length)
    }

    /// Processes the rest of the input.
    mutating func run(
        _ input: inout TableReader,
        _ output: TableOutput,
        _ note: inout TableOutputNote,
        meter: inout ProgressMeter
    ) throws {
        if prefix.recordCount == 0 && skipsHeader, let header = try input.next() {
            self.note(header, number: 1)
            try note.write(prefix.entry)
            try output.write(header.bytes)
            counts.kept += 1
        }
        var signals = PendingSignals()
        defer { signals.restore() }
        while true {
            let firstNumber = input.recordNumber + 1
            let (records, decisions) = try nextBatch(&input)
            guard !records.isEmpty else { return }
            for (offset, record) in records.enumerated() { self.note(record, number: firstNumber + offset) }
            // Before the records, so that none of them is without an entry.
            try note.write(prefix.entry)
            for (offset, result) in work(on: records, decisions).enumerated() {
                let record = try result.get()
                try output.write(record.bytes)
                count(decisions[offset].outcome, number: firstNumber + offset, &meter)
            }
            meter.advance(by: records.reduce(0) { $0 + $1.bytes.count })
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

    /// Counts what ``run(_:_:_:meter:)`` would do, without computing and writing.
    mutating func plan(_ input: inout TableReader, meter: inout ProgressMeter) throws {
        if skipsHeader, let header = try input.next() {
            note(header, number: 1)
            counts.kept += 1
        }
        while let record = try input.next() {
            note(record, number: input.recordNumber)
            count(try upgrader.decide(record).outcome, number: input.recordNumber, &meter)
            meter.advance(by: record.bytes.count)
        }
    }

    /// Returns records with as many hashes to replace as a batch has, and what is to be done with each.
    private func nextBatch(
        _ input: inout TableReader
    ) throws -> ([TableRecord], [HashUpgrader.Decision]) {
        var records: [TableRecord] = []
        var decisions: [HashUpgrader.Decision] = []
        var hashes = 0
        while hashes < workerCount * upgrader.target.batchSize, records.count < Self.maximumBatchCount,
            let record = try input.next()
        {
            let decision = try upgrader.decide(record)
            if case .replace = decision { hashes += 1 }
            records.append(record)
            decisions.append(decision)
        }
        return (records, decisions)
    }

    private mutating func note(_ record: TableRecord, number: Int) {
        prefix.append(record)
        let upgrader = upgrader
        spannedLines.add(record, number: number, upgrader.column) { line in
            if case .replace = try? upgrader.decide(line) { true } else { false }
        }
    }

    private mutating func count(_ outcome: HashUpgrader.Outcome, number: Int, _ meter: inout ProgressMeter) {
        counts.count(outcome)
        guard let remark = outcome.remark(upgrader.target) else { return }
        meter.finish()
        StandardStreams.report("\(inputName): record \(number): \(remark)")
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
