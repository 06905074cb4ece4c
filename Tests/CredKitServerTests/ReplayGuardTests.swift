// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import Foundation
import XCTest

@testable import CredKitServer

final class ReplayGuardTests: XCTestCase {
    /// 2016-08-17 10:00:00 UTC.
    private let now: Int64 = 1_471_428_000
    private let clock = ManualClock()

    private func proof(
        _ user: String = "zhang",
        _ number: Int = 0,
        minute: Int64? = nil,
        at time: Int64? = nil
    ) throws -> VerifiedProof {
        let start = minute ?? now
        let candidate = LoginCandidate(
            challenge: "2016-08-17 10:00",
            validFrom: start - 120,
            validUntil: start + 180,
            isOneTime: false
        )
        let digest = Legacy.MD5.hash(data: Array("\(number)".utf8))
        return VerifiedProof(
            accountName: user,
            challenge: candidate.challenge,
            replayKey: candidate.replayKey(accountName: user, proof: digest),
            validFrom: candidate.validFrom,
            validUntil: candidate.validUntil,
            verifiedAt: time ?? now
        )
    }

    private func guarding(isFirstStart: Bool = true) throws -> ReplayGuard {
        ReplayGuard(store: try InMemoryReplayStore(isFirstStart: isFirstStart, clock: clock), clock: clock)
    }

    private func decisions(_ replays: ReplayGuard, _ proofs: [VerifiedProof]) async throws -> [ReplayDecision]
    {
        var decisions: [ReplayDecision] = []
        for proof in proofs { decisions.append(try await replays.markUsed(proof)) }
        return decisions
    }

    /// A server that starts at 02:50 in summer time may have accepted, before, the proofs of 02:20 in winter time.
    func testProofFromBeforeTheStartIsRejectedAfterTheClockWasSetBack() async throws {
        let store = try InMemoryReplayStore(clock: clock)
        let replays = ReplayGuard(store: store, startedAt: UnixTime(now), clock: clock)
        clock.advance(by: .seconds(1800))
        let early = try await replays.markUsed(proof(minute: now - 1800, at: now - 1800))
        guard case .unavailable = early else { return XCTFail("\(early)") }
        let unaware = ReplayGuard(store: store, clock: clock)
        let accepted = try await unaware.markUsed(proof(minute: now - 1800, at: now - 1800))
        XCTAssertEqual(accepted, .accepted, "a guard that does not know the time of the start cannot tell")
    }

    func testProofThatExpiresWhileTheStoreAnswersIsRejected() async throws {
        struct SlowStore: ReplayStore {
            let clock: ManualClock
            func markUsed(
                _: StoreKey,
                account _: StoreKey,
                lifetime _: Duration,
                challengeAge _: Duration
            ) -> ReplayDecision {
                clock.advance(by: .seconds(180))
                return .accepted
            }
        }
        let decision = try await ReplayGuard(store: SlowStore(clock: clock), clock: clock).markUsed(proof())
        XCTAssertEqual(decision, .replayed)
    }

    func testProofIsAcceptedOnce() async throws {
        let proofs = try [proof(), proof(), proof("li"), proof("zhang", 1), proof(), proof("li")]
        let answers = try await decisions(guarding(), proofs)
        XCTAssertEqual(answers, [.accepted, .replayed, .accepted, .accepted, .replayed, .replayed])
    }

    func testExactlyOneOfSixteenConcurrentProofsIsAccepted() async throws {
        let replays = try guarding()
        for round in 0..<200 {
            let proof = try proof("zhang\(round)")
            let winners = try await withThrowingTaskGroup(of: ReplayDecision.self) { group in
                for _ in 0..<16 { group.addTask { try await replays.markUsed(proof) } }
                return try await group.reduce(into: 0) { $0 += $1 == .accepted ? 1 : 0 }
            }
            XCTAssertEqual(winners, 1)
        }
    }

