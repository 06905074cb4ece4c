// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import XCTest

@testable import CredKitClient

/// A wall clock that is set back.
final class CacheClockTests: CacheTestCase {
    func testFreshnessIsNotProlonged() async throws {
        let uptime = Lock(ContinuousClock.now)
        let session = try await loggedInWithCache { $0.uptime = { uptime.withLock { $0 } } }
        serve()
        serve("/data/other")
        _ = try await fetch(session)
        elapsed.withLock { $0 = 30 }
        _ = try await fetch(session, Self.page("/data/other"))
        // Back by 20 seconds, so that the response would be fresh until its 80th.
        elapsed.withLock { $0 = 10 }
        let fresh = try await fetch(session)
        XCTAssertEqual(fresh.use, .stored)
        for seconds in [29, 30] {
            uptime.withLock { $0 = $0.advanced(by: .seconds(seconds == 29 ? 29 : 1)) }
            elapsed.withLock { $0 = Int64(10 + seconds) }
            let answer = try await fetch(session)
            XCTAssertEqual(answer.use, seconds == 29 ? .stored : .network)
        }
        XCTAssertEqual(server.dataTries, 3)
    }

    func testTimeNeverDecreases() {
        let (wall, uptime) = (Lock(UnixTime(1000)), Lock(ContinuousClock.now))
        let clock = CacheClock(wall: { wall.withLock { $0 } }, uptime: { uptime.withLock { $0 } })
        XCTAssertEqual(clock.now(), UnixTime(1000))
        for (time, milliseconds, expected) in [
            (1000, 900, 1000), (500, 200, 1001), (500, 400, 1001), (500, 500, 1002), (1001, 0, 1002),
            (1002, 0, 1002), (0, 3000, 1005), (2000, 0, 2000), (1999, 999, 2000), (.max, 0, .max),
            (0, 1_000_000, .max), (.min, 0, .max),
        ] as [(Int64, Int, Int64)] {
            wall.withLock { $0 = UnixTime(time) }
            uptime.withLock { $0 = $0.advanced(by: .milliseconds(milliseconds)) }
            XCTAssertEqual(clock.now(), UnixTime(expected), "\(time)")
        }
    }
}
