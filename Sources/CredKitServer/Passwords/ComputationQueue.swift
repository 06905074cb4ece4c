// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A computation queue: decides which computations run, wait or are rejected, by their memory, by how long they would wait,
/// and by how many of the same client or account wait already. The clients take turns.
struct ComputationQueue: Sendable {
    /// The limits; their values are those of `PasswordService.Configuration`.
    struct Limits: Sendable {
        /// The memory of all computations that run at once, in bytes.
        var memory: Int
        /// The computations that run at once.
        var concurrency: Int
        /// The computations that wait.
        var waiting: Int
        var waitingPerClient: Int
        var waitingPerAccount: Int
        /// The longest wait that is expected of a computation when it is added, in seconds.
        var seconds: Double
    }

    struct Job: Sendable, Hashable {
        /// Bytes.
        let memory: Int
        /// The seconds that it is expected to take.
        let seconds: Double
        /// `nil` for what the program itself computes, which counts as one client without a limit of its own.
        var client: String?
        var account: String?
    }

    enum Decision: Sendable, Equatable {
        case started
        case queued(ticket: Int)
        case rejected
    }

    /// The waiting computations of a client.
    private struct Lane {
        let client: String?
        var waiting: [(ticket: Int, job: Job)]
    }

    private let limits: Limits
    /// Whether one client leaves a place to the others, because computations are so long that they should not wait for one.
    var reservesPlace = false
    private var usedMemory = 0
    private var nextTicket = 0
    private(set) var running = 0
    /// The number of running computations of each client.
    private var runningOfClients: [String?: Int] = [:]
    /// In the order of their turns; none is empty.
    private var lanes: [Lane] = []

    init(_ limits: Limits) { self.limits = limits }

    /// The number of waiting computations.
    var waiting: Int { lanes.reduce(0) { $0 + $1.waiting.count } }

    /// Adds a computation. Its own time does not count: it would show the kind of a user's hash.
    mutating func enqueue(_ job: Job) -> Decision {
        if nextLane == nil && hasPlace(for: job.client) && fits(job.memory) {
            take(job)
            return .started
        }
        let index = lanes.firstIndex { $0.client == job.client }
        guard waiting < limits.waiting, hasRoomForAccount(of: job),
            job.client == nil || index.map({ lanes[$0].waiting.count < limits.waitingPerClient }) ?? true,
            secondsAhead(of: job.client, in: index) <= limits.seconds
        else { return .rejected }
        nextTicket += 1
        if let index {
            lanes[index].waiting.append((nextTicket, job))
        } else {
            lanes.append(Lane(client: job.client, waiting: [(nextTicket, job)]))
        }
        return .queued(ticket: nextTicket)
    }

    /// Whether a computation would be rejected, as far as client and account decide.
    func rejects(client: String?, account: String?) -> Bool {
        var copy = self
        return copy.enqueue(Job(memory: 0, seconds: 0, client: client, account: account)) == .rejected
    }

    /// Ends a running computation. Returns the tickets of the computations that can start now.
    mutating func finish(_ job: Job) -> [Int] {
        usedMemory -= job.memory
        running -= 1
        // Another client has the next turn, also if nothing runs for this one any more.
        let started = admitWaiting(limit: 1)
        let count = (runningOfClients[job.client] ?? 0) - 1
        runningOfClients[job.client] = count > 0 ? count : nil
        return started + admitWaiting()
    }

    /// Removes a waiting computation. Returns the tickets of the computations that can start now.
    mutating func cancel(_ ticket: Int) -> [Int] {
        for index in lanes.indices { lanes[index].waiting.removeAll { $0.ticket == ticket } }
        lanes.removeAll(where: \.waiting.isEmpty)
        return admitWaiting()
    }

    private mutating func admitWaiting(limit: Int = .max) -> [Int] {
        var started: [Int] = []
        while started.count < limit, let index = nextLane, let next = lanes[index].waiting.first,
            fits(next.job.memory)
        {
            var lane = lanes.remove(at: index)
            lane.waiting.removeFirst()
            take(next.job)
            if !lane.waiting.isEmpty { lanes.append(lane) }
            started.append(next.ticket)
        }
        return started
    }

    /// The lane whose turn it is: the first one of a client for which nothing runs, or else the first one. However dear the
    /// computations of others are, such a client does not wait for the next of them.
    private var nextLane: Int? {
        lanes.firstIndex { runningOfClients[$0.client] == nil }
            ?? lanes.firstIndex { hasPlace(for: $0.client) }
    }

    private func hasPlace(for client: String?) -> Bool {
        runningOfClients[client] ?? 0 < places(of: client)
    }

    /// The computations of a client that run at once.
    private func places(of client: String?) -> Int {
        reservesPlace && client != nil ? max(1, limits.concurrency - 1) : limits.concurrency
    }

    private func hasRoomForAccount(of job: Job) -> Bool {
        guard let account = job.account else { return true }
        let count = lanes.reduce(0) { $0 + $1.waiting.count { $0.job.account == account } }
        return count < limits.waitingPerAccount
    }

    /// Returns the seconds of all that waits and starts before a computation that is added to a lane, or to a new one at the
    /// end. What runs is not counted: it can be long, and others must not have a client refused by it.
    private func secondsAhead(of client: String?, in own: Int?) -> Double {
        let turns = own.map { lanes[$0].waiting.count } ?? 0
        let comesFirst = turns == 0 && runningOfClients[client] == nil
        let all = lanes.enumerated().reduce(0) { seconds, lane in
            let isEarlier = lane.offset < own ?? lanes.count
            let isPassed = comesFirst && runningOfClients[lane.element.client] != nil
            let count = isPassed ? 0 : turns + (isEarlier ? 1 : 0)
            return lane.element.waiting.prefix(count).reduce(seconds) { $0 + load(of: $1.job) }
        }
        let ownSeconds = own.map { lanes[$0].waiting.reduce(0) { $0 + $1.job.seconds } } ?? 0
        return max(all, ownSeconds / Double(places(of: client)))
    }

    /// Returns the seconds by which a computation delays those after it: as many run at once as cores and memory allow.
    private func load(of job: Job) -> Double {
        job.seconds
            * max(1 / Double(limits.concurrency), min(1, Double(job.memory) / Double(max(1, limits.memory))))
    }

    /// No computation needs more than the whole budget: the context's limits are lowered to it.
    private func fits(_ memory: Int) -> Bool {
        running == 0 || running < limits.concurrency && memory <= limits.memory - usedMemory
    }

    private mutating func take(_ job: Job) {
        usedMemory += job.memory
        running += 1
        runningOfClients[job.client, default: 0] += 1
    }
}
