// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// Lines that are written together, replacing the progress on a terminal.
struct PendingOutput: Sendable {
    /// The lines that have not been written yet.
    var lines: [UInt8] = []
    private var meter = ProgressMeter()

    /// Writes the lines out.
    mutating func flush() throws(CommandFailure) {
        meter.finish()
        if !lines.isEmpty { try StandardStreams.write(StandardStreams.showable(lines)) }
        lines.removeAll(keepingCapacity: true)
    }

    /// Writes a message to standard error. If both streams go to one terminal or file, their order is preserved.
    mutating func report(_ message: String) throws(CommandFailure) {
        try flush()
        StandardStreams.report(message)
    }

    /// Restarts the progress, because the time up to now was spent on something else.
    mutating func restartMeter() { meter = ProgressMeter() }

    /// Counts bytes that were read.
    mutating func advance(by byteCount: Int) { meter.advance(by: byteCount) }
}
