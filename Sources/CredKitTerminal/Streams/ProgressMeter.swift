// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Shows the progress of a long read on standard error: bytes, rate, time left. Shows nothing for the first second,
/// and nothing at all when standard error is not a terminal.
package struct ProgressMeter {
    private let isShown: Bool
    private let total: Int?
    private let start = ContinuousClock.now
    private var nextUpdate: ContinuousClock.Instant
    private var done = 0
    private var hasLine = false

    /// - Parameters:
    ///   - descriptor: The descriptor that is read. If it is a file, its size gives the time left.
    ///   - writesMeanwhile: Whether results are written during the read. If so, nothing is shown when standard output
    ///     is a terminal, too, because its lines would be overwritten.
    package init(descriptor: Int32, writesMeanwhile: Bool) {
        isShown = isatty(STDERR_FILENO) == 1 && !(writesMeanwhile && isatty(STDOUT_FILENO) == 1)
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        total = isFile && status.st_size > 0 ? Int(status.st_size) : nil
        nextUpdate = start + .seconds(1)
    }

    /// Creates a meter for several files that are read at the same time.
    package init() {
        isShown = isatty(STDERR_FILENO) == 1
        total = nil
        nextUpdate = start + .seconds(1)
    }

    /// Counts bytes, and updates the line at intervals.
    package mutating func advance(by byteCount: Int) {
        guard isShown else { return }
        done += byteCount
        let now = ContinuousClock.now
        guard now >= nextUpdate else { return }
        nextUpdate = now + .milliseconds(200)
        hasLine = true
        show(Self.line(done: done, total: total, elapsed: start.duration(to: now)))
    }

    /// Removes the line from the terminal.
    package mutating func finish() {
        if hasLine { show("") }
        hasLine = false
    }

    /// Returns the progress line.
    ///
    /// - Parameters:
    ///   - done: The number of bytes that are done.
    ///   - first: The number of bytes that were done before.
    ///   - total: The number of bytes in all; `nil` if it is unknown.
    ///   - elapsed: The time since then.
    /// - Returns: The line.
    static func line(done: Int, first: Int = 0, total: Int?, elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        // Bytes of a broken transfer can be discarded.
        let rate = seconds > 0 ? max(0, Double(done) - Double(first)) / seconds : 0
        var line = "\(size(Double(done)))  \(size(rate))/s"
        if let total, done >= 0, total > 0, total >= done {
            line += "  \(Int((Double(done) / Double(total) * 100).rounded(.down))) %"
            // A server can name any total.
            let left = (Double(total - done) / rate).rounded(.up)
            if left < 1e9 { line += "  \(Int(left)) s left" }
        }
        return line
    }

    private static func size(_ bytes: Double) -> String {
        var value = bytes
        var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
        while value >= 1024 && units.count > 1 {
            value /= 1024
            units = units.dropFirst()
        }
        return "\((value * 10).rounded() / 10) \(units[units.startIndex])"
    }

    private func show(_ line: String) {
        StandardStreams.show("\r\u{1B}[K\(line)")
    }
}
