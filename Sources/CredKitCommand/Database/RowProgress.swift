// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Glibc

/// Shows how many rows of a table are done, on a terminal's standard error.
struct RowProgress {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let total: Int?
    private var nextUpdate = ContinuousClock.now + .seconds(1)
    private var hasLine = false

    /// Creates a line for a table with about this number of rows; `nil` if it is unknown.
    init(total: Int?) { self.total = total }

    /// Updates the line at intervals.
    mutating func show(done: Int) {
        guard isShown, ContinuousClock.now >= nextUpdate else { return }
        nextUpdate = .now + .milliseconds(200)
        hasLine = true
        StandardStreams.show("\r\u{1B}[K\(Self.line(done: done, total: total))")
    }

    /// Removes the line from the terminal.
    mutating func finish() {
        if hasLine { StandardStreams.show("\r\u{1B}[K") }
        hasLine = false
    }

    /// Returns the line.
    static func line(done: Int, total: Int?) -> String {
        guard let total, total >= done else { return "\(done) rows" }
        return "\(done) of about \(total) rows"
    }
}