    func testMemoryIsBoundedForManyProofs() throws {
        // A million entries take half a minute, and two under a sanitizer.
        let environment = ProcessInfo.processInfo.environment
        let isLong = environment["CREDKIT_DEEP"] == "1" && environment["CREDKIT_SANITIZER"] == nil
        let count = isLong ? 1_000_000 : 100_000
        let store = try InMemoryReplayStore(
            isFirstStart: true,
            perAccountLimit: 64,
            limit: 10_000,
            clock: clock
        )
        let account = StoreKey("account")
        var accepted = 0
        for number in 0..<count {
            // Fifty proofs a second, each stored for five minutes: 15,000 at once without a limit.
            if number > 0 && number.isMultiple(of: 50) { clock.advance(by: .seconds(1)) }
            let key = StoreKey("\(number)")
            let user = number.isMultiple(of: 3) ? account : key
            let answer = store.markUsed(key, account: user, lifetime: .seconds(300), challengeAge: .zero)
            switch answer {
            case .accepted: accepted += 1
            case .replayed: XCTFail("replayed")
            case .unavailable(let wait):
                XCTAssertGreaterThan(wait, .zero)
                XCTAssertLessThanOrEqual(wait, .seconds(300))
            }
            if number.isMultiple(of: 1000) { XCTAssertLessThanOrEqual(store.count, 10_000) }
        }
        XCTAssertLessThanOrEqual(store.count, 10_000)
        XCTAssertGreaterThan(accepted, count / 2)
        XCTAssertGreaterThan(count - accepted, count / 10)
    }

    func testOnlyExpiredProofsAreRemoved() throws {
        var table = ReplayTable(knowsEarlierUses: true, perAccountLimit: 3, limit: 5)
        func mark(_ number: Int, _ account: Int, for lifetime: Int, at now: Int) -> ReplayDecision {
            table.markUsed(
                StoreKey("\(number)"),
                account: StoreKey("\(account)"),
                lifetime: .seconds(lifetime),
                challengeAge: .zero,
                at: .seconds(now)
            )
        }
        for number in 0..<3 { XCTAssertEqual(mark(number, 100, for: 60, at: 0), .accepted) }
        // The per-user limit and the total limit: the store forgets nothing.
        XCTAssertEqual(mark(3, 100, for: 60, at: 0), .unavailable(retryAfter: .seconds(60)))
        XCTAssertEqual(mark(3, 101, for: 70, at: 0), .accepted)
        XCTAssertEqual(mark(4, 101, for: 60, at: 0), .accepted)
        XCTAssertEqual(mark(5, 102, for: 90, at: 10), .unavailable(retryAfter: .seconds(50)))
        XCTAssertEqual(mark(0, 100, for: 1, at: 59), .replayed)
        // A proof that is already stored is recognized even when the store is full.
        XCTAssertEqual(mark(3, 101, for: 11, at: 59), .replayed)
        XCTAssertEqual(table.count, 5)
        XCTAssertEqual(mark(5, 102, for: 20, at: 60), .accepted)
        XCTAssertEqual(table.count, 2)
        XCTAssertEqual(table.accountCount, 2)
        XCTAssertEqual(table.bucketCount, 2)
        XCTAssertEqual(mark(3, 101, for: 1, at: 69), .replayed)
    }

    func testClockSetBackAllowsNoReplay() async throws {
        let replays = try guarding()
        var answers = try await decisions(replays, [proof()])
        // Four minutes later the store drops the proof above.
        clock.advance(by: .seconds(240))
        answers += try await decisions(replays, [proof("li", minute: now + 240, at: now + 240)])
        XCTAssertEqual(answers, [.accepted, .accepted])
        for second in stride(from: Int64(-120), to: 180, by: 20) {
            clock.advance(by: .seconds(20))
            let again = try await replays.markUsed(try proof(at: now + second))
            XCTAssertEqual(again, .replayed, "\(second)")
        }
        // A clock jump to next year and back locks out no user, also after the proof of next year was dropped.
        let year: Int64 = 31_536_000
        answers = try await decisions(replays, [proof("wang", minute: now + year, at: now + year)])
        for round in 0..<10 {
            let minute = now + 600 + Int64(round) * 240
            let proof = try proof("wang", 2 + round, minute: minute, at: minute)
            answers += try await decisions(replays, [proof, proof])
            clock.advance(by: .seconds(240))
        }
        XCTAssertEqual(answers, [.accepted] + Array(repeating: [.accepted, .replayed], count: 10).joined())
    }

