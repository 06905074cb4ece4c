// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A computation queue: decides which computations run, wait or are rejected, by their memory, by how long they would wait,
/// and by how many of the same client or account wait already. The clients take turns.
///
/// A computation starts on an idle core. If there is none, it joins those of its group on a core, where this saves time. It
/// never passes one whose turn is before its own: while that one is of another group, the computations of a core end.
struct ComputationQueue: Sendable {
    /// The limits; their values are those of `PasswordService.Configuration`.
    struct Limits: Sendable {
        /// The memory of all computations that run at once, in bytes.
        var memory: Int
        /// The cores on which computations run.
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
        /// What it can share a core with; `nil` if it computes alone.
        var group: LaneGroup?
        /// Tells it apart from an equal one.
        var id = 0
    }

    enum Decision: Sendable, Equatable {
        case started
        case queued(ticket: Int)
        case rejected
    }

    /// The waiting computations of a client.
    private struct Line {
        let client: String?
        var waiting: [(ticket: Int, job: Job)]
    }

    /// The computations of a core.
    private struct Core {
        var jobs: [Job] = []
        /// One that ends, while another client has the next turn.
        var ending: Job?
        /// Whether its computations may still be joined by those that start together with them.
        var isStarting = true
        /// Whether several computations started together, or still run.
        var hasSeveral = false

        func serves(_ client: String?) -> Bool {
            jobs.contains { $0.client == client } || ending.map { $0.client == client } ?? false
        }
    }

    private let limits: Limits
    /// Whether one client leaves a place to the others, because computations are so long that they should not wait for one.
    var reservesPlace = false
    private var usedMemory = 0
    private var nextTicket = 0
    private(set) var running = 0
    /// The number of running computations of each client.
    private var runningOfClients: [String?: Int] = [:]
    /// Those on which something has run so far.
    private var cores: [Core] = []
    /// In the order of their turns; none is empty.
    private var lines: [Line] = []

    init(_ limits: Limits) { self.limits = limits }

    /// The number of waiting computations.
    var waiting: Int { lines.reduce(0) { $0 + $1.waiting.count } }

    /// Returns the number of the core on which a computation runs.
    func core(of job: Job) -> Int? { cores.firstIndex { $0.jobs.contains(job) } }

    /// Adds a computation. Its own time does not count: it would show the kind of a user's hash.
    mutating func enqueue(_ job: Job) -> Decision {
        if nextLine == nil, fits(job.memory), let core = place(for: job), isIdle(core) || !isBehindOthers(job)
        {
            take(job, core)
            endStart()
            return .started
        }
        let index = lines.firstIndex { $0.client == job.client }
        guard waiting < limits.waiting, hasRoomForAccount(of: job),
            job.client == nil || index.map({ lines[$0].waiting.count < limits.waitingPerClient }) ?? true,
            secondsAhead(of: job.client, in: index) <= limits.seconds
        else { return .rejected }
        nextTicket += 1
        if let index {
            lines[index].waiting.append((nextTicket, job))
        } else {
            lines.append(Line(client: job.client, waiting: [(nextTicket, job)]))
        }
        return .queued(ticket: nextTicket)
    }

    /// Returns the tickets of the computations that can start now, because together they save more than one would have: to be
    /// called after one was added.
    mutating func admit() -> [Int] {
        defer { endStart() }
        return admitWaiting()
    }

    /// Whether a computation would be rejected, as far as client and account decide.
    func rejects(client: String?, account: String?) -> Bool {
        var copy = self
        return copy.enqueue(Job(memory: 0, seconds: 0, client: client, account: account)) == .rejected
    }

    /// Ends a running computation. Returns the tickets of the computations that can start now.
    mutating func finish(_ job: Job) -> [Int] {
        guard let core = core(of: job), let index = cores[core].jobs.firstIndex(of: job) else { return [] }
        defer { endStart() }
        usedMemory -= job.memory
        running -= 1
        cores[core].jobs.remove(at: index)
        // Another client has the next turn, also if nothing runs for this one any more.
        cores[core].ending = job
        let started = admitWaiting(limit: 1)
        cores[core].ending = nil
        let count = (runningOfClients[job.client] ?? 0) - 1
        runningOfClients[job.client] = count > 0 ? count : nil
        return started + admitWaiting()
    }

    /// Removes a waiting computation. Returns the tickets of the computations that can start now.
    mutating func cancel(_ ticket: Int) -> [Int] {
        for index in lines.indices { lines[index].waiting.removeAll { $0.ticket == ticket } }
        lines.removeAll(where: \.waiting.isEmpty)
        return admit()
    }

    private mutating func admitWaiting(limit: Int = .max) -> [Int] {
        var started: [Int] = []
        while started.count < limit, let index = nextLine, let next = lines[index].waiting.first,
            fits(next.job.memory), let core = place(for: next.job)
        {
            var line = lines.remove(at: index)
            line.waiting.removeFirst()
            take(next.job, core)
            if !line.waiting.isEmpty { lines.append(line) }
            started.append(next.ticket)
        }
        return started
    }

