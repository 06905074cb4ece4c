// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitServer

final class AdmissionTests: XCTestCase {
    func testComputationsRunUpToTheMemoryAndConcurrencyLimits() {
        var admission = Admission(memoryByteCount: 100, concurrency: 3, queueLimit: 2)
        XCTAssertEqual(admission.enter(memory: 40), .admitted)
        XCTAssertEqual(admission.enter(memory: 40), .admitted)
        XCTAssertEqual(admission.enter(memory: 40), .queued(ticket: 1))
        // Enough memory is free for this call, but a call must not overtake a waiting one.
        XCTAssertEqual(admission.enter(memory: 20), .queued(ticket: 2))
        XCTAssertEqual(admission.enter(memory: 10), .refused)
        XCTAssertEqual(admission.leave(memory: 40), [1, 2])
        XCTAssertEqual(admission.running, 3)
        // No memory is free.
        XCTAssertEqual(admission.leave(memory: 20), [])
        XCTAssertEqual(admission.enter(memory: 21), .queued(ticket: 3))
        XCTAssertEqual(admission.leave(memory: 40), [3])
        XCTAssertEqual(admission.enter(memory: 1), .admitted)
        XCTAssertEqual(admission.enter(memory: 1), .queued(ticket: 4))
    }

    func testCancelledWaiterMakesRoomForLaterOnes() {
        var admission = Admission(memoryByteCount: 100, concurrency: 4, queueLimit: 9)
        XCTAssertEqual(admission.enter(memory: 60), .admitted)
        XCTAssertEqual(admission.enter(memory: 60), .queued(ticket: 1))
        XCTAssertEqual(admission.enter(memory: 30), .queued(ticket: 2))
        XCTAssertEqual(admission.giveUp(1), [2])
        XCTAssertEqual(admission.waiting, [])
        XCTAssertEqual(admission.giveUp(1), [])
    }

    func testComputationOverTheBudgetRunsAlone() {
        var admission = Admission(memoryByteCount: 100, concurrency: 4, queueLimit: 9)
        XCTAssertEqual(admission.enter(memory: .max), .admitted)
        XCTAssertEqual(admission.enter(memory: 1), .queued(ticket: 1))
        XCTAssertEqual(admission.leave(memory: .max), [1])
    }
}
