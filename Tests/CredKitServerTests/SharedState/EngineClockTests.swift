// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import XCTest

@testable import CredKitServer

/// The ages of challenges by the engine's clock.
final class EngineClockTests: XCTestCase {
    /// A server's clock that is behind the true time, which is the engine's.
    private final class Server: Sendable {
        let isBehind: Duration
        private let time = Lock(Duration.seconds(1_000_000))
        /// How much time each reading takes: the half of a round trip.
        private let step: Duration

        init(isBehind: Duration, step: Duration = .zero) {
            self.isBehind = isBehind
            self.step = step
        }

        var trueTime: Duration { time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
        func read() -> Duration {
            time.withLock { time in
                defer { time += step }
                return time - isBehind
            }
        }
        func clock(permitting difference: Duration = .seconds(5)) -> EngineClock {
            EngineClock(permittedDifference: difference) { self.read() }
        }
    }

    func testAgeCoversTheOffsetAndThePermittedDifference() throws {
        let server = Server(isBehind: .seconds(4))
        let clock = server.clock()
        XCTAssertNil(clock.lastOffset)
        XCTAssertEqual(clock.increased(.seconds(10)), .seconds(15), "nothing measured yet")
        let age = try clock.increased(.seconds(10), engineTime: server.trueTime, sent: clock.now)
        XCTAssertEqual(age, .seconds(19))
        XCTAssertEqual(clock.increased(.seconds(10)), .seconds(19), "as the last reply showed")
    }

    func testAClockThatIsAheadDoesNotMakeChallengesYounger() throws {
        let server = Server(isBehind: .seconds(-4))
        let clock = server.clock()
        XCTAssertEqual(
            try clock.increased(.seconds(10), engineTime: server.trueTime, sent: clock.now),
            .seconds(15)
        )
    }

    /// The engine may have read its clock just before it answered, or just after it received the command.
    func testASlowReplyIsCountedAgainstTheChallenge() throws {
        let server = Server(isBehind: .zero, step: .milliseconds(100))
        let clock = server.clock()
        let sent = clock.now
        let offset = try clock.measure(engineTime: server.trueTime, sent: sent)
        XCTAssertEqual(offset, EngineClock.Offset(least: .zero, most: .milliseconds(100)))
    }

    func testClocksThatDifferTooMuchAreRefusedInBothDirections() throws {
        for (seconds, isPermitted) in [
            (5, true), (-5, true), (6, false), (-6, false), (3600, false), (-3600, false),
        ] {
            let server = Server(isBehind: .seconds(seconds))
            let clock = server.clock()
            if isPermitted {
                try clock.measure(engineTime: server.trueTime, sent: clock.now)
                continue
            }
            XCTAssertThrowsError(
                try clock.measure(engineTime: server.trueTime, sent: clock.now),
                "\(seconds) s behind"
            ) { error in
                XCTAssertEqual(error as? SharedStateError, SharedStateError(.clocksDiffer))
                XCTAssertTrue("\(error)".contains("up to \(abs(seconds)) seconds"), "\(error)")
            }
        }
    }

    /// A clock that is set while the command is on its way.
    func testAClockThatIsSetMeanwhileWidensTheOffset() throws {
        let server = Server(isBehind: .zero)
        let clock = server.clock()
        for difference in [Duration.seconds(-3), .seconds(3)] {
            let offset = try clock.measure(engineTime: server.trueTime, sent: clock.now + difference)
            XCTAssertEqual(offset.most - offset.least, .seconds(3))
            XCTAssertTrue((offset.least...offset.most).contains(.zero))
        }
    }

    func testHostileTimesDoNotTrap() throws {
        let clock = EngineClock(permittedDifference: .seconds(5))
        for seconds in [Int64.min, -1, 0, .max] {
            XCTAssertThrowsError(try clock.measure(engineTime: .seconds(seconds), sent: clock.now))
            _ = clock.increased(.seconds(seconds))
            _ = clock.retention(of: .seconds(seconds))
        }
    }

    /// No proof is accepted twice, whatever was lost, if all servers are within the permitted difference: each combination of
    /// a server that accepts a proof, the moment of the loss, and another server that gets the proof again.
    func testNoUseBeforeTheLossCanBeRepeated() throws {
        var generator = SystemRandomNumberGenerator()
        let permitted = 5.0
        var repeatedWithoutOffset = 0
        for _ in 0..<20_000 {
            func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
            // True times in seconds. A server's clock shows the true time minus what it is behind.
            let (first, second) = (random(-permitted...permitted), random(-permitted...permitted))
            let issuer = random(-permitted...permitted)
            let base = 1_000_000.0
            let validFrom = base - issuer
            let used = max(base, validFrom + first) + random(0...10)
            let since = used + random(0...3)
            let again = since + random(0...10)
            let age = Duration.seconds(again - second - validFrom)
            let clock = EngineClock(permittedDifference: .seconds(permitted + 0.001)) {
                .seconds(again - second)
            }
            let increased = try clock.increased(age, engineTime: .seconds(again), sent: clock.now)
            XCTAssertLessThanOrEqual(Duration.seconds(again) - increased, .seconds(since))
            if Duration.seconds(again) - age.clamped > .seconds(since) { repeatedWithoutOffset += 1 }
        }
        XCTAssertGreaterThan(repeatedWithoutOffset, 100, "the bare age would not have been enough")
    }

    func testUsesAreRememberedForTheSlowestServer() {
        let clock = EngineClock(permittedDifference: .seconds(5))
        XCTAssertEqual(clock.retention(of: .seconds(120)), .seconds(130))
        XCTAssertEqual(clock.retention(of: .seconds(-1)), .seconds(10))
    }
}
