// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTerminal

/// What the threads of an upgrade have done, and whether they must stop.
final class UpgradeTally: Sendable {
    private struct State {
        var counts = UpgradeCounts()
        var remainder = UpgradeRemainder()
        var changedMeanwhile = 0
        var hasAnnounced = false
        var readers = LayeredHashReaders()
        var failure: (any Error)?
        var signal: Int32?
        var signals: PendingSignals?
        var meter: ProgressMeter
    }

    private let state: Lock<State>
    private let table: UpgradedTable
    private let target: any UpgradeTarget

    /// - Parameters:
    ///   - table: The table.
    ///   - target: What becomes of its hashes.
    ///   - signals: The signals that are held back until ``finish()``: the program ends between two batches.
    init(_ table: UpgradedTable, _ target: any UpgradeTarget, _ signals: PendingSignals?) {
        self.table = table
        self.target = target
        state = Lock(State(signals: signals, meter: ProgressMeter(rowsOf: table)))
    }

    var counts: UpgradeCounts { state.withLock { $0.counts } }
    var remainder: UpgradeRemainder { state.withLock { $0.remainder } }
    var changedMeanwhile: Int { state.withLock { $0.changedMeanwhile } }
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Restores the signals and removes the progress line. Returns the signal that ended the work.
    func finish() -> Int32? {
        state.withLock { state in
            state.meter.finish()
            state.signals?.restore()
            state.signals = nil
            return state.signal
        }
    }

    /// Whether the work must end: a signal has arrived, or a thread has failed.
    var isStopped: Bool {
        state.withLock { state in
            if state.signal == nil { state.signal = state.signals?.next() }
            return state.signal != nil || state.failure != nil
        }
    }

    /// Makes all threads stop because of an error, of which the first is kept.
    func stop(_ failure: any Error) {
        state.withLock { if $0.failure == nil { $0.failure = failure } }
    }

    /// Counts a row, and reports it if it remains weak or cannot be verified.
    func count(_ outcome: HashUpgrader.Outcome, _ row: StoredRow) {
        let remark = outcome.remark(target)
        state.withLock { state in
            state.counts.count(outcome)
            guard let remark else { return }
            let id = StoredRow.shown(id: row.id)
            guard let line = state.remainder.add(outcome, id, "id \(id): \(remark)") else { return }
            state.meter.finish()
            StandardStreams.report("\(table.shown): \(line)")
        }
    }

    /// Sets who reads the layered hashes of the table, as far as its first rows tell.
    func setReaders(_ readers: LayeredHashReaders) { state.withLock { $0.readers = readers } }

    /// Says once, before the first row is written, who reads layered hashes.
    func announceLayering() {
        state.withLock { state in
            guard !state.hasAnnounced else { return }
            state.hasAnnounced = true
            state.meter.finish()
            state.readers.report()
        }
    }

    func countChangedMeanwhile(_ count: Int) { state.withLock { $0.changedMeanwhile += count } }

    /// Shows how many rows are done.
    func show(done: Int) { state.withLock { $0.meter.show(done, of: table.estimatedRows) } }
}

extension ProgressMeter {
    /// Creates a meter of the rows of a table.
    init(rowsOf table: UpgradedTable) {
        self.init(.rows, total: table.estimatedRows) { [name = table.shown] line in
            StandardStreams.report("\(name): \(line)")
        }
    }
}
