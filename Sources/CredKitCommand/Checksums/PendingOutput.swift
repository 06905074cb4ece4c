// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// Lines that are written together, in place of what a terminal shows of the progress.
struct PendingOutput: Sendable {
    /// What has not been written yet.
    var lines: [UInt8] = []
    private var meter = ProgressMeter()

    /// Writes the lines out.
    mutating func flush() throws(CommandFailure) {
        meter.finish()
        if !lines.isEmpty { try StandardStreams.write(lines) }
        lines.removeAll(keepingCapacity: true)
    }

    /// Says something on standard error. Where both go to one terminal or file, lines and messages stand in their order.
    mutating func report(_ message: String) throws(CommandFailure) {
        try flush()
        StandardStreams.report(message)
    }

    /// Begins to count anew: the time up to now was spent on something else.
    mutating func restartMeter() { meter = ProgressMeter() }

    /// Counts bytes that were read.
    mutating func advance(by byteCount: Int) { meter.advance(by: byteCount) }
}
