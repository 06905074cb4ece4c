// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Shows the progress of long work on standard error: what is done, the rate, and the time left. On a terminal it is one
/// line, which appears after a second and is removed at the end. Elsewhere it is a line a minute, if the work has a log.
package struct ProgressMeter: Sendable {
    /// What is counted.
    package enum Unit: Sendable {
        case bytes, records, rows
    }

    /// Where the progress is shown.
    enum Display: Sendable {
        case terminal, log, nowhere

        /// The time before the first line.
        fileprivate var delay: Duration { self == .log ? .seconds(60) : .seconds(1) }
        /// The time between two lines.
        fileprivate var interval: Duration { self == .log ? .seconds(60) : .milliseconds(200) }
    }

    private let unit: Unit
    private let display: Display
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When the counted work began.
    private var start: ContinuousClock.Instant
    private var nextUpdate: ContinuousClock.Instant
    private var total: Int?
    private var done = 0
    /// How much was done before this work, which says nothing about the rate.
    private var first = 0
    private var hasLine = false

    /// Creates a meter with a clock and an output of the caller.
    ///
    /// - Parameters:
    ///   - unit: What is counted.
    ///   - total: How many there are in all; `nil` if it is unknown.
    ///   - display: Where the progress is shown.
    ///   - now: Returns the time.
    ///   - write: Writes a text to the terminal, or a line to the log.
    init(
        _ unit: Unit,
        total: Int?,
        display: Display,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.unit = unit
        self.total = total
        self.display = display
        self.now = now
        self.write = write
        start = now()
        nextUpdate = start + display.delay
    }

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - unit: What is counted.
    ///   - total: How many there are in all; `nil` if it is unknown.
    ///   - hidesFromTerminal: Whether nothing is shown on a terminal.
    ///   - log: Writes a line where standard error is no terminal; `nil` to write none.
    package init(
        _ unit: Unit,
        total: Int? = nil,
        hidesFromTerminal: Bool = false,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let display: Display =
            isTerminal ? (hidesFromTerminal ? .nowhere : .terminal) : (log == nil ? .nowhere : .log)
        let show: @Sendable (String) -> Void = { StandardStreams.show($0) }
        let write = display == .log ? log ?? show : show
        self.init(unit, total: total, display: display, now: { .now }, write: write)
    }

    /// Creates a meter of the bytes that are read from a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor. If it is a file, its size gives the time left.
    ///   - writesMeanwhile: Whether results are written during the read. If so, nothing is shown when standard output
    ///     is a terminal, too, because its lines would be overwritten.
    ///   - log: Writes a line where standard error is no terminal; `nil` to write none.
    package init(
        descriptor: Int32,
        writesMeanwhile: Bool,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        self.init(
            .bytes,
            total: isFile && status.st_size > 0 ? Int(status.st_size) : nil,
            hidesFromTerminal: writesMeanwhile && isatty(STDOUT_FILENO) == 1,
            log: log
        )
    }

    /// Counts what was done since the last time, and updates the line at intervals.
    package mutating func advance(by count: Int) {
        guard display != .nowhere else { return }
        show(done + count, of: total)
    }

    /// Updates the line at intervals.
    ///
    /// - Parameters:
    ///   - done: How much is done.
    ///   - total: How much there is in all; `nil` if it is unknown.
    ///   - note: What stands behind it.
    package mutating func show(_ done: Int, of total: Int?, note: String = "") {
        (self.done, self.total) = (done, total)
        guard display != .nowhere, case let time = now(), time >= nextUpdate else { return }
        nextUpdate = time + display.interval
        let line = Self.line(
            done: done,
            first: first,
            total: total,
            elapsed: start.duration(to: time),
            unit: unit
        )
        guard display == .terminal else { return write(line + note) }
        hasLine = true
        write("\r\u{1B}[K\(line)\(note)")
    }

    /// Measures the rate from now on. What is done up to now was done before, such as by a run that was interrupted.
    package mutating func restart(at done: Int) {
        (self.done, first, start) = (done, done, now())
        // An attempt that is new is shown at once.
        if hasLine { nextUpdate = start }
    }

    /// Removes the line from the terminal.
    package mutating func finish() {
        if hasLine { write("\r\u{1B}[K") }
        hasLine = false
    }

    /// Returns the progress line.
    ///
    /// - Parameters:
    ///   - done: How much is done.
    ///   - first: How much was done before.
    ///   - total: How much there is in all; `nil` if it is unknown.
    ///   - elapsed: The time since then.
    ///   - unit: What is counted.
    /// - Returns: The line.
    static func line(
        done: Int,
        first: Int = 0,
        total: Int?,
        elapsed: Duration,
        unit: Unit = .bytes
    ) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        // Bytes of a broken transfer can be discarded.
        let rate = seconds > 0 ? max(0, Double(done) - Double(first)) / seconds : 0
        // A server can name any total, and the number of rows is an estimate.
        let known = total.flatMap { done >= 0 && $0 > 0 && $0 >= done ? $0 : nil }
        var line: String
        switch unit {
        case .bytes: line = "\(size(Double(done)))  \(size(rate))/s"
        case .records, .rows:
            let about = unit == .rows ? "about " : ""
            line = known.map { "\(done) of \(about)\($0) \(unit)" } ?? "\(done) \(unit)"
            line += "  \((rate * 10).rounded() / 10)/s"
        }
        if let known {
            line += "  \(Int((Double(done) / Double(known) * 100).rounded(.down))) %"
            let left = (Double(known - done) / rate).rounded(.up)
            if left < 1e9 { line += "  \(TimeLeft.text(seconds: left)) left" }
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
}
