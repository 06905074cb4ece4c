// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Dispatch
import Glibc

/// Upgrades a table: reads records, processes many in parallel, and writes them in their order.
struct TableUpgrader {
    /// The number of records that a worker gets at a time.
    private static let recordsPerWorker = 8

    let upgrader: RecordUpgrader
    let workerCount: Int
    let skipsHeader: Bool
    let inputName: String

    private(set) var layered = 0
    private(set) var kept = 0
    private(set) var problems = 0

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
                kept += 1
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
            kept += 1
        }
        var signals = PendingSignals()
        defer { signals.restore() }
        while true {
            let firstNumber = input.recordNumber + 1
            var batch: [TableRecord] = []
            while batch.count < workerCount * Self.recordsPerWorker, let record = try input.next() {
                batch.append(record)
            }
            guard !batch.isEmpty else { return }
            for (offset, result) in work(on: batch).enumerated() {
                let (record, outcome) = try result.get()
                try output.write(record.bytes)
                count(outcome, number: firstNumber + offset, &meter)
            }
            meter.advance(by: batch.reduce(0) { $0 + $1.bytes.count })
            if let signal = signals.next() {
                meter.finish()
                StandardStreams.report(
                    "stopped after \(layered + kept + problems) records; continue with --resume"
                )
                signals.restore()
                raise(signal)
            }
        }
    }

    private mutating func count(_ outcome: RecordUpgrader.Outcome, number: Int, _ meter: inout ProgressMeter)
    {
        switch outcome {
        case .layered: layered += 1
        case .kept: kept += 1
        case .problem(let reason):
            problems += 1
            meter.finish()
            StandardStreams.report("\(inputName): record \(number): \(reason)")
        }
    }

    /// Processes a batch with all workers.
    private func work(on batch: [TableRecord]) -> [Result<(TableRecord, RecordUpgrader.Outcome), any Error>] {
        var results: [Result<(TableRecord, RecordUpgrader.Outcome), any Error>?] = batch.map { _ in nil }
        results.withUnsafeMutableBufferPointer { buffer in
            // Safe because each worker writes only its own places.
            nonisolated(unsafe) let places = buffer
            let upgrader = upgrader
            let workerCount = workerCount
            DispatchQueue.concurrentPerform(iterations: min(workerCount, batch.count)) { worker in
                for index in stride(from: worker, to: batch.count, by: workerCount) {
                    places[index] = Result { try upgrader.upgrade(batch[index]) }
                }
            }
        }
        return results.compactMap { $0 }
    }
}
