// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitServer

final class AdmissionTests: XCTestCase {
    func testComputationsAreAdmittedUpToTheMemoryAndTheConcurrency() {
        var admission = Admission(memoryByteCount: 100, concurrency: 3, queueLimit: 2)
        XCTAssertEqual(admission.enter(memory: 40), .admitted)
        XCTAssertEqual(admission.enter(memory: 40), .admitted)
        XCTAssertEqual(admission.enter(memory: 40), .queued(ticket: 1))
        // There is memory for this one, but nobody overtakes.
        XCTAssertEqual(admission.enter(memory: 20), .queued(ticket: 2))
        XCTAssertEqual(admission.enter(memory: 10), .refused)
        XCTAssertEqual(admission.leave(memory: 40), [1, 2])
        XCTAssertEqual(admission.running, 3)
        // There is no memory left.
        XCTAssertEqual(admission.leave(memory: 20), [])
        XCTAssertEqual(admission.enter(memory: 21), .queued(ticket: 3))
        XCTAssertEqual(admission.leave(memory: 40), [3])
        XCTAssertEqual(admission.enter(memory: 1), .admitted)
        XCTAssertEqual(admission.enter(memory: 1), .queued(ticket: 4))
    }

    func testWhoeverGivesUpMakesRoomForThoseBehind() {
        var admission = Admission(memoryByteCount: 100, concurrency: 4, queueLimit: 9)
        XCTAssertEqual(admission.enter(memory: 60), .admitted)
        XCTAssertEqual(admission.enter(memory: 60), .queued(ticket: 1))
        XCTAssertEqual(admission.enter(memory: 30), .queued(ticket: 2))
        XCTAssertEqual(admission.giveUp(1), [2])
        XCTAssertEqual(admission.waiting, [])
        XCTAssertEqual(admission.giveUp(1), [])
    }

    func testWhatNeedsMoreThanTheBudgetGoesAlone() {
        var admission = Admission(memoryByteCount: 100, concurrency: 4, queueLimit: 9)
        XCTAssertEqual(admission.enter(memory: .max), .admitted)
        XCTAssertEqual(admission.enter(memory: 1), .queued(ticket: 1))
        XCTAssertEqual(admission.leave(memory: .max), [1])
    }
}
