// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Reports progress to a program: the first and the last state of each attempt, and between them at most ten a second.
final class ProgressReporter: Sendable {
    private struct State {
        var progress = ByteProgress(completed: 0, total: nil, attempt: 0)
        var nextReport: ContinuousClock.Instant?
        var isReported = true
        var isFinished = false
        var completed: Counter?
    }

    /// Returns the number of bytes that are done.
    ///
    /// - Parameter isAnswered: Whether the response has arrived.
    typealias Counter = @Sendable (_ isAnswered: Bool) -> Int64

    private static let interval = Duration.milliseconds(100)

    // Held while the program is called, so that reports of several threads arrive in order.
    private let state = Lock(State())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let report: @Sendable (ByteProgress) -> Void

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - now: The clock.
    ///   - report: Gets the progress.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ report: @escaping @Sendable (ByteProgress) -> Void
    ) {
        self.now = now
        self.report = report
    }

    /// Begins an attempt.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes that are done already.
    ///   - total: The number of bytes in all; `nil` if it is unknown.
    ///   - counter: Counts the bytes at the end; `nil` if all are noted.
    /// - Returns: The number of the attempt.
    @discardableResult
    func begin(at completed: Int64 = 0, of total: Int64?, counter: Counter? = nil) -> Int {
        countLast(isAnswered: false)
        return state.withLock { state in
            let attempt = state.progress.attempt + 1
            guard !state.isFinished else { return attempt }
            // The last state of the attempt before.
            if !state.isReported { send(state.progress, &state) }
            state.completed = counter
            send(ByteProgress(completed: completed, total: total, attempt: attempt), &state)
            return attempt
        }
    }

    /// Notes how many bytes are done.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes.
    ///   - attempt: The attempt, which has no effect after the next one has begun; the current one if `nil`.
    func advance(to completed: Int64, attempt: Int? = nil) {
        state.withLock { state in
            let old = state.progress
            guard !state.isFinished, completed > old.completed, attempt ?? old.attempt == old.attempt else {
                return
            }
            state.progress = ByteProgress(completed: completed, total: old.total, attempt: old.attempt)
            state.isReported = false
            guard let next = state.nextReport, now() >= next else { return }
            send(state.progress, &state)
        }
    }

    /// Reports the last state of a body whose request was answered. Later calls have no effect.
    ///
    /// - Parameter total: The size of the body in bytes; `nil` if it is unknown.
    func finishAnswered(of total: Int64?) {
        // A server may answer before the transport asks for the body, above all for an empty one.
        if state.withLock({ $0.progress.attempt == 0 }) { begin(of: total) }
        finish(isAnswered: true)
    }

    /// Reports the last state. Later calls have no effect.
    func finish() { finish(isAnswered: false) }

    private func finish(isAnswered: Bool) {
        countLast(isAnswered: isAnswered)
        state.withLock { state in
            if !state.isReported { send(state.progress, &state) }
            state.isFinished = true
        }
    }

    private func countLast(isAnswered: Bool) {
        let counter = state.withLock { state in
            defer { state.completed = nil }
            return state.completed
        }
        // Not while the lock is held: what counts has a lock of its own.
        if let counter { advance(to: counter(isAnswered)) }
    }

    private func send(_ progress: ByteProgress, _ state: inout State) {
        state.progress = progress
        state.isReported = true
        state.nextReport = now().advanced(by: Self.interval)
        report(progress)
    }
}
