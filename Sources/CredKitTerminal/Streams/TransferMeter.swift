// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Glibc

/// Shows the progress of a transfer on standard error: bytes, rate, time left, and from the second on the attempt. Shows
/// nothing for the first second, and nothing at all when standard error is not a terminal.
package final class TransferMeter: Sendable {
    private struct State {
        var attempt = 0
        var start = ContinuousClock.now
        /// The number of bytes that were done when the attempt began, which say nothing about the rate.
        var first = 0
        var hasLine = false
    }

    private let isShown = isatty(STDERR_FILENO) == 1
    private let begin = ContinuousClock.now
    private let state = Lock(State())

    package init() {}

    /// Shows a state.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes that are done.
    ///   - total: The number of bytes in all; `nil` if it is unknown.
    ///   - attempt: How often the bytes were begun from the start.
    package func show(_ completed: Int64, of total: Int64?, attempt: Int) {
        guard isShown else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            if attempt != state.attempt {
                (state.attempt, state.start, state.first) = (attempt, now, Int(completed))
            }
            guard begin.duration(to: now) >= .seconds(1) else { return }
            let line = ProgressMeter.line(
                done: Int(completed),
                first: state.first,
                total: total.map { Int($0) },
                elapsed: state.start.duration(to: now)
            )
            state.hasLine = true
            StandardStreams.show("\r\u{1B}[K\(line)\(attempt > 1 ? "  attempt \(attempt)" : "")")
        }
    }

    /// Removes the line from the terminal.
    package func finish() {
        state.withLock { state in
            if state.hasLine { StandardStreams.show("\r\u{1B}[K") }
            state.hasLine = false
        }
    }
}