    func testSmallStepBackAllowsNoReplayOfAProofThatTheStoreDropped() async throws {
        let replays = try guarding()
        let first = try await decisions(replays, [proof()])
        // The clock of the proofs is set back by a minute: it shows 10:02:01 when the store drops the proof.
        clock.advance(by: .seconds(181))
        let later = try await decisions(replays, [proof(at: now + 121), proof("li", at: now + 121)])
        XCTAssertEqual(first + later, [.accepted, .replayed, .replayed])
    }

    func testForgottenProofsAreBoundedAndMerged() {
        var forgotten = ForgottenProofs()
        for minute in 0..<10_000 {
            forgotten.record(expiry: Int64(minute) * 60, forgottenAt: .seconds(minute))
            XCTAssertFalse(forgotten.contains(expiry: .max, at: .seconds(minute)))
        }
        XCTAssertEqual(forgotten.ranges, [0...599_940])
        XCTAssertEqual(forgotten.storedCount, 0)
        // Jumps by ten days, forwards and backwards.
        for jump in 1...50 {
            for time in [1_000_000_000 + Int64(jump) * 864_000, -Int64(jump) * 864_000] {
                forgotten.record(expiry: time, forgottenAt: .seconds(20_000))
                XCTAssertTrue(forgotten.contains(expiry: time, at: .seconds(20_000)))
            }
            XCTAssertLessThanOrEqual(forgotten.ranges.count, 16)
        }
        XCTAssertTrue(forgotten.contains(expiry: 300, at: .seconds(20_000)))
        XCTAssertFalse(forgotten.contains(expiry: 500_000_000, at: .seconds(20_000)))
    }

    func testEndOfSummerTimeAllowsNoReplay() async throws {
        // In Berlin the clock showed 02:30 twice on 2024-10-27: at 00:30 UTC and at 01:30 UTC.
        let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let verifier = try LoginVerifier(scheme)
        let zhang = LoginAccount(
            name: "zhang",
            credential: try StoredCredential("97070e99c2efa11e14a1b6f5407b4209")
        )
        let proof = scheme.proof(for: "zhang", at: try Legacy.TimestampedLogin.Minute("2024-10-27 02:30")).hex
        let later = scheme.proof(for: "zhang", at: try Legacy.TimestampedLogin.Minute("2024-10-27 02:50")).hex
        let replays = try guarding()
        let firstHour = UnixTime(1_729_989_000)
        var answers: [ReplayDecision] = []
        var last = 0
        for (proof, seconds, offset) in [(proof, 0, 7200), (later, 1200, 7200), (proof, 3600, 3600)] {
            clock.advance(by: .seconds(seconds - last))
            last = seconds
            guard
                case .accepted(let verified) = verifier.verify(
                    proof: proof,
                    account: zhang,
                    at: firstHour + .seconds(seconds),
                    utcOffset: .seconds(offset)
                )
            else { return XCTFail("rejected") }
            answers.append(try await replays.markUsed(verified))
        }
        XCTAssertEqual(answers, [.accepted, .accepted, .replayed])
    }

    func testProofsPossiblyUsedBeforeTheStartAreRefused() async throws {
        // It starts at 10:00:20. Proofs of 10:02 may have been used before the start, since 09:58, by clients with fast
        // clocks.
        let replays = try guarding(isFirstStart: false)
        clock.advance(by: .seconds(5))
        for (minute, wait) in [(Int64(-60), 240 - 25), (0, 180 - 25), (60, 120 - 25), (120, 60 - 25)] {
            let answer = try await replays.markUsed(try proof(minute: now + minute, at: now + 25))
            XCTAssertEqual(answer, .unavailable(retryAfter: .seconds(wait)), "\(minute)")
        }
        clock.advance(by: .seconds(40))
        let answer = try await replays.markUsed(try proof(minute: now + 180, at: now + 65))
        XCTAssertEqual(answer, .accepted)
        // A client that waits as long as the answer says is accepted.
        clock.advance(by: .seconds(115))
        let patient = try await replays.markUsed(try proof("li", minute: now + 180, at: now + 180))
        XCTAssertEqual(patient, .accepted)
        // Another server may have run in the same second as the start.
        let edge = try await replays.markUsed(try proof("wang", minute: now + 140, at: now + 180))
        XCTAssertNotEqual(edge, .accepted)
    }

