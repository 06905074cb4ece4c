// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let store = try InMemoryReplayStore(clock: clock)
/// clock.advance(by: .seconds(60))
/// ```
public final class ManualClock: Clock, Sendable {
    /// A point in time of a ``ManualClock``.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let elapsed: Duration

        /// Returns the point in time after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }

        /// Returns the duration to another point in time.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

        /// Returns whether one point in time is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.elapsed < right.elapsed }
    }

    private struct Sleeper: Sendable {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var elapsed = Duration.zero
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// The sleepers that were cancelled before they slept.
        var cancelled: Set<Int> = []
    }

    private let state = Lock(State())

    /// Creates a clock.
    public init() {}

    /// The point in time to which the clock was advanced.
    public var now: Instant { Instant(elapsed: state.withLock { $0.elapsed }) }

    /// The smallest duration, one attosecond.
    public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clock, and wakes the tasks whose time has come.
    ///
    /// - Parameter duration: The time to advance by. A negative duration has no effect.
    public func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.elapsed += max(.zero, duration)
            let awake = state.sleepers.filter { $0.value.deadline <= state.elapsed }
            for id in awake.keys { state.sleepers[id] = nil }
            return awake.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in awake { sleeper.continuation.resume() }
    }

    /// Waits until the clock was advanced to a point in time.
    ///
    /// - Parameters:
    ///   - deadline: The point in time.
    ///   - tolerance: Ignored: a manual clock is exact.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(deadline: deadline.elapsed, continuation: continuation)
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    if sleeper.deadline <= state.elapsed { return .success(()) }
                    state.sleepers[id] = sleeper
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
