// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import HTTPTypes
import XCTest

@testable import CredKitClient

/// A wall clock that is set back.
final class CacheClockTests: CacheTestCase {
    private func restored() async throws -> LoginSession {
        let session = try caching()
        let isRestored = try await session.restore()
        XCTAssertTrue(isRestored)
        return session
    }

    func testFreshnessIsNotProlonged() async throws {
        let session = try await loggedInWithCache()
        serve()
        // 104 is within the tolerance.
        for (seconds, use) in [
            (100, CacheUse.network), (105, .stored), (104, .stored), (50, .network), (60, .stored),
        ] {
            elapsed.withLock { $0 = Int64(seconds) }
            let answer = try await fetch(session)
            XCTAssertEqual(answer.use, use, "\(seconds)")
        }
    }

    func testFilesAreRemoved() async throws {
        let session = try await loggedInWithCache()
        serve()
        elapsed.withLock { $0 = 100 }
        _ = try await fetch(session)
        try await session.flush()
        XCTAssertEqual(cacheFiles.count, 1)
        elapsed.withLock { $0 = 50 }
        let error = await failure {
            _ = try await fetch(session, CacheTestCase.page("/other"), .onlyIfCached)
        }
        XCTAssertEqual(error, .notCached)
        try await session.flush()
        XCTAssertEqual(cacheFiles, [])
    }

    func testResponseBegunBeforeIsNotStored() async throws {
        let session = try await loggedInWithCache()
        elapsed.withLock { $0 = 100 }
        server.script("/data/page") { [elapsed] _ in
            elapsed.withLock { $0 = 0 }
            return Self.answer(.ok, ["Cache-Control": "max-age=60"], "page")
        }
        for use in [CacheUse.network, .network, .stored] {
            let answer = try await fetch(session)
            XCTAssertEqual(answer.use, use)
        }
    }

    /// A process whose clock was ahead has stored a response. One with the right time replaces it.
    func testResponseOfTheFutureIsReplaced() async throws {
        let ahead = try await loggedInWithCache()
        serve()
        elapsed.withLock { $0 = 3600 }
        _ = try await fetch(ahead)
        try await ahead.flush()
        elapsed.withLock { $0 = 0 }
        let session = try await restored()
        for use in [CacheUse.network, .stored] {
            let answer = try await fetch(session)
            XCTAssertEqual(answer.use, use)
        }
        try await session.flush()
        let answer = try await fetch(try await restored())
        XCTAssertEqual(answer.use, .stored)
    }

    func testSettingBackIsNoticedOnce() {
        let (wall, uptime) = (Lock(UnixTime(1000)), Lock(ContinuousClock.now))
        let clock = CacheClock(wall: { wall.withLock { $0 } }, uptime: { uptime.withLock { $0 } })
        for (time, milliseconds, expected, isSetBack) in [
            (1000, 0, 1000, false), (1000, 900, 1000, false), (999, 200, 1001, false),
            (999, 800, 1001, false), (999, 2000, 999, true), (999, 0, 999, false), (1000, 1000, 1000, false),
            (2000, 0, 2000, false), (1997, 0, 1997, true), (.max, 0, .max, false),
            (.max, 1_000_000, .max, false), (.min, 0, .min, true),
        ] as [(Int64, Int, Int64, Bool)] {
            wall.withLock { $0 = UnixTime(time) }
            uptime.withLock { $0 = $0.advanced(by: .milliseconds(milliseconds)) }
            let reading = clock.read()
            XCTAssertEqual(reading.time, UnixTime(expected), "\(time)")
            XCTAssertEqual(reading.wasSetBack, isSetBack, "\(time)")
        }
    }
}