    /// The line whose turn it is: the first one of a client for which nothing runs, or else the first one. However dear the
    /// computations of others are, such a client does not wait for the next of them.
    private var nextLine: Int? {
        lines.firstIndex { runningOfClients[$0.client] == nil }
            ?? lines.firstIndex { line in
                mayTakeCore(line.client) || line.waiting.first.map { place(for: $0.job) != nil } ?? false
            }
    }

    /// Whether a client may have computations on one core more.
    private func mayTakeCore(_ client: String?) -> Bool {
        cores.count { $0.serves(client) } < places(of: client)
    }

    /// The cores on which computations of a client run at once.
    private func places(of client: String?) -> Int {
        reservesPlace && client != nil ? max(1, limits.concurrency - 1) : limits.concurrency
    }

    /// Returns the core on which a computation can start: an idle one; or else the one with the fewest that it can join.
    private func place(for job: Job) -> Int? {
        let mayTakeCore = mayTakeCore(job.client)
        if mayTakeCore {
            // A core that a client leaves is not idle for that client yet.
            if let idle = cores.firstIndex(where: \.jobs.isEmpty) { return idle }
            if cores.count < limits.concurrency { return cores.count }
        }
        return cores.indices.filter { (mayTakeCore || cores[$0].serves(job.client)) && canJoin(job, $0) }
            .min { cores[$0].jobs.count < cores[$1].jobs.count }
    }

    private func isIdle(_ core: Int) -> Bool { core == cores.count || cores[core].jobs.isEmpty }

    /// Whether others wait that could join the same computations, together with this one.
    private func isBehindOthers(_ job: Job) -> Bool {
        lines.contains { line in
            line.client == job.client || line.waiting.contains { $0.job.group == job.group }
        }
    }

    /// Whether a computation saves time beside those of a core.
    private func canJoin(_ job: Job, _ index: Int) -> Bool {
        let core = cores[index]
        guard let group = job.group, !core.jobs.isEmpty, core.jobs.allSatisfy({ $0.group == group }) else {
            return false
        }
        let mayJoin =
            switch group.joining {
            case .anytime: true
            case .besideSeveral: core.isStarting || core.hasSeveral
            case .atStart: core.isStarting
            }
        // A core that is idle now is kept for other clients, and so is the memory of a computation there.
        let idle = limits.concurrency - cores.count { !$0.jobs.isEmpty }
        guard job.memory <= (limits.memory - usedMemory) / (idle + 1) else { return false }
        // The one that is added now does not wait.
        let others = lines.reduce(0) { $0 + $1.waiting.count { $0.job.group == group && $0.job != job } }
        return mayJoin && core.jobs.count < group.count(of: core.jobs.count + 1 + others)
    }

    private func hasRoomForAccount(of job: Job) -> Bool {
        guard let account = job.account else { return true }
        let count = lines.reduce(0) { $0 + $1.waiting.count { $0.job.account == account } }
        return count < limits.waitingPerAccount
    }

    /// Returns the seconds of all that waits and starts before a computation that is added to a line, or to a new one at the
    /// end. What runs is not counted: it can be long, and others must not have a client refused by it.
    private func secondsAhead(of client: String?, in own: Int?) -> Double {
        let turns = own.map { lines[$0].waiting.count } ?? 0
        let comesFirst = turns == 0 && runningOfClients[client] == nil
        let all = lines.enumerated().reduce(0) { seconds, line in
            let isEarlier = line.offset < own ?? lines.count
            let isPassed = comesFirst && runningOfClients[line.element.client] != nil
            let count = isPassed ? 0 : turns + (isEarlier ? 1 : 0)
            return line.element.waiting.prefix(count).reduce(seconds) { $0 + load(of: $1.job) }
        }
        let ownSeconds = own.map { lines[$0].waiting.reduce(0) { $0 + $1.job.seconds } } ?? 0
        return max(all, ownSeconds / Double(places(of: client)))
    }

    /// Returns the seconds by which a computation delays those after it: as many run at once as cores and memory allow.
    private func load(of job: Job) -> Double {
        job.seconds
            * max(1 / Double(limits.concurrency), min(1, Double(job.memory) / Double(max(1, limits.memory))))
    }

    /// No computation needs more than the whole budget: the context's limits are lowered to it.
    private func fits(_ memory: Int) -> Bool { running == 0 || memory <= limits.memory - usedMemory }

    private mutating func take(_ job: Job, _ core: Int) {
        if core == cores.count { cores.append(Core()) }
        if cores[core].jobs.isEmpty {
            cores[core].isStarting = true
            cores[core].hasSeveral = false
        }
        cores[core].jobs.append(job)
        usedMemory += job.memory
        running += 1
        runningOfClients[job.client, default: 0] += 1
    }

    /// What was admitted at once starts; what is admitted later can only join it.
    private mutating func endStart() {
        for index in cores.indices where cores[index].isStarting {
            cores[index].isStarting = false
            cores[index].hasSeveral = cores[index].jobs.count > 1
        }
    }
}
