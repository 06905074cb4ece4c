// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

@testable import CredKitServer

final class ReplayGuardTests: XCTestCase {
    /// 2016-08-17 10:00:00 UTC.
    private let now: Int64 = 1_471_428_000

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

    private func guarding(startedAt: Int64? = nil) throws -> ReplayGuard {
        ReplayGuard(store: try InMemoryReplayStore(), startedAt: startedAt)
    }

    func testProofIsAcceptedOnce() async throws {
        let replays = try guarding()
        var answers: [ReplayDecision] = []
        for proof in try [proof(), proof(), proof("li"), proof("zhang", 1), proof(), proof("li")] {
            answers.append(await replays.markUsed(proof))
        }
        XCTAssertEqual(answers, [.accepted, .replayed, .accepted, .accepted, .replayed, .replayed])
    }

    func testExactlyOneOfSixteenConcurrentProofsIsAccepted() async throws {
        let replays = try guarding()
        for round in 0..<200 {
            let proof = try proof("zhang\(round)")
            let winners = await withTaskGroup(of: ReplayDecision.self) { group in
                for _ in 0..<16 { group.addTask { await replays.markUsed(proof) } }
                return await group.reduce(into: 0) { $0 += $1 == .accepted ? 1 : 0 }
            }
            XCTAssertEqual(winners, 1)
        }
    }

