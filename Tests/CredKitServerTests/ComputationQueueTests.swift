// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitServer

final class ComputationQueueTests: XCTestCase {
    private typealias Job = ComputationQueue.Job

    private func queue(
        concurrency: Int = 4,
        _ configure: (inout ComputationQueue.Limits) -> Void = { _ in }
    ) -> ComputationQueue {
        var limits = ComputationQueue.Limits(
            memory: 100,
            concurrency: concurrency,
            waiting: 9,
            waitingPerClient: 9,
            waitingPerAccount: 9,
            seconds: 1000
        )
        configure(&limits)
        return ComputationQueue(limits)
    }

    private func job(_ memory: Int = 1) -> Job { Job(memory: memory, seconds: 1) }

    func testComputationsRunUpToTheMemoryAndConcurrencyLimits() {
        var queue = queue(concurrency: 3) { $0.waiting = 2 }
        XCTAssertEqual(queue.enqueue(job(40)), .started)
        XCTAssertEqual(queue.enqueue(job(40)), .started)
        XCTAssertEqual(queue.enqueue(job(40)), .queued(ticket: 1))
        // Enough memory is free for this call, but a call must not overtake a waiting one.
        XCTAssertEqual(queue.enqueue(job(20)), .queued(ticket: 2))
        XCTAssertEqual(queue.enqueue(job(10)), .rejected)
        XCTAssertEqual(queue.finish(job(40)), [1, 2])
        XCTAssertEqual(queue.running, 3)
        // No memory is free.
        XCTAssertEqual(queue.finish(job(20)), [])
        XCTAssertEqual(queue.enqueue(job(21)), .queued(ticket: 3))
        XCTAssertEqual(queue.finish(job(40)), [3])
        XCTAssertEqual(queue.enqueue(job()), .started)
        XCTAssertEqual(queue.enqueue(job()), .queued(ticket: 4))
    }

    func testCancelledWaiterMakesRoomForLaterOnes() {
        var queue = queue()
        XCTAssertEqual(queue.enqueue(job(60)), .started)
        XCTAssertEqual(queue.enqueue(job(60)), .queued(ticket: 1))
        XCTAssertEqual(queue.enqueue(job(30)), .queued(ticket: 2))
        XCTAssertEqual(queue.cancel(1), [2])
        XCTAssertEqual(queue.waiting, 0)
        XCTAssertEqual(queue.cancel(1), [])
    }

    func testComputationOverTheBudgetRunsAlone() {
        var queue = queue()
        XCTAssertEqual(queue.enqueue(job(.max)), .started)
        XCTAssertEqual(queue.enqueue(job()), .queued(ticket: 1))
        XCTAssertEqual(queue.finish(job(.max)), [1])
    }

    func testWaitIsCountedInSecondsOfWhatWaitsBefore() {
        var queue = queue(concurrency: 2) { $0.seconds = 2 }
        func job(_ seconds: Double, _ client: String) -> Job {
            Job(memory: 1, seconds: seconds, client: client)
        }
        XCTAssertEqual(queue.enqueue(job(9, "a")), .started)
        XCTAssertEqual(queue.enqueue(job(9, "a")), .started)
        XCTAssertEqual(queue.enqueue(job(4, "a")), .queued(ticket: 1))
        // Two cores need exactly 2 s for what waits before this one, and more for what would come after it.
        XCTAssertEqual(queue.enqueue(job(0.1, "a")), .queued(ticket: 2))
        XCTAssertEqual(queue.enqueue(job(0.1, "a")), .rejected)
        // A client for which nothing runs is before all of them, and waits only for what runs.
        XCTAssertEqual(queue.enqueue(job(5, "b")), .queued(ticket: 3))
        XCTAssertEqual(queue.enqueue(job(1, "c")), .rejected)
        XCTAssertEqual(queue.finish(job(9, "a")), [3])
        XCTAssertEqual(queue.enqueue(job(1, "c")), .queued(ticket: 4))
        XCTAssertEqual(queue.finish(job(9, "a")), [4])
        XCTAssertEqual(queue.finish(job(1, "c")), [1])
        XCTAssertEqual(queue.finish(job(5, "b")), [2])
        XCTAssertEqual(queue.waiting, 0)
    }

    func testClientsForWhichNothingRunsKeepTheirOrder() {
        var queue = queue(concurrency: 1)
        func job(_ client: String) -> Job { Job(memory: 1, seconds: 1, client: client) }
        XCTAssertEqual(queue.enqueue(job("a")), .started)
        for (ticket, client) in ["a", "b", "a", "c", "b", "c"].enumerated() {
            XCTAssertEqual(queue.enqueue(job(client)), .queued(ticket: ticket + 1))
        }
        var order: [Int] = []
        var running = job("a")
        let clients = ["a", "b", "a", "c", "b", "c"]
        while let next = queue.finish(running).first {
            order.append(next)
            running = job(clients[next - 1])
        }
        XCTAssertEqual(order, [2, 1, 4, 5, 3, 6])
    }

