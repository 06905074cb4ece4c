// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitTestSupport
import Testing

/// Computations that share a core.
@Suite struct ComputationQueueLaneTests {
    private typealias Job = ComputationQueue.Job
    private typealias Decision = ComputationQueue.Decision

    private static let pairs = LaneGroup(name: "pairs", joining: .anytime, counts: [1, 2])
    private static let others = LaneGroup(name: "others", joining: .anytime, counts: [1, 2])
    /// Three are faster together, two are not.
    private static let wide = LaneGroup(name: "wide", joining: .besideSeveral, counts: [1, 1, 3, 4])
    private static let together = LaneGroup(name: "together", joining: .atStart, counts: [1, 2])

    private static func queue(concurrency: Int = 1, memory: Int = 100) -> ComputationQueue {
        ComputationQueue(
            ComputationQueue.Limits(
                memory: memory,
                concurrency: concurrency,
                waiting: 64,
                waitingPerClient: 64,
                waitingPerAccount: 64,
                seconds: 1000
            )
        )
    }

    /// The job that gets the ticket `number`, if all before it wait too.
    private static func job(
        _ number: Int,
        _ group: LaneGroup?,
        client: String? = nil,
        memory: Int = 1
    ) -> Job { Job(memory: memory, seconds: 1, client: client, group: group, id: number) }

