// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitServer

final class LoginChallengeIssuerTests: XCTestCase {
    /// 2016-08-17 10:00:30 UTC.
    private let now = UnixTime(1_471_428_030)
    private let key = [UInt8](1...32)

    private let clock = ManualClock()

    private func challenges(perClient: Int = 64, store: InMemoryChallengeStore? = nil) throws
        -> LoginChallengeIssuer
    {
        try LoginChallengeIssuer(
            key: SecretBytes(key),
            perClientLimit: perClient,
            store: store ?? InMemoryChallengeStore(clock: clock)
        )
    }

    private func texts(
        _ challenges: LoginChallengeIssuer,
        for address: String,
        returned: String? = nil
    ) async throws -> [String] {
        try await challenges.candidates(for: address, returned: returned, at: now).map(\.text)
    }

    func testChallengeBeginsWithTheMinuteAndIsUnique() async throws {
        let challenges = try challenges()
        var issued: [String] = []
        for _ in 0..<1000 { issued.append(try await challenges.issue(to: "a", at: now)) }
        XCTAssertEqual(Set(issued).count, 1000)
        XCTAssertTrue(issued.allSatisfy { $0.hasPrefix("2016-08-17 10:00 ") && $0.utf8.count == 73 })
        let shanghai = try await challenges.issue(to: "a", at: now, utcOffset: .seconds(28_800))
        XCTAssertTrue(shanghai.hasPrefix("2016-08-17 18:00 "), shanghai)
        for offset in [86_400, -86_400, Int64.max, .min] {
            do {
                _ = try await challenges.issue(to: "a", at: now, utcOffset: .seconds(offset))
                XCTFail("\(offset)")
            } catch {
                XCTAssertEqual(error, .timeOutOfRange)
            }
        }
    }

    func testChallengeIsValidForSixtySeconds() async throws {
        let challenges = try challenges()
        let text = try await challenges.issue(to: "a", at: now)
        for (second, isValid) in [(-6, false), (-5, true), (0, true), (59, true), (60, false), (3600, false)]
        {
            let time = now + .seconds(second)
            XCTAssertEqual(challenges.read(text, at: time) != nil, isValid, "\(second)")
            let candidates = try await challenges.candidates(for: "a", returned: nil, at: time)
            XCTAssertEqual(candidates.count, isValid ? 1 : 0)
        }
        let read = try XCTUnwrap(challenges.read(text, at: now))
        XCTAssertEqual(read.issuedAt, now)
        XCTAssertEqual(read.expiresAt, now + .seconds(60))
        for time in [Int64.min, .max] { XCTAssertNil(challenges.read(text, at: UnixTime(time))) }
        // The store forgets it as well.
        clock.advance(by: .seconds(60))
        let late = try await texts(challenges, for: "a")
        XCTAssertEqual(late, [])
    }

    func testEveryChangedCharacterIsDetected() async throws {
        let challenges = try challenges()
        let text = try await challenges.issue(to: "a", at: now)
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
        //   b"CredKit login challenge 1\n2016-08-17 10:00" + (1471428030).to_bytes(8, "big") + bytes(16), "sha256")
        let text = "2016-08-17 10:00 AAAAAFe0Nb4AAAAAAAAAAAAAAAAAAAAAAVztPBqhFg8UqgJMVokWFBa2"
        XCTAssertEqual(try challenges().read(text, at: now)?.issuedAt, now)
        XCTAssertNil(try LoginChallengeIssuer(store: nil).read(text, at: now))
    }

    func testChallengesAreValidUnderTheirKeyOnly() async throws {
        let text = try await challenges().issue(to: "a", at: now)
        XCTAssertNotNil(try challenges().read(text, at: now))
        XCTAssertNil(try LoginChallengeIssuer(store: nil).read(text, at: now))
        XCTAssertNil(
            try LoginChallengeIssuer(key: SecretBytes([UInt8](2...33)), store: nil).read(text, at: now)
        )
        for count in [0, 31, 33] {
            XCTAssertThrowsError(
                try LoginChallengeIssuer(key: SecretBytes(randomByteCount: count), store: nil)
            )
        }
        for lifetime in [0, 601, Int64.min] {
            XCTAssertThrowsError(try LoginChallengeIssuer(lifetime: .seconds(lifetime), store: nil))
        }
    }

