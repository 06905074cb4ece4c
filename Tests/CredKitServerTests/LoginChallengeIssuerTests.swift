// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

final class LoginChallengeIssuerTests: XCTestCase {
    /// 2016-08-17 10:00:30 UTC.
    private let now: Int64 = 1_471_428_030
    private let key = [UInt8](1...32)

    private func challenges(perSource: Int = 64, limit: Int = 16_384) throws -> LoginChallengeIssuer {
        try LoginChallengeIssuer(key: SecretBytes(key), perClientLimit: perSource, limit: limit)
    }

    func testChallengeBeginsWithTheMinuteAndIsUnique() throws {
        let challenges = try challenges()
        let issued = try (0..<1000).map { _ in try challenges.issue(to: "a", at: now) }
        XCTAssertEqual(Set(issued).count, 1000)
        XCTAssertTrue(issued.allSatisfy { $0.hasPrefix("2016-08-17 10:00 ") && $0.utf8.count == 73 })
        let shanghai = try challenges.issue(to: "a", at: now, utcOffset: 28_800)
        XCTAssertTrue(shanghai.hasPrefix("2016-08-17 18:00 "), shanghai)
        XCTAssertThrowsError(try challenges.issue(to: "a", at: now, utcOffset: 86_400))
    }

    func testChallengeIsValidForSixtySeconds() throws {
        let challenges = try challenges()
        let text = try challenges.issue(to: "a", at: now)
        for (second, isValid) in [(-6, false), (-5, true), (0, true), (59, true), (60, false), (3600, false)]
        {
            let time = now + Int64(second)
            XCTAssertEqual(challenges.read(text, at: time) != nil, isValid, "\(second)")
            XCTAssertEqual(challenges.candidates(for: "a", returned: nil, at: time).count, isValid ? 1 : 0)
        }
        let read = try XCTUnwrap(challenges.read(text, at: now))
        XCTAssertEqual(read.issuedAt, now)
        XCTAssertEqual(read.expiresAt, now + 60)
        for time in [Int64.min, .max] { XCTAssertNil(challenges.read(text, at: time)) }
    }

