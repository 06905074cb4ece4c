// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import CredKitSystem
import Foundation
import XCTest

@testable import CredKitKeychain

/// KeePassXC gets time to save between changes, and waiting for it does not use up the time of a call.
final class ChangePacingTests: XCTestCase {
    func testChangesAreMadeInBurstsInEachSecond() {
        let begin = ContinuousClock.now
        var pacing = ChangePacing()
        XCTAssertEqual(pacing.timeUntilBurst(at: begin), .zero)
        pacing.startBurst(at: begin)
        let times = [0, 50, 51, 999, 1000, 5000].map { pacing.timeUntilBurst(at: begin + .milliseconds($0)) }
        XCTAssertEqual(times, [nil, nil, .milliseconds(949), .milliseconds(1), .zero, .zero])
    }

    func testThreadsOfAProcessAreBusyOrIdle() throws {
        XCTAssertTrue(ProcessActivity.isBusy(status: Array("7 (a) S) R 1 2".utf8)))
        XCTAssertTrue(ProcessActivity.isBusy(status: Array("7 (a) D 1".utf8)))
        for text in ["7 (R) S 1 2", "7 (a) R) S 1", "7 (a)", "7 (a) ", "R", ""] {
            XCTAssertFalse(ProcessActivity.isBusy(status: Array(text.utf8)), text)
        }
        // The thread that asks is running.
        XCTAssertTrue(ProcessActivity.isBusy(UInt32(getpid())))
        let sleeping = Process()
        sleeping.executableURL = URL(filePath: "/usr/bin/sleep")
        sleeping.arguments = ["1000"]
        try sleeping.start()
        let process = UInt32(sleeping.processIdentifier)
        let end = ContinuousClock.now + .seconds(100)
        while ProcessActivity.isBusy(process), .now < end { usleep(1000) }
        XCTAssertFalse(ProcessActivity.isBusy(process))
        sleeping.terminate()
        sleeping.waitUntilExit()
        XCTAssertFalse(ProcessActivity.isBusy(process))
    }

    func testWaitingMovesTheDeadline() throws {
        let token = CancellationToken(deadline: .now + .seconds(100))
        let deadline = token.deadline
        let start = ContinuousClock.now
        try token.wait(for: .milliseconds(200))
        XCTAssertGreaterThanOrEqual(ContinuousClock.now - start, .milliseconds(200))
        XCTAssertEqual(token.deadline, deadline + .milliseconds(200))
    }

    func testCallThatHasEndedDoesNotWait() {
        let token = CancellationToken(deadline: .now - .seconds(1000))
        let start = ContinuousClock.now
        XCTAssertThrowsError(try token.wait(for: .seconds(500))) {
            XCTAssertEqual($0 as? KeychainError, .timedOut)
        }
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(400))
    }
}
