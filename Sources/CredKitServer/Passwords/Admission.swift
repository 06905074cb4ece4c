// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Who may compute now, who waits and who is sent away: strictly in order, within a memory budget.
struct Admission: Sendable {
    enum Decision: Sendable, Equatable {
        case admitted
        case queued(ticket: Int)
        case refused
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

    /// Somebody comes who needs that much memory.
    mutating func enter(memory: Int) -> Decision {
        if waiting.isEmpty && fits(memory) {
            take(memory)
            return .admitted
        }
        guard waiting.count < queueLimit else { return .refused }
        nextTicket += 1
        waiting.append(Waiter(ticket: nextTicket, memory: memory))
        return .queued(ticket: nextTicket)
    }

    /// Somebody who was admitted goes; the tickets of those who are admitted in turn.
    mutating func leave(memory: Int) -> [Int] {
        usedMemory -= memory
        running -= 1
        return admitWaiting()
    }

    /// Somebody who waits goes; the tickets of those who are admitted in turn.
    mutating func giveUp(_ ticket: Int) -> [Int] {
        waiting.removeAll { $0.ticket == ticket }
        return admitWaiting()
    }

    private mutating func admitWaiting() -> [Int] {
        var admitted: [Int] = []
        while let first = waiting.first, fits(first.memory) {
            waiting.removeFirst()
            take(first.memory)
            admitted.append(first.ticket)
        }
        return admitted
    }

    /// Nothing needs more than the whole budget: the limits are no higher.
    private func fits(_ memory: Int) -> Bool {
        running == 0 || running < concurrency && memory <= memoryByteCount - usedMemory
    }

    private mutating func take(_ memory: Int) {
        usedMemory += memory
        running += 1
    }
}
