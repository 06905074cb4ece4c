// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitServer

final class ComputationQueueTests: XCTestCase {
    func testComputationsRunUpToTheMemoryAndConcurrencyLimits() {
        var queue = ComputationQueue(memoryByteCount: 100, concurrency: 3, queueLimit: 2)
        XCTAssertEqual(queue.enqueue(memory: 40), .started)
        XCTAssertEqual(queue.enqueue(memory: 40), .started)
        XCTAssertEqual(queue.enqueue(memory: 40), .queued(ticket: 1))
        // Enough memory is free for this call, but a call must not overtake a waiting one.
        XCTAssertEqual(queue.enqueue(memory: 20), .queued(ticket: 2))
        XCTAssertEqual(queue.enqueue(memory: 10), .rejected)
        XCTAssertEqual(queue.finish(memory: 40), [1, 2])
        XCTAssertEqual(queue.running, 3)
        // No memory is free.
        XCTAssertEqual(queue.finish(memory: 20), [])
        XCTAssertEqual(queue.enqueue(memory: 21), .queued(ticket: 3))
        XCTAssertEqual(queue.finish(memory: 40), [3])
        XCTAssertEqual(queue.enqueue(memory: 1), .started)
        XCTAssertEqual(queue.enqueue(memory: 1), .queued(ticket: 4))
    }

    func testCancelledWaiterMakesRoomForLaterOnes() {
        var queue = ComputationQueue(memoryByteCount: 100, concurrency: 4, queueLimit: 9)
        XCTAssertEqual(queue.enqueue(memory: 60), .started)
        XCTAssertEqual(queue.enqueue(memory: 60), .queued(ticket: 1))
        XCTAssertEqual(queue.enqueue(memory: 30), .queued(ticket: 2))
        XCTAssertEqual(queue.cancel(1), [2])
        XCTAssertEqual(queue.waiting, [])
        XCTAssertEqual(queue.cancel(1), [])
    }

    func testComputationOverTheBudgetRunsAlone() {
        var queue = ComputationQueue(memoryByteCount: 100, concurrency: 4, queueLimit: 9)
        XCTAssertEqual(queue.enqueue(memory: .max), .started)
        XCTAssertEqual(queue.enqueue(memory: 1), .queued(ticket: 1))
        XCTAssertEqual(queue.finish(memory: .max), [1])
    }
}
