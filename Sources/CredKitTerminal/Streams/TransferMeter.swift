// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem

/// Shows the progress of a transfer: a ``ProgressMeter`` that several tasks use, with the attempt from the second on.
package final class TransferMeter: Sendable {
    private struct State {
        var meter = ProgressMeter(.bytes)
        var attempt = 0
    }

    private let state = Lock(State())

    package init() {}

    /// Shows a state.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes that are done.
    ///   - total: The number of bytes in all; `nil` if it is unknown.
    ///   - attempt: How often the bytes were begun from the start.
    package func show(_ completed: Int64, of total: Int64?, attempt: Int) {
        state.withLock { state in
            if attempt != state.attempt {
                state.attempt = attempt
                state.meter.restart(at: Int(completed))
            }
            let note = attempt > 1 ? "  attempt \(attempt)" : ""
            state.meter.show(Int(completed), of: total.map { Int($0) }, note: note)
        }
    }

    /// Removes the line from the terminal.
    package func finish() { state.withLock { $0.meter.finish() } }
}
