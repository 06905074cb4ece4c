// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

// How computations get their turns.
extension PasswordService {
    /// A computation that waits.
    struct Waiting {
        let job: ComputationQueue.Job
        /// Receives where it computes; `nil` if it is cancelled.
        let continuation: CheckedContinuation<SharedCore.Seat?, Never>
    }

    /// The numbers of computations that run and wait now.
    var load: (running: Int, waiting: Int) { (queue.running, queue.waiting) }

    /// Runs a computation on its own thread, when the queue accepts it. If the task is cancelled, the computation is
    /// interrupted; its memory counts until it has ended.
    func run<Value: Sendable>(
        _ job: ComputationQueue.Job,
        _ body: @escaping @Sendable (Interruption) -> Value
    ) async throws(PasswordError) -> Value {
        var job = job
        lastJob += 1
        job.id = lastJob
        let seat = try await enqueue(job)
        defer { start(queue.finish(job)) }
        return try await ComputationThread.run(in: seat, body)
    }

    private func enqueue(_ job: ComputationQueue.Job) async throws(PasswordError) -> SharedCore.Seat {
        guard !Task.isCancelled else { throw .cancelled }
        switch queue.enqueue(job) {
        case .started: return seat(for: job)
        case .rejected: throw .busy
        case .queued(let ticket):
            let seat = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    waiting[ticket] = Waiting(job: job, continuation: continuation)
                    // Several that wait may save time where one did not.
                    start(queue.admit())
                    // The task may have been cancelled before the continuation was stored.
                    if Task.isCancelled { cancel(ticket) }
                }
            } onCancel: {
                Task { await cancel(ticket) }
            }
            guard let seat else { throw .cancelled }
            return seat
        }
    }

    private func cancel(_ ticket: Int) {
        guard let cancelled = waiting.removeValue(forKey: ticket) else { return }
        let started = queue.cancel(ticket)
        cancelled.continuation.resume(returning: nil)
        // The computations behind it may have waited only for their turn.
        start(started)
    }

    /// Starts computations that the queue has admitted.
    private func start(_ tickets: [Int]) {
        let admitted = tickets.compactMap { waiting.removeValue(forKey: $0) }
        // All have their seats before the first of them computes, so that those that start together find each other.
        let seats = admitted.map { seat(for: $0.job) }
        for (computation, seat) in zip(admitted, seats) { computation.continuation.resume(returning: seat) }
    }

    /// Returns the place of a computation that was admitted, on its core.
    private func seat(for job: ComputationQueue.Job) -> SharedCore.Seat {
        let number = queue.core(of: job) ?? 0
        let core = cores[number] ?? SharedCore()
        cores[number] = core
        return core.expect()
    }
}