    func testEveryChangedCharacterIsDetected() throws {
        let challenges = try challenges()
        let text = try challenges.issue(to: "a", at: now)
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for byte in Array("A1-_ :".utf8) where byte != bytes[index] {
                var changed = bytes
                changed[index] = byte
                XCTAssertNil(challenges.read(String(decoding: changed, as: UTF8.self), at: now), "\(index)")
            }
        }
        for other in [
            "", "2016-08-17 10:00", text + "A", text + " ", String(text.dropLast()), "é" + text.dropFirst(2),
        ] {
            XCTAssertNil(challenges.read(other, at: now))
        }
    }

    func testChallengeCodeIsAnHMACOfMinuteSecondAndNonce() throws {
        // Computed with python3: hmac.new(bytes(range(1, 33)),
        //   b"CredKit one-time text 1\n2016-08-17 10:00" + (1471428030).to_bytes(8, "big") + bytes(16), "sha256")
        let text = "2016-08-17 10:00 AAAAAFe0Nb4AAAAAAAAAAAAAAAAAAAAA0si0cdSPgGV_-jzIH-5zf-rU"
        XCTAssertEqual(try challenges().read(text, at: now)?.issuedAt, now)
        XCTAssertNil(try LoginChallengeIssuer().read(text, at: now))
    }

    func testChallengesAreValidUnderTheirKeyOnly() throws {
        let text = try challenges().issue(to: "a", at: now)
        XCTAssertNotNil(try challenges().read(text, at: now))
        XCTAssertNil(try LoginChallengeIssuer().read(text, at: now))
        XCTAssertNil(try LoginChallengeIssuer(key: SecretBytes([UInt8](2...33))).read(text, at: now))
        for count in [0, 31, 33] {
            XCTAssertThrowsError(try LoginChallengeIssuer(key: SecretBytes(randomByteCount: count)))
        }
        for lifetime in [0, 601, .min] { XCTAssertThrowsError(try LoginChallengeIssuer(lifetime: lifetime)) }
    }

    func testReturnedChallengeIsTriedFirstFromAnySource() throws {
        let challenges = try challenges()
        let own = try challenges.issue(to: "a", at: now)
        let other = try challenges.issue(to: "b", at: now)
        XCTAssertEqual(challenges.candidates(for: "a", returned: nil, at: now).map(\.text), [own])
        XCTAssertEqual(challenges.candidates(for: "a", returned: own, at: now).map(\.text), [own])
        XCTAssertEqual(challenges.candidates(for: "a", returned: other, at: now).map(\.text), [other, own])
        XCTAssertEqual(
            challenges.candidates(for: "a", returned: "2016-08-17 10:00", at: now).map(\.text),
            [own]
        )
        XCTAssertEqual(challenges.candidates(for: "c", returned: nil, at: now), [])
        challenges.consume(own, of: "a")
        XCTAssertEqual(challenges.candidates(for: "a", returned: nil, at: now), [])
        XCTAssertEqual(challenges.outstandingCount, 1)
        challenges.consume("nonsense", of: "b")
        XCTAssertEqual(challenges.outstandingCount, 1)
    }

    func testSourceEvictsOnlyItsOwnChallenges() throws {
        let challenges = try challenges(perSource: 8, limit: 20)
        let victim = try challenges.issue(to: "victim", at: now)
        for _ in 0..<1000 { _ = try challenges.issue(to: "attacker", at: now) }
        XCTAssertEqual(challenges.candidates(for: "victim", returned: nil, at: now).map(\.text), [victim])
        XCTAssertEqual(challenges.candidates(for: "attacker", returned: nil, at: now).count, 8)
        // The oldest challenge of the same source is dropped.
        let first = try challenges.issue(to: "b", at: now)
        let later = try (0..<8).map { _ in try challenges.issue(to: "b", at: now) }
        XCTAssertEqual(challenges.candidates(for: "b", returned: nil, at: now).map(\.text), later)
        XCTAssertFalse(later.contains(first))
        XCTAssertEqual(challenges.outstandingCount, 17)
        // One attacking source cannot grow a full table either.
        for index in 0..<3 { _ = try challenges.issue(to: "c\(index)", at: now) }
        for _ in 0..<100 { _ = try challenges.issue(to: "attacker", at: now) }
        XCTAssertEqual(challenges.outstandingCount, 20)
        XCTAssertEqual(challenges.candidates(for: "victim", returned: nil, at: now).map(\.text), [victim])
    }

    func testManySourcesAreBoundedAndReturnedChallengesStayValid() throws {
        let challenges = try challenges(perSource: 8, limit: 100)
        let victim = try challenges.issue(to: "victim", at: now)
        for index in 0..<5000 { _ = try challenges.issue(to: "\(index)", at: now) }
        XCTAssertEqual(challenges.outstandingCount, 100)
        XCTAssertEqual(challenges.candidates(for: "victim", returned: nil, at: now), [])
        XCTAssertEqual(challenges.candidates(for: "victim", returned: victim, at: now).map(\.text), [victim])
    }

    func testUsedAndExpiredChallengesAreRemoved() throws {
        var issued = IssuedChallenges(perClientLimit: 4, limit: 10)
        let coder = LoginChallengeCoder(key: try SecretBytes(key), lifetime: 60)
        let minute = try Legacy.TimestampedLogin.Minute(unixTime: now)
        for index in 0..<10_000 {
            let text = coder.make(at: now, minute: minute)
            let source = HashedKey("\(index % 7)")
            issued.remember(text, for: source, at: now)
            issued.remove(text, of: source)
            XCTAssertEqual(issued.count, 0)
            XCTAssertLessThanOrEqual(issued.ticketCount, 85)
        }
        for index in 0..<10 {
            issued.remember(coder.make(at: now, minute: minute), for: HashedKey("\(index)"), at: now)
        }
        XCTAssertEqual(issued.count, 10)
        issued.remember(coder.make(at: now + 60, minute: minute), for: HashedKey("later"), at: now + 60)
        XCTAssertEqual(issued.count, 1)
        // After the clock is set back, challenges from the future are dropped and nothing crashes.
        issued.remember(coder.make(at: 0, minute: minute), for: HashedKey("earlier"), at: 0)
        XCTAssertEqual(issued.count, 1)
    }
}
