// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class JobQueueTests: XCTestCase {
    /// Waits until `count` jobs have noted something, and returns what they noted.
    private func notes(_ notes: Condition<[String]>, count: Int) -> [String] {
        notes.wait { $0.count >= count ? .finish($0) : .wait() }
    }

    func testJobsRunInOrderOnOneThread() {
        let queue = JobQueue()
        let done = Condition<[String]>([])
        for job in 0..<100 {
            XCTAssertTrue(queue.add { worker in done.change { $0.append("\(job) on \(worker)") } })
        }
        XCTAssertEqual(notes(done, count: 100), (0..<100).map { "\($0) on 0" })
        queue.close()
    }

    func testJobsOfManyThreadsAllRun() {
        let queue = JobQueue()
        let done = Condition(0)
        JoinedThreads.run(8) { _ in
            for _ in 0..<100 { XCTAssertTrue(queue.add { _ in done.change { $0 += 1 } }) }
        }
        done.wait { $0 == 800 ? .finish(()) : .wait() }
        queue.close()
    }

    func testWaitingJobsContinueOnAnotherThreadWhenAJobIsStuck() {
        let queue = JobQueue()
        let (done, gate) = (Condition<[String]>([]), DispatchSemaphore(value: 0))
        _ = queue.add { worker in
            done.change { $0.append("stuck on \(worker)") }
            gate.wait()
            done.change { $0.append("released") }
        }
        _ = queue.add { worker in done.change { $0.append("second on \(worker)") } }
        XCTAssertEqual(notes(done, count: 1), ["stuck on 0"])
        queue.replace(worker: 0)
        XCTAssertEqual(notes(done, count: 2), ["stuck on 0", "second on 1"])
        // The thread is replaced already.
        queue.replace(worker: 0)
        _ = queue.add { worker in done.change { $0.append("third on \(worker)") } }
        XCTAssertEqual(notes(done, count: 3).last, "third on 1")
        gate.signal()
        // The replaced thread finishes its job, and takes no other.
        XCTAssertEqual(notes(done, count: 4).last, "released")
        _ = queue.add { worker in done.change { $0.append("fourth on \(worker)") } }
        XCTAssertEqual(notes(done, count: 5).last, "fourth on 1")
        queue.close()
    }

    func testReplacingWithoutWaitingJobsStartsAThreadWithTheNextOne() {
        let queue = JobQueue()
        let (done, gate) = (Condition<[String]>([]), DispatchSemaphore(value: 0))
        _ = queue.add { _ in
            done.change { $0.append("stuck") }
            gate.wait()
        }
        XCTAssertEqual(notes(done, count: 1), ["stuck"])
        queue.replace(worker: 0)
        _ = queue.add { worker in done.change { $0.append("next on \(worker)") } }
        XCTAssertEqual(notes(done, count: 2).last, "next on 1")
        gate.signal()
        queue.close()
    }

    func testClosedQueueRunsItsJobsAndEndsItsThread() {
        let done = Condition<[String]>([])
        weak var released: JobQueue?
        do {
            let queue = JobQueue()
            released = queue
            for job in 0..<10 { _ = queue.add { _ in done.change { $0.append("\(job)") } } }
            queue.close()
        }
        XCTAssertEqual(notes(done, count: 10).count, 10)
        // The thread holds the queue until it ends.
        var looks = 0
        while released != nil, looks < 60_000 {
            looks += 1
            usleep(1000)
        }
        XCTAssertNil(released)
    }
}
