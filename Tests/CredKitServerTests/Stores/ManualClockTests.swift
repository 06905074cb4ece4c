// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTesting
import XCTest

final class ManualClockTests: XCTestCase {
    func testSleepersWakeWhenTheClockIsAdvanced() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(10)) }
        while clock.sleeperCount < 1 { await Task.yield() }
        clock.advance(by: .seconds(9))
        XCTAssertEqual(clock.sleeperCount, 1)
        clock.advance(by: .seconds(1))
        try await task.value
        XCTAssertEqual(clock.sleeperCount, 0)
        XCTAssertEqual(clock.now.elapsed, .seconds(10))
        try await clock.sleep(for: .zero)
        clock.advance(by: .seconds(-5))
        XCTAssertEqual(clock.now.elapsed, .seconds(10))
    }

    func testCancelledSleepersThrow() async throws {
        let clock = ManualClock()
        for isAsleep in [true, false] {
            let task = Task { try await clock.sleep(for: .seconds(10)) }
            while isAsleep && clock.sleeperCount < 1 { await Task.yield() }
            task.cancel()
            do {
                try await task.value
                XCTFail("no error")
            } catch {
                XCTAssertTrue(error is CancellationError)
            }
            XCTAssertEqual(clock.sleeperCount, 0)
        }
    }
}