    @Test func idleCoresComeFirst() {
        var queue = Self.queue(concurrency: 2)
        let jobs = (0..<5).map { Self.job($0, Self.pairs) }
        for job in jobs.prefix(4) { #expect(queue.enqueue(job) == .started) }
        #expect(jobs.prefix(4).map { queue.core(of: $0) } == ([0, 1, 0, 1] as [Int?]))
        #expect(queue.enqueue(jobs[4]) == .queued(ticket: 1))
        #expect(queue.admit().isEmpty)
        // The place in the lanes of a core is taken at once.
        #expect(queue.finish(jobs[1]) == ([1] as [Int]))
        #expect(queue.core(of: jobs[4]) == 1)
        #expect(queue.running == 4)
    }

    @Test func waitingComputationOfAnotherGroupIsNotPassed() {
        var queue = Self.queue()
        let (first, second) = (Self.job(-1, Self.pairs), Self.job(0, Self.pairs))
        #expect(queue.enqueue(first) == .started)
        #expect(queue.enqueue(second) == .started)
        #expect(queue.enqueue(Self.job(1, Self.others)) == .queued(ticket: 1))
        #expect(queue.enqueue(Self.job(2, Self.pairs)) == .queued(ticket: 2))
        #expect(queue.enqueue(Self.job(3, Self.others)) == .queued(ticket: 3))
        // The lanes drain.
        #expect(queue.finish(second).isEmpty)
        #expect(queue.finish(first) == ([1] as [Int]))
        // Nor does the third one pass the second.
        #expect(queue.finish(Self.job(1, Self.others)) == ([2] as [Int]))
        #expect(queue.finish(Self.job(2, Self.pairs)) == ([3] as [Int]))
    }

    @Test func clientsTakeTurnsInLanes() {
        var queue = Self.queue()
        let jobs = ["a", "a", "a", "a", "b", "c"].enumerated().map {
            Self.job($0.offset - 1, Self.pairs, client: $0.element)
        }
        #expect(queue.enqueue(jobs[0]) == .started)
        #expect(queue.enqueue(jobs[1]) == .started)
        for (index, job) in jobs.dropFirst(2).enumerated() {
            #expect(queue.enqueue(job) == .queued(ticket: index + 1))
        }
        // Clients for which nothing runs come first.
        #expect(queue.finish(jobs[0]) == ([3] as [Int]))
        #expect(queue.finish(jobs[1]) == ([4] as [Int]))
        #expect(queue.finish(jobs[4]) == ([1] as [Int]))
    }

    @Test func clientThatLeavesACoreJoinsOnItsOwn() {
        var queue = Self.queue(concurrency: 2)
        queue.reservesPlace = true
        let jobs = (0..<3).map { Self.job($0, Self.pairs, client: "a") }
        #expect(queue.enqueue(jobs[0]) == .started)
        #expect(queue.enqueue(jobs[1]) == .started)
        #expect(jobs.prefix(2).map { queue.core(of: $0) } == ([0, 0] as [Int?]))
        #expect(queue.enqueue(jobs[2]) == .queued(ticket: 1))
        let other = Self.job(3, Self.pairs, client: "b")
        #expect(queue.enqueue(other) == .started)
        #expect(queue.core(of: other) == 1)
        #expect(queue.finish(jobs[0]) == ([1] as [Int]))
        #expect(queue.core(of: jobs[2]) == 0)
    }

    /// Otherwise the core that is kept for others would have no memory.
    @Test func lanesOfAClientLeaveMemoryToOthers() {
        var queue = Self.queue(concurrency: 2, memory: 4)
        queue.reservesPlace = true
        let jobs = (0..<2).map { Self.job($0, Self.pairs, client: "a", memory: 2) }
        #expect(queue.enqueue(jobs[0]) == .started)
        #expect(queue.enqueue(jobs[1]) == .queued(ticket: 1))
        #expect(queue.admit().isEmpty)
        let other = Self.job(2, Self.pairs, client: "b", memory: 2)
        #expect(queue.enqueue(other) == .started)
        #expect(queue.core(of: other) == 1)
        #expect(queue.finish(jobs[0]) == ([1] as [Int]))
    }

    @Test func oneThatBeganAloneIsNotMadeMuchSlower() {
        var queue = Self.queue()
        let jobs = (0...7).map { Self.job($0, Self.wide) }
        #expect(queue.enqueue(jobs[0]) == .started)
        for number in 1...5 {
            #expect(queue.enqueue(jobs[number]) == .queued(ticket: number))
            #expect(queue.admit().isEmpty)
        }
        // Four start together, and the fifth takes the place of one that ends.
        #expect(queue.finish(jobs[0]) == ([1, 2, 3, 4] as [Int]))
        #expect(queue.finish(jobs[2]) == ([5] as [Int]))
        for number in [1, 3] { #expect(queue.finish(jobs[number]).isEmpty) }
        // A third one beside the two that are left.
        #expect(queue.enqueue(jobs[6]) == .started)
        #expect(queue.finish(jobs[4]).isEmpty)
        #expect(queue.finish(jobs[6]).isEmpty)
        // Two are not faster together.
        #expect(queue.enqueue(jobs[7]) == .queued(ticket: 6))
        #expect(queue.finish(jobs[5]) == ([6] as [Int]))
    }

    @Test func computationsThatCannotBeJoinedStartTogether() {
        var queue = Self.queue(concurrency: 2)
        let jobs = (0...6).map { Self.job($0, Self.together) }
        #expect(queue.enqueue(jobs[0]) == .started)
        #expect(queue.enqueue(jobs[6]) == .started)
        for number in 1...5 {
            #expect(queue.enqueue(jobs[number]) == .queued(ticket: number))
            #expect(queue.admit().isEmpty)
        }
        #expect(queue.finish(jobs[0]) == ([1, 2] as [Int]))
        #expect(queue.core(of: jobs[1]) == queue.core(of: jobs[2]))
        #expect(queue.finish(jobs[1]).isEmpty)
        #expect(queue.finish(jobs[6]) == ([3, 4] as [Int]))
        #expect(queue.finish(jobs[2]) == ([5] as [Int]))
    }

    @Test func memoryOfEachLaneCounts() {
        var queue = Self.queue(memory: 100)
        let jobs = (0...3).map { Self.job($0, Self.together, memory: 60) }
        #expect(queue.enqueue(jobs[0]) == .started)
        for number in 1...3 { #expect(queue.enqueue(jobs[number]) == .queued(ticket: number)) }
        #expect(queue.finish(jobs[0]) == ([1] as [Int]))
        #expect(queue.finish(jobs[1]) == ([2] as [Int]))
        var larger = Self.queue(memory: 120)
        #expect(larger.enqueue(jobs[0]) == .started)
        for number in 1...3 { #expect(larger.enqueue(jobs[number]) == .queued(ticket: number)) }
        #expect(larger.finish(jobs[0]) == ([1, 2] as [Int]))
    }

    @Test func severalThatWaitJoinWhereOneWouldNot() {
        var queue = Self.queue()
        let group = LaneGroup(name: "rare", joining: .anytime, counts: [1, 1, 1, 4])
        let jobs = (0...3).map { Self.job($0, group) }
        #expect(queue.enqueue(jobs[0]) == .started)
        for number in 1...2 {
            #expect(queue.enqueue(jobs[number]) == .queued(ticket: number))
            #expect(queue.admit().isEmpty)
        }
        #expect(queue.enqueue(jobs[3]) == .queued(ticket: 3))
        #expect(queue.admit() == ([1, 2, 3] as [Int]))
        #expect(queue.cancel(9).isEmpty)
    }

    /// A simulation with random groups and clients: the limits hold, none is passed within a line, and all are served.
    @Test func randomGroupsAreServed() {
        for seed in 0..<(TestForm.isDeep ? 20_000 : 500) { expectService(seed: UInt64(seed)) }
    }

    private func expectService(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let concurrency = Int.random(in: 1...3, using: &random)
        var queue = Self.queue(concurrency: concurrency)
        queue.reservesPlace = .random(using: &random)
        let groups = [Self.pairs, Self.others, Self.wide, Self.together, nil]
        var jobs: [Int: Job] = [:]
        var (running, waiting) = ([Job](), [Int]())
        // For each core, what runs on it.
        var cores: [Int: [Job]] = [:]
        for number in 0..<120 {
            var started: [Int] = []
            let isEnd = number >= 60
            switch Int.random(in: 0..<(isEnd ? 1 : 4), using: &random) {
            case 0 where !running.isEmpty:
                let job = running.remove(at: .random(in: running.indices, using: &random))
                for core in cores.keys { cores[core]?.removeAll { $0 == job } }
                started = queue.finish(job)
            case 1 where !waiting.isEmpty:
                started = queue.cancel(waiting.remove(at: .random(in: waiting.indices, using: &random)))
            default:
                guard !isEnd else { continue }
                let job = Self.job(
                    number,
                    groups.randomElement(using: &random) ?? nil,
                    client: ["a", "b", nil].randomElement(using: &random) ?? nil,
                    memory: .random(in: 0...60, using: &random)
                )
                switch queue.enqueue(job) {
                case .started:
                    #expect(!waiting.contains { jobs[$0]?.client == job.client }, "seed \(seed)")
                    running.append(job)
                    expectPlace([job], in: queue, &cores, seed)
                case .queued(let ticket):
                    jobs[ticket] = job
                    waiting.append(ticket)
                    started = queue.admit()
                case .rejected: break
                }
            }
            for ticket in started {
                guard let job = jobs[ticket], let index = waiting.firstIndex(of: ticket) else {
                    Issue.record("started twice, or after it was cancelled, with seed \(seed)")
                    return
                }
                #expect(!waiting[..<index].contains { jobs[$0]?.client == job.client }, "seed \(seed)")
                waiting.remove(at: index)
                running.append(job)
            }
            expectPlace(started.compactMap { jobs[$0] }, in: queue, &cores, seed)
            #expect(queue.running == running.count && queue.waiting == waiting.count, "seed \(seed)")
            #expect(running.count <= 1 || running.reduce(0) { $0 + $1.memory } <= 100, "seed \(seed)")
            #expect(cores.count <= concurrency, "seed \(seed)")
            #expect(running.isEmpty ? waiting.isEmpty : true, "seed \(seed)")
        }
        #expect(running.isEmpty && waiting.isEmpty, "seed \(seed)")
    }

    /// Checks the cores on which computations have started at once.
    private func expectPlace(
        _ started: [Job],
        in queue: ComputationQueue,
        _ cores: inout [Int: [Job]],
        _ seed: UInt64
    ) {
        let before = cores
        for job in started {
            guard let core = queue.core(of: job) else {
                Issue.record("it runs nowhere, with seed \(seed)")
                return
            }
            cores[core, default: []].append(job)
        }
        for (core, jobs) in cores where jobs.count > 1 && jobs != before[core] ?? [] {
            #expect(Set(jobs.map(\.group)).count == 1, "seed \(seed)")
            let (most, earlier) = (jobs[0].group?.count(of: 9) ?? 1, before[core]?.count ?? 0)
            #expect(jobs.count <= most, "seed \(seed)")
            #expect(jobs[0].group?.joining != .atStart || earlier == 0, "seed \(seed)")
        }
    }
}
