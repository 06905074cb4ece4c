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

    init(upgrader: RecordUpgrader, workerCount: Int, skipsHeader: Bool, inputName: String) {
        self.upgrader = upgrader
        self.workerCount = workerCount
        self.skipsHeader = skipsHeader
        self.inputName = inputName
    }

    /// Finds the place where an interrupted run stopped: after all complete records that belong to this input. Removes
    /// the rest of the output, and returns the number of records that are done.
    mutating func resume(
        _ input: inout TableReader,
        _ output: TableOutput,
        _ written: inout TableReader,
        meter: inout ProgressMeter
    ) throws -> Int {
        var done = 0
        var length = 0
        while let record = try written.next(), record.isTerminated {
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
            done += 1
            length += record.bytes.count
        }
        try output.truncate(to: length)
        return done
    }

    /// Processes the rest of the input.
    mutating func run(
        _ input: inout TableReader,
        _ output: TableOutput,
        isAtStart: Bool,
        meter: inout ProgressMeter
    ) throws {
        if isAtStart && skipsHeader, let header = try input.next() {
            try output.write(header.bytes)
            counts.kept += 1
        }
        var signals = PendingSignals()
        defer { signals.restore() }
        while true {
            let firstNumber = input.recordNumber + 1
            let (records, decisions) = try nextBatch(&input)
            guard !records.isEmpty else { return }
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

    /// Counts what ``run(_:_:isAtStart:meter:)`` would do, without computing and writing.
    mutating func plan(_ input: inout TableReader, meter: inout ProgressMeter) throws {
        if skipsHeader, try input.next() != nil { counts.kept += 1 }
        while let record = try input.next() {
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