    func testOneClientLeavesAPlaceToTheOthers() {
        var queue = queue(concurrency: 2) { $0.seconds = 2 }
        queue.reservesPlace = true
        func job(_ client: String?) -> Job { Job(memory: 1, seconds: 1, client: client) }
        XCTAssertEqual(queue.enqueue(job("a")), .started)
        XCTAssertEqual(queue.enqueue(job("a")), .queued(ticket: 1))
        XCTAssertEqual(queue.enqueue(job("a")), .queued(ticket: 2))
        // One core needs 2 s for what waits before this one.
        XCTAssertEqual(queue.enqueue(job("a")), .queued(ticket: 3))
        XCTAssertEqual(queue.enqueue(job("a")), .rejected)
        XCTAssertEqual(queue.enqueue(job("b")), .started)
        XCTAssertEqual(queue.enqueue(job("c")), .queued(ticket: 4))
        XCTAssertEqual(queue.finish(job("a")), [4])
        XCTAssertEqual(queue.finish(job("c")), [1])
        XCTAssertEqual(queue.finish(job("b")), [])
        // What the program itself computes may use all cores.
        XCTAssertEqual(queue.enqueue(job(nil)), .started)
        XCTAssertEqual(queue.finish(job("a")), [2])
        XCTAssertEqual(queue.finish(job("a")), [3])
        XCTAssertEqual(queue.finish(job("a")), [])
        XCTAssertEqual(queue.enqueue(job(nil)), .started)
    }

    func testMemoryThatLimitsConcurrencyCounts() {
        // Of 60 bytes, one runs at a time, whatever the number of cores is.
        var queue = queue(concurrency: 64) { $0.seconds = 2 }
        func job(_ client: String) -> Job { Job(memory: 60, seconds: 1, client: client) }
        XCTAssertEqual(queue.enqueue(job("a")), .started)
        var accepted = 0
        for client in "bcdefghi" where queue.enqueue(job("\(client)")) != .rejected { accepted += 1 }
        XCTAssertEqual(accepted, 4)
    }

    /// A simulation with random clients: the limits hold, each client has its turns in order, and nothing is lost.
    func testRandomClientsAreServedInTurn() {
        for _ in 0..<300 {
            let concurrency = Int.random(in: 1...3)
            var queue = queue(concurrency: concurrency) {
                $0.waiting = .random(in: 0...20)
                $0.waitingPerClient = .random(in: 0...5)
                $0.waitingPerAccount = .random(in: 0...3)
                $0.seconds = .random(in: 0...5)
            }
            queue.reservesPlace = .random()
            let places = queue.reservesPlace ? max(1, concurrency - 1) : concurrency
            var jobs: [Int: Job] = [:]
            var (running, waiting) = ([Job](), [Int]())
            for _ in 0..<100 {
                var started: [Int] = []
                switch Int.random(in: 0..<4) {
                case 0 where !running.isEmpty:
                    started = queue.finish(running.remove(at: .random(in: running.indices)))
                case 1 where !waiting.isEmpty:
                    let ticket = waiting.remove(at: .random(in: waiting.indices))
                    started = queue.cancel(ticket)
                default:
                    let job = Job(
                        memory: .random(in: 0...60),
                        seconds: .random(in: 0...1),
                        client: ["a", "b", "c", nil].randomElement() ?? nil,
                        account: ["x", "y", nil].randomElement() ?? nil
                    )
                    switch queue.enqueue(job) {
                    case .started: running.append(job)
                    case .queued(let ticket): (jobs[ticket], waiting) = (job, waiting + [ticket])
                    case .rejected: break
                    }
                }
                for ticket in started {
                    guard let job = jobs[ticket], let index = waiting.firstIndex(of: ticket) else {
                        return XCTFail("started twice, or after it was cancelled")
                    }
                    // No earlier one of the same client still waits.
                    XCTAssertFalse(waiting[..<index].contains { jobs[$0]?.client == job.client })
                    waiting.remove(at: index)
                    running.append(job)
                }
                XCTAssertEqual(queue.running, running.count)
                XCTAssertEqual(queue.waiting, waiting.count)
                XCTAssert(running.count <= 1 || running.reduce(0) { $0 + $1.memory } <= 100)
                let runningOfClients = Dictionary(grouping: running, by: \.client).mapValues(\.count)
                XCTAssert(runningOfClients.allSatisfy { $0.key == nil || $0.value <= places })
                // What waits has no room: no place, or no memory, for the client or for one whose turn comes before.
                let free = 100 - running.reduce(0) { $0 + $1.memory }
                let canRun = waiting.compactMap { jobs[$0] }.filter {
                    $0.client == nil || runningOfClients[$0.client] ?? 0 < places
                }
                XCTAssert(
                    canRun.isEmpty || running.count == concurrency || canRun.contains { $0.memory > free }
                )
            }
        }
    }
}
