// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Cancels operations at their deadline. One sleeping task serves all of them.
package final class DeadlineWatch: Sendable {
    package static let shared = DeadlineWatch()

    /// The watched operations. An entry is removed when its operation is done, so that nothing is retained
    /// until the deadline.
    private struct State: Sendable {
        var entries: [UInt64: Entry] = [:]
        var nextNumber: UInt64 = 0
        /// When the sleeping task wakes; `nil` if there is none.
        var wakesAt: ContinuousClock.Instant?
        /// The number of the current sleeping task.
        var sleeper: UInt64 = 0
        /// That task.
        var sleepingTask: Task<Void, Never>?
        /// The number of tasks that sleep.
        var sleepingCount = 0
    }

    private struct Entry: Sendable {
        var deadline: ContinuousClock.Instant
        var work: Work
    }

    /// The state of an operation that its task and the watch share.
    private final class Work: Sendable {
        private struct Progress: Sendable {
            var isDone = false
            var isLate = false
            var cancel: (@Sendable () -> Void)?
        }

        private let progress = Lock(Progress())

        var isDone: Bool { progress.withLock { $0.isDone } }
        func finish() { progress.withLock { $0.isDone = true } }

        /// Cancels the operation, now or as soon as it can be cancelled.
        func end() {
            let cancel = progress.withLock { progress in
                progress.isLate = true
                return progress.cancel
            }
            cancel?()
        }

        func canBeEnded(by cancel: @escaping @Sendable () -> Void) {
            let isLate = progress.withLock { progress in
                progress.cancel = cancel
                return progress.isLate
            }
            if isLate { cancel() }
        }
    }

    private let state = Lock(State())

    /// Runs `operation` and cancels it at the deadline.
    ///
    /// The operation starts immediately, on the caller's thread. Most bodies are already available: then
    /// there is no waiting, and the watch is not involved.
    package func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ operation: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let work = Work()
        let task = Task.immediate { () async -> Result<Value, ClientError> in
            defer { work.finish() }
            do throws(ClientError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        if work.isDone { return try Self.value(of: await task.value, until: deadline) }
        work.canBeEnded { task.cancel() }
        let number = watch(work, until: deadline)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { _ = $0.entries.removeValue(forKey: number) }
        return try Self.value(of: result, until: deadline)
    }

    /// Returns the value of a result. What ends as cancelled after the deadline has timed out: also a body whose last piece
    /// was there when the deadline ended it, and that is asked for the next one.
    private static func value<Value>(
        of result: Result<Value, ClientError>,
        until deadline: ContinuousClock.Instant
    ) throws(ClientError) -> Value {
        if case .failure(.cancelled) = result, !Task.isCancelled, ContinuousClock.now >= deadline {
            throw .timedOut
        }
        return try result.get()
    }

    private func watch(_ work: Work, until deadline: ContinuousClock.Instant) -> UInt64 {
        let (number, sleeper) = state.withLock { state -> (UInt64, UInt64?) in
            let number = state.nextNumber
            state.nextNumber &+= 1
            state.entries[number] = Entry(deadline: deadline, work: work)
            if let wakesAt = state.wakesAt, wakesAt <= deadline { return (number, nil) }
            state.wakesAt = deadline
            state.sleeper &+= 1
            return (number, state.sleeper)
        }
        if let sleeper { sleep(until: deadline, as: sleeper) }
        return number
    }

    private func sleep(until instant: ContinuousClock.Instant, as sleeper: UInt64) {
        state.withLock { $0.sleepingCount += 1 }
        let task = Task.detached { [self] in
            var instant: ContinuousClock.Instant? = instant
            while let next = instant {
                try? await Task.sleep(until: next, tolerance: .milliseconds(5), clock: .continuous)
                instant = endLateWork(as: sleeper)
            }
            state.withLock { $0.sleepingCount -= 1 }
        }
        // One that sleeps for longer would remain until then, and another one come with each early deadline.
        let replaced = state.withLock { state -> Task<Void, Never>? in
            guard state.sleeper == sleeper else { return task }
            defer { state.sleepingTask = task }
            return state.sleepingTask
        }
        replaced?.cancel()
    }

    /// The number of tasks that sleep; one unless a task is just being replaced.
    var sleepingCount: Int { state.withLock { $0.sleepingCount } }

    /// Cancels late operations and returns when to check again; `nil` if none are left or another task sleeps
    /// for the rest.
    private func endLateWork(as sleeper: UInt64) -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Work], ContinuousClock.Instant?) in
            guard state.sleeper == sleeper else { return ([], nil) }
            var late: [Work] = []
            var earliest: ContinuousClock.Instant?
            for (number, entry) in state.entries {
                if entry.deadline <= now {
                    late.append(entry.work)
                    state.entries[number] = nil
                } else if earliest.map({ entry.deadline < $0 }) ?? true {
                    earliest = entry.deadline
                }
            }
            // Timeouts that are close together are handled together.
            state.wakesAt = earliest.map { max($0, now.advanced(by: .milliseconds(5))) }
            return (late, state.wakesAt)
        }
        for work in late { work.end() }
        return next
    }
}