    func testMemoryIsBoundedForManyProofs() throws {
        // A million entries take half a minute, and two under a sanitizer.
        let environment = ProcessInfo.processInfo.environment
        let isLong = environment["CREDKIT_DEEP"] == "1" && environment["CREDKIT_SANITIZER"] == nil
        let count = isLong ? 1_000_000 : 100_000
        let store = try InMemoryReplayStore(perAccountLimit: 64, limit: 10_000)
        let account = ReplayKey(parts: [[1]])
        var answers: [ReplayStoreResult: Int] = [:]
        var bytes = [UInt8](repeating: 0, count: 4)
        for number in 0..<count {
            // Fifty proofs a second, each stored for five minutes: 15,000 at once without a limit.
            for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: number >> (index * 8)) }
            let now = now + Int64(number / 50)
            let key = ReplayKey(parts: [bytes])
            let user = number.isMultiple(of: 3) ? account : key
            let answer = store.insertIfAbsent(
                key,
                account: user,
                expiresAt: now + 300,
                now: now
            )
            answers[answer, default: 0] += 1
            if number.isMultiple(of: 1000) { XCTAssertLessThanOrEqual(store.count, 10_000) }
        }
        XCTAssertLessThanOrEqual(store.count, 10_000)
        XCTAssertGreaterThan(answers[.inserted] ?? 0, count / 2)
        XCTAssertGreaterThan(answers[.full] ?? 0, count / 10)
        XCTAssertNil(answers[.present])
    }

    func testOnlyExpiredProofsAreRemoved() throws {
        var table = ReplayTable(perAccountLimit: 3, limit: 5)
        func key(_ number: Int) -> ReplayKey { ReplayKey(parts: [Array("\(number)".utf8)]) }
        func insert(_ number: Int, _ account: Int, until: Int64, at now: Int64) -> ReplayStoreResult {
            table.insertIfAbsent(key(number), account: key(account), expiresAt: until, now: now)
        }
        for number in 0..<3 { XCTAssertEqual(insert(number, 100, until: 60, at: 0), .inserted) }
        // The per-user limit and the total limit: the guard fails closed.
        XCTAssertEqual(insert(3, 100, until: 60, at: 0), .full)
        XCTAssertEqual(insert(3, 101, until: 70, at: 0), .inserted)
        XCTAssertEqual(insert(4, 101, until: 60, at: 0), .inserted)
        XCTAssertEqual(insert(5, 102, until: 60, at: 0), .full)
        XCTAssertEqual(insert(0, 100, until: 60, at: 59), .present)
        // A proof that is already stored is recognized even when the store is full.
        XCTAssertEqual(insert(3, 101, until: 70, at: 59), .present)
        XCTAssertEqual(table.count, 5)
        XCTAssertEqual(insert(5, 102, until: 80, at: 60), .inserted)
        XCTAssertEqual(table.count, 2)
        XCTAssertEqual(table.accountCount, 2)
        XCTAssertEqual(table.bucketCount, 2)
        XCTAssertEqual(insert(3, 101, until: 70, at: 69), .present)
    }

    func testClockSetBackAllowsNoReplay() async throws {
        let replays = try guarding()
        let first = await replays.markUsed(try proof())
        XCTAssertEqual(first, .accepted)
        // Four minutes later another login drops the proof above.
        let later = await replays.markUsed(try proof("li", minute: now + 240, at: now + 240))
        XCTAssertEqual(later, .accepted)
        for second in stride(from: Int64(-120), to: 180, by: 20) {
            let again = await replays.markUsed(try proof(at: now + second))
            XCTAssertEqual(again, .replayed, "\(second)")
        }
        // A clock jump to next year and back locks out no user: no proof of next year was dropped.
        let jumped = await replays.markUsed(try proof("wang", minute: now + 31_536_000, at: now + 31_536_000))
        XCTAssertEqual(jumped, .accepted)
        let back = await replays.markUsed(try proof("wang", 2, minute: now + 480, at: now + 480))
        XCTAssertEqual(back, .accepted)
        let twice = await replays.markUsed(try proof("wang", 2, minute: now + 480, at: now + 480))
        XCTAssertEqual(twice, .replayed)
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
        let firstHour: Int64 = 1_729_989_000
        var decisions: [ReplayDecision] = []
        for (proof, time, offset) in [
            (proof, firstHour, 7200), (later, firstHour + 1200, 7200), (proof, firstHour + 3600, 3600),
        ] {
            guard
                case .accepted(let verified) = verifier.verify(
                    proof: proof,
                    account: zhang,
                    at: time,
                    utcOffset: offset
                )
            else { return XCTFail("rejected") }
            decisions.append(await replays.markUsed(verified))
        }
        XCTAssertEqual(decisions, [.accepted, .accepted, .replayed])
    }

    func testProofsPossiblyUsedBeforeTheStartAreRefused() async throws {
        // It starts at 10:00:20. Proofs of 10:02 may have been used before the start, since 09:58, by clients with fast
        // clocks.
        let replays = try guarding(startedAt: now + 20)
        for (minute, wait) in [(Int64(-60), 240 - 25), (0, 180 - 25), (60, 120 - 25), (120, 60 - 25)] {
            let answer = await replays.markUsed(try proof(minute: now + minute, at: now + 25))
            XCTAssertEqual(answer, .unavailable(retryAfter: wait), "\(minute)")
        }
        let answer = await replays.markUsed(try proof(minute: now + 180, at: now + 65))
        XCTAssertEqual(answer, .accepted)
        // A client that waits as long as the answer says is accepted.
        let patient = await replays.markUsed(try proof("li", minute: now + 180, at: now + 25 + 180 - 25))
        XCTAssertEqual(patient, .accepted)
        // Another server may have run in the same second as the start.
        let edge = await replays.markUsed(try proof("wang", minute: now + 140))
        XCTAssertNotEqual(edge, .accepted)
    }

    func testFullOrFailingStoreRefusesLogins() async throws {
        struct Broken: ReplayStore {
            struct Failure: Error {}
            func insertIfAbsent(_: ReplayKey, account: ReplayKey, expiresAt: Int64, now: Int64) async throws
                -> ReplayStoreResult
            { throw Failure() }
        }
        let broken = await ReplayGuard(store: Broken(), startedAt: nil).markUsed(try proof())
        guard case .unavailable = broken else { return XCTFail("\(broken)") }
        let replays = ReplayGuard(
            store: try InMemoryReplayStore(perAccountLimit: 1, limit: 2),
            startedAt: nil
        )
        var answers: [ReplayDecision] = []
        for proof in try [proof(), proof("zhang", 1), proof("li"), proof("wang"), proof(at: now + 179)] {
            answers.append(await replays.markUsed(proof))
        }
        XCTAssertEqual(
            answers,
            [.accepted, .unavailable(retryAfter: 180), .accepted, .unavailable(retryAfter: 180), .replayed]
        )
        for limits in [(0, 1), (1, 0), (-1, 1), (1, Int.max)] {
            XCTAssertThrowsError(try InMemoryReplayStore(perAccountLimit: limits.0, limit: limits.1))
        }
    }

    func testReplayKeysAreDerivedFromTheirParts() throws {
        let proof = try XCTUnwrap(MessageDigest<16>(hex: "65b603186158699891ad8c45cb5e367e"))
        for name in ["", "zhang", "a name of more than fifteen bytes", "张三"] {
            XCTAssertEqual(
                ReplayKey(ofMinuteOf: name, proof: proof),
                ReplayKey(parts: [Array("minute".utf8), Array(name.utf8), proof.bytes])
            )
            XCTAssertEqual(
                ReplayKey(challenge: name),
                ReplayKey(parts: [Array("one-time text".utf8), Array(name.utf8)])
            )
        }
    }

    func testReplayKeysContainNeitherNameNorProof() throws {
        let key = try proof().replayKey
        XCTAssertEqual(key.hex.utf8.count, 64)
        // The boundary between two parts changes the key.
        XCTAssertNotEqual(ReplayKey(parts: [[1, 2], [3]]), ReplayKey(parts: [[1], [2, 3]]))
        XCTAssertNotEqual(HashedKey("ab", "c"), HashedKey("a", "bc"))
        XCTAssertNotEqual(HashedKey("ab"), HashedKey("ab", ""))
    }
}
