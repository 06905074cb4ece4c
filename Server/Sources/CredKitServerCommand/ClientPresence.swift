// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers
import NIOCore

/// Whether the client of a connection is still there. What is computed for it ends when it has gone, or has waited for too
/// long.
final class ClientPresence: Sendable {
    /// That of the connection whose request is answered.
    @TaskLocal static var current: ClientPresence?

    /// The time in which a request must be answered, from its head on. It is longer than a form may take, so that nothing reads
    /// from the connection any more when it ends; and shorter than the 60 seconds for which proxies wait.
    static let answerTimeout = Duration.seconds(20)

    private struct State {
        var isGone = false
        var idleSince = NIODeadline.now()
        /// Whether the server waits for the client's form.
        var isReading = false
        /// The requests that have arrived and that no one has begun to answer.
        var waitingRequests = 0
        /// The answer on which the server works. A connection has one request at a time.
        var work: Task<Void, Never>?
    }

    private let loop: any EventLoop
    private let executor: EventLoopExecutor
    private let state = NIOLockedValueBox(State())

    init(of channel: any Channel) {
        loop = channel.eventLoop
        executor = EventLoopExecutor(loop)
        channel.closeFuture.whenComplete { [self] _ in end() }
    }

    /// Notes that the client has gone.
    func end() {
        let work = state.withLockedValue { state in
            state.isGone = true
            return state.work
        }
        work?.cancel()
    }

    /// Notes that a request has arrived.
    func requestArrived() { state.withLockedValue { $0.waitingRequests += 1 } }

    /// Waits before a request is answered behind which the client has sent more. An event loop reads from no connection as long as
    /// one has something to do at once, timers that are due included: so all of them together have pauses.
    func beginRequest() async {
        let hasMore = state.withLockedValue { state in
            state.waitingRequests -= 1
            return state.waitingRequests > 0
        }
        guard hasMore else { return }
        let count = Self.pausing.withLockedValue { count in
            count += 1
            return count
        }
        try? await loop.scheduleTask(in: Self.pause * count) {}.futureResult.get()
        Self.pausing.withLockedValue { $0 -= 1 }
    }

    /// Some times as long as the answer to a cheap request takes.
    private static let pause = TimeAmount.milliseconds(4)
    /// The requests of all connections that wait for their pauses.
    private static let pausing = NIOLockedValueBox(0)

    /// Whether the client has gone.
    var isGone: Bool { state.withLockedValue { $0.isGone } }

    /// Whether the client waits for an answer on which the server works.
    var isAwaitingAnswer: Bool { state.withLockedValue { $0.work != nil && !$0.isReading } }

    /// Waits for what the client of the present request still has to send: it is the client that is idle.
    static func whileReading<Value>(_ body: () async -> Value) async -> Value {
        current?.state.withLockedValue { $0.isReading = true }
        defer { current?.state.withLockedValue { $0.isReading = false } }
        return await body()
    }

    /// Since when the client has had no answer to wait for.
    var idleSince: NIODeadline { state.withLockedValue { $0.idleSince } }

    /// Processes the requests of the connection on its event loop.
    func serve(_ body: @Sendable () async -> Void) async {
        await Self.$current.withValue(self) {
            await withTaskExecutorPreference(executor, operation: body)
        }
    }

    /// Works on an answer, and cancels the work when the client has gone or the time is up.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - work: The work. It may continue after the time, if it cannot be interrupted.
    /// - Returns: The answer; `nil` if there was none in time.
    /// - Throws: What the work throws, which is ``LoginServerError/cancelled`` for a client that has gone.
    func answer(
        within limit: Duration = answerTimeout,
        _ work: @escaping @Sendable () async throws -> ServerAnswer
    ) async throws -> ServerAnswer? {
        let promise = loop.makePromise(of: ServerAnswer?.self)
        // A promise keeps its first value.
        let task = Task(executorPreference: executor) {
            do { promise.succeed(try await work()) } catch { promise.fail(error) }
        }
        let timer = loop.scheduleTask(in: TimeAmount(limit)) {
            promise.succeed(nil)
            task.cancel()
        }
        state.withLockedValue { $0.work = task }
        if isGone { task.cancel() }
        defer {
            timer.cancel()
            state.withLockedValue { state in
                state.work = nil
                state.idleSince = .now()
            }
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            task.cancel()
        }
    }
}

/// Runs tasks on an event loop, which must not end before them. What computes for long or blocks must go elsewhere, as the
/// verification of passwords does: it has threads of its own.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
