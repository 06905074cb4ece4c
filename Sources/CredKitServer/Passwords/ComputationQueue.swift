// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A computation queue: decides which computations run, wait or are rejected, in order of arrival and within a memory
/// budget.
struct ComputationQueue: Sendable {
    enum Decision: Sendable, Equatable {
        case started
        case queued(ticket: Int)
        case rejected
    }

    struct Waiter: Sendable, Equatable {
        let ticket: Int
        let memory: Int
    }

    private let memoryByteCount: Int
    private let concurrency: Int
    private let queueLimit: Int
    private var usedMemory = 0
    private var nextTicket = 0
    private(set) var running = 0
    private(set) var waiting: [Waiter] = []

    init(memoryByteCount: Int, concurrency: Int, queueLimit: Int) {
        self.memoryByteCount = memoryByteCount
        self.concurrency = concurrency
        self.queueLimit = queueLimit
    }

    /// Adds a computation that needs `memory` bytes.
    mutating func enqueue(memory: Int) -> Decision {
        if waiting.isEmpty && fits(memory) {
            take(memory)
            return .started
        }
        guard waiting.count < queueLimit else { return .rejected }
        nextTicket += 1
        waiting.append(Waiter(ticket: nextTicket, memory: memory))
        return .queued(ticket: nextTicket)
    }

    /// Ends a running computation. Returns the tickets of the computations that can start now.
    mutating func finish(memory: Int) -> [Int] {
        usedMemory -= memory
        running -= 1
        return admitWaiting()
    }

    /// Removes a waiting computation. Returns the tickets of the computations that can start now.
    mutating func cancel(_ ticket: Int) -> [Int] {
        waiting.removeAll { $0.ticket == ticket }
        return admitWaiting()
    }

    private mutating func admitWaiting() -> [Int] {
        var started: [Int] = []
        while let first = waiting.first, fits(first.memory) {
            waiting.removeFirst()
            take(first.memory)
            started.append(first.ticket)
        }
        return started
    }

    /// No computation needs more than the whole budget: the context's limits are lowered to it.
    private func fits(_ memory: Int) -> Bool {
        running == 0 || running < concurrency && memory <= memoryByteCount - usedMemory
    }

    private mutating func take(_ memory: Int) {
        usedMemory += memory
        running += 1
    }
}
