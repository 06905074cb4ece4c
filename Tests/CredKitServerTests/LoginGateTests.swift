// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

final class LoginGateTests: XCTestCase {
    /// 2016-08-17 10:00:20 UTC.
    private static let now: Int64 = 1_471_428_020
    private var now: Int64 { Self.now }
    private static let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")

    private func gate(oneTime: Bool, startedAt: Int64? = nil, attempts: Int = 100) throws -> LoginGate {
        LoginGate(
            verifier: try LoginVerifier(Self.scheme),
            texts: oneTime ? try OneTimeTexts() : nil,
            replays: ReplayGuard(store: try InMemoryReplayStore(), startedAt: startedAt),
            limiter: try RateLimiter(account: RateLimit(attempts: attempts, per: 600))
        )
    }

    private static func logIn(
        _ gate: LoginGate,
        _ proof: String,
        user: String = "zhang",
        source: String = "home",
        broughtBack: String? = nil,
        at time: Int64? = nil
    ) async -> LoginDecision {
        await gate.logIn(
            username: user,
            proof: proof,
            source: source,
            broughtBack: broughtBack,
            at: time ?? now
        ) { name in
            // The table accepts two spellings of one name, and has another user with the same password.
            switch name {
            case "zhang", "Zhang":
                LoginAccount(
                    name: "zhang",
                    record: LoginRecord(passwordEquivalent: scheme.passwordEquivalent(for: "zhang"))
                )
            case "li":
                LoginAccount(
                    name: "li",
                    record: LoginRecord(passwordEquivalent: scheme.passwordEquivalent(for: "zhang"))
                )
            default: nil
            }
        }
    }

    private static func proof(_ text: String, _ password: String = "zhang") -> String {
        scheme.proof(for: password, atTimeText: text).hex
    }

    func testClientThatDoesNotReturnItsChallengeLogsIn() async throws {
        let gate = try gate(oneTime: true)
        let text = try gate.timeText(for: "home", at: now)
        let wrong = await Self.logIn(gate, Self.proof(text, "wrong"))
        XCTAssertEqual(wrong, .rejected)
        let answer = await Self.logIn(gate, Self.proof(text), at: now + 59)
        XCTAssertEqual(answer, .accepted(user: "zhang"))
    }

    func testCapturedProofIsRefusedInEitherMode() async throws {
        for oneTime in [true, false] {
            let gate = try gate(oneTime: oneTime)
            let text = try gate.timeText(for: "home", at: now)
            let proof = Self.proof(text)
            let first = await Self.logIn(gate, proof)
            XCTAssertEqual(first, .accepted(user: "zhang"))
            let refusal: LoginDecision = oneTime ? .rejected : .replayed(retryAfter: 40)
            for (user, proof, source) in [
                ("zhang", proof, "home"), ("zhang", proof, "elsewhere"), ("Zhang", proof, "home"),
                ("zhang", proof.uppercased(), "home"),
            ] {
                for broughtBack in [nil, text] {
                    let again = await Self.logIn(
                        gate,
                        proof,
                        user: user,
                        source: source,
                        broughtBack: broughtBack
                    )
                    XCTAssertEqual(again, refusal, "\(oneTime) \(user)")
                }
            }
            if oneTime {
                // The proof is also refused for another user who has the same password.
                let other = await Self.logIn(gate, proof, user: "li", broughtBack: text)
                XCTAssertEqual(other, .rejected)
            }
        }
    }

    func testExactlyOneOfSixteenConcurrentLoginsIsAccepted() async throws {
        for oneTime in [true, false] {
            for _ in 0..<20 {
                let gate = try gate(oneTime: oneTime)
                let proof = Self.proof(try gate.timeText(for: "home", at: now))
                let accepted = await withTaskGroup(of: LoginDecision.self) { group in
                    for _ in 0..<16 { group.addTask { await Self.logIn(gate, proof) } }
                    return await group.reduce(into: 0) { $0 += $1 == .accepted(user: "zhang") ? 1 : 0 }
                }
                XCTAssertEqual(accepted, 1)
            }
        }
    }

    func testClientClockMayBeOffByAMinuteButNotThree() async throws {
        for (minute, isRight) in [
            ("2016-08-17 09:57", false), ("2016-08-17 09:58", true), ("2016-08-17 09:59", true),
            ("2016-08-17 10:01", true), ("2016-08-17 10:02", true), ("2016-08-17 10:03", false),
        ] {
            let bare = await Self.logIn(try gate(oneTime: false), Self.proof(minute))
            XCTAssertEqual(bare, isRight ? .accepted(user: "zhang") : .rejected, minute)
            // With one-time challenges no bare minute is accepted.
            let gate = try gate(oneTime: true)
            _ = try gate.timeText(for: "home", at: now)
            let oneTime = await Self.logIn(gate, Self.proof(minute))
            XCTAssertEqual(oneTime, .rejected)
        }
    }

    func testChallengeOfAnotherSourceIsAcceptedOnlyIfReturned() async throws {
        let gate = try gate(oneTime: true)
        let text = try gate.timeText(for: "home", at: now)
        let without = await Self.logIn(gate, Self.proof(text), source: "train")
        XCTAssertEqual(without, .rejected)
        let late = await Self.logIn(gate, Self.proof(text), source: "train", broughtBack: text, at: now + 60)
        XCTAssertEqual(late, .rejected)
        let with = await Self.logIn(gate, Self.proof(text), source: "train", broughtBack: text, at: now + 59)
        XCTAssertEqual(with, .accepted(user: "zhang"))
        // A challenge forged by the client is refused, too.
        for forged in ["2016-08-17 10:00", text.replacingOccurrences(of: "10:00", with: "10:01")] {
            let answer = await Self.logIn(gate, Self.proof(forged), broughtBack: forged)
            XCTAssertEqual(answer, .rejected)
        }
    }

    func testAttemptsAreCountedBeforeAnyVerification() async throws {
        let gate = try gate(oneTime: false, attempts: 3)
        for _ in 0..<3 {
            let answer = await Self.logIn(gate, Self.proof("2016-08-17 10:00", "guess"))
            XCTAssertEqual(answer, .rejected)
        }
        // Even the right password is refused now, and an unknown user gets the same answer.
        for user in ["zhang", "nobody"] {
            for _ in 0..<(user == "zhang" ? 0 : 3) { _ = await Self.logIn(gate, "", user: user) }
            let answer = await Self.logIn(gate, Self.proof("2016-08-17 10:00"), user: user)
            XCTAssertEqual(answer, .limited(retryAfter: 200), user)
        }
        let later = await Self.logIn(gate, Self.proof("2016-08-17 10:03"), at: now + 200)
        XCTAssertEqual(later, .accepted(user: "zhang"))
        // The successful login restored the attempts.
        for _ in 0..<3 {
            let answer = await Self.logIn(gate, "", at: now + 200)
            XCTAssertEqual(answer, .rejected)
        }
    }

    func testRestartedServerRefusesEarlierProofs() async throws {
        let gate = try gate(oneTime: false, startedAt: now)
        let answer = await Self.logIn(gate, Self.proof("2016-08-17 10:00"), at: now + 5)
        XCTAssertEqual(answer, .unavailable(retryAfter: 155))
        let later = await Self.logIn(gate, Self.proof("2016-08-17 10:03"), at: now + 5 + 155)
        XCTAssertEqual(later, .accepted(user: "zhang"))
    }
}