    func testReturnedChallengeIsTriedFirstFromAnyAddress() async throws {
        let store = try InMemoryChallengeStore(clock: clock)
        let challenges = try challenges(store: store)
        let own = try await challenges.issue(to: "a", at: now)
        let other = try await challenges.issue(to: "b", at: now)
        for (returned, expected) in [
            (nil, [own]), (own, [own]), (other, [other, own]), ("2016-08-17 10:00", [own]),
        ] {
            let candidates = try await texts(challenges, for: "a", returned: returned)
            XCTAssertEqual(candidates, expected)
        }
        var candidates = try await texts(challenges, for: "c")
        XCTAssertEqual(candidates, [])
        try await challenges.consume(own, of: "a")
        candidates = try await texts(challenges, for: "a")
        XCTAssertEqual(candidates, [])
        XCTAssertEqual(store.count, 1)
        try await challenges.consume("nonsense", of: "b")
        XCTAssertEqual(store.count, 1)
    }

    func testAddressEvictsOnlyItsOwnChallenges() async throws {
        let store = try InMemoryChallengeStore(limit: 20, clock: clock)
        let challenges = try challenges(perClient: 8, store: store)
        let victim = try await challenges.issue(to: "victim", at: now)
        for _ in 0..<1000 { _ = try await challenges.issue(to: "attacker", at: now) }
        var left = try await texts(challenges, for: "victim")
        XCTAssertEqual(left, [victim])
        left = try await texts(challenges, for: "attacker")
        XCTAssertEqual(left.count, 8)
        // The oldest challenge of the same address is dropped.
        let first = try await challenges.issue(to: "b", at: now)
        var later: [String] = []
        for _ in 0..<8 { later.append(try await challenges.issue(to: "b", at: now)) }
        left = try await texts(challenges, for: "b")
        XCTAssertEqual(left, later)
        XCTAssertFalse(later.contains(first))
        XCTAssertEqual(store.count, 17)
        // One attacking address cannot grow a full table either.
        for index in 0..<3 { _ = try await challenges.issue(to: "c\(index)", at: now) }
        for _ in 0..<100 { _ = try await challenges.issue(to: "attacker", at: now) }
        XCTAssertEqual(store.count, 20)
        left = try await texts(challenges, for: "victim")
        XCTAssertEqual(left, [victim])
    }

    func testManyAddressesAreBoundedAndReturnedChallengesStayValid() async throws {
        let store = try InMemoryChallengeStore(limit: 100, clock: clock)
        let challenges = try challenges(perClient: 8, store: store)
        let victim = try await challenges.issue(to: "victim", at: now)
        for index in 0..<5000 { _ = try await challenges.issue(to: "\(index)", at: now) }
        XCTAssertEqual(store.count, 100)
        var left = try await texts(challenges, for: "victim")
        XCTAssertEqual(left, [])
        left = try await texts(challenges, for: "victim", returned: victim)
        XCTAssertEqual(left, [victim])
    }

    func testChallengesOfAStoreAreCheckedAndLimited() async throws {
        struct Generous: ChallengeStore {
            let texts: [String]
            func remember(_: String, of: StoreKey, lifetime: Duration, perClientLimit: Int) async throws {}
            func challenges(of client: StoreKey) async throws -> [String] { texts }
            func consume(_: String, of: StoreKey) async throws -> Bool { true }
        }
        let issuer = try challenges()
        var issued: [String] = []
        for _ in 0..<10 { issued.append(try await issuer.issue(to: "a", at: now)) }
        let generous = try LoginChallengeIssuer(
            key: SecretBytes(key),
            perClientLimit: 3,
            store: Generous(texts: issued + ["2016-08-17 10:00"])
        )
        let candidates = try await texts(generous, for: "a")
        XCTAssertEqual(candidates, issued.suffix(2))
    }

    func testUsedAndExpiredChallengesAreRemoved() {
        var table = ChallengeTable(limit: 10)
        func remember(_ text: String, _ client: String, at now: Duration) {
            table.remember(text, of: StoreKey(client), lifetime: .seconds(60), perClientLimit: 4, at: now)
        }
        for index in 0..<10_000 {
            let client = "\(index % 7)"
            remember("\(index)", client, at: .zero)
            XCTAssertTrue(table.consume("\(index)", of: StoreKey(client), at: .zero))
            XCTAssertEqual(table.count, 0)
            XCTAssertLessThanOrEqual(table.ticketCount, 85)
        }
        for index in 0..<10 { remember("text", "\(index)", at: .zero) }
        XCTAssertEqual(table.count, 10)
        remember("text", "later", at: .seconds(60))
        XCTAssertEqual(table.count, 1)
    }
}