    func testFullStoreRefusesLogins() async throws {
        let store = try InMemoryReplayStore(isFirstStart: true, perAccountLimit: 1, limit: 2, clock: clock)
        let replays = ReplayGuard(store: store, clock: clock)
        let proofs = try [proof(), proof("zhang", 1), proof("li"), proof("wang"), proof(at: now + 179)]
        let answers = try await decisions(replays, proofs)
        let unavailable = ReplayDecision.unavailable(retryAfter: .seconds(180))
        XCTAssertEqual(answers, [.accepted, unavailable, .accepted, unavailable, .replayed])
        for limits in [(0, 1), (1, 0), (-1, 1), (1, Int.max)] {
            XCTAssertThrowsError(try InMemoryReplayStore(perAccountLimit: limits.0, limit: limits.1))
        }
    }

    func testFailureOfTheStoreIsThrown() async throws {
        struct Broken: ReplayStore {
            struct Failure: Error {}
            func markUsed(
                _: StoreKey,
                account: StoreKey,
                lifetime: Duration,
                challengeAge: Duration
            ) async throws -> ReplayDecision { throw Failure() }
        }
        do {
            let answer = try await ReplayGuard(store: Broken()).markUsed(try proof())
            XCTFail("\(answer)")
        } catch let error as LoginServerError {
            XCTAssertEqual(error, .storeFailed)
            XCTAssertTrue(error.underlying is Broken.Failure)
            XCTAssertEqual(error.description, "the replay store failed")
        }
    }

    func testExtremeDurationsOfProofsDoNotCrashTheStore() throws {
        let store = try InMemoryReplayStore(clock: clock)
        for duration in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1)] {
            _ = store.markUsed(
                StoreKey("\(duration)"),
                account: StoreKey(),
                lifetime: duration,
                challengeAge: duration
            )
            clock.advance(by: .seconds(1))
        }
        XCTAssertEqual(Duration.seconds(Int64.max).retryAfter, .seconds(1 << 40))
        XCTAssertEqual(Duration.seconds(-1).retryAfter, .seconds(1))
        XCTAssertEqual(Duration.milliseconds(1001).retryAfter, .seconds(2))
    }

    func testReplayKeysAreDerivedFromTheirParts() throws {
        let proof = try XCTUnwrap(MessageDigest<16>(hex: "65b603186158699891ad8c45cb5e367e"))
        for name in ["", "zhang", "a name of more than fifteen bytes", "张三"] {
            var parts = HashedParts()
            parts.append("minute")
            parts.append(name)
            parts.append(proof.bytes.span)
            let expected = parts.finish().hex
            XCTAssertEqual(StoreKey(ofMinuteOf: name, proof: proof).hex, expected)
            XCTAssertEqual(StoreKey(challenge: name), StoreKey("challenge", name))
        }
    }

    func testKeysContainNeitherNameNorProof() throws {
        let key = try proof().replayKey
        XCTAssertEqual(key.hex.utf8.count, 64)
        XCTAssertEqual(Hex.encode(key.bytes), key.hex)
        // The boundary between two parts changes the key.
        XCTAssertNotEqual(StoreKey("ab", "c"), StoreKey("a", "bc"))
        XCTAssertNotEqual(StoreKey("ab"), StoreKey("ab", ""))
        // Equal strings with different bytes have different keys.
        XCTAssertEqual("\u{E9}", "e\u{301}")
        XCTAssertNotEqual(StoreKey("\u{E9}"), StoreKey("e\u{301}"))
    }
}
