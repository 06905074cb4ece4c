// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

final class LoginServiceTests: XCTestCase {
    /// 2016-08-17 10:00:20 UTC.
    private static let now: Int64 = 1_471_428_020
    private var now: Int64 { Self.now }
    private static let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")

    private func service(oneTime: Bool, startedAt: Int64? = nil, attempts: Int = 100) throws -> LoginService {
        LoginService(
            verifier: try LoginVerifier(Self.scheme),
            challenges: oneTime ? try LoginChallengeIssuer() : nil,
            replays: ReplayGuard(store: try InMemoryReplayStore(), startedAt: startedAt),
            limiter: try RateLimiter(account: RateLimit(attempts: attempts, per: 600))
        )
    }

    private static func logIn(
        _ service: LoginService,
        _ proof: String,
        user: String = "zhang",
        source: String = "home",
        returned: String? = nil,
        at time: Int64? = nil
    ) async -> LoginDecision {
        await service.logIn(
            username: user,
            proof: proof,
            source: source,
            returned: returned,
            at: time ?? now
        ) { name in
            // The table accepts two spellings of one name, and has another user with the same password.
            switch name {
            case "zhang", "Zhang":
                LoginAccount(
                    name: "zhang",
                    credential: StoredCredential(passwordEquivalent: scheme.passwordEquivalent(for: "zhang"))
                )
            case "li":
                LoginAccount(
                    name: "li",
                    credential: StoredCredential(passwordEquivalent: scheme.passwordEquivalent(for: "zhang"))
                )
            default: nil
            }
        }
    }

    private static func proof(_ text: String, _ password: String = "zhang") -> String {
        scheme.proof(for: password, challenge: text).hex
    }

    func testClientThatDoesNotReturnItsChallengeLogsIn() async throws {
        let service = try service(oneTime: true)
        let text = try service.challenge(for: "home", at: now)
        let wrong = await Self.logIn(service, Self.proof(text, "wrong"))
        XCTAssertEqual(wrong, .rejected)
        let answer = await Self.logIn(service, Self.proof(text), at: now + 59)
        XCTAssertEqual(answer, .accepted(user: "zhang"))
    }

    func testCapturedProofIsRefusedInEitherMode() async throws {
        for oneTime in [true, false] {
            let service = try service(oneTime: oneTime)
            let text = try service.challenge(for: "home", at: now)
            let proof = Self.proof(text)
            let first = await Self.logIn(service, proof)
            XCTAssertEqual(first, .accepted(user: "zhang"))
            let refusal: LoginDecision = oneTime ? .rejected : .replayed(retryAfter: 40)
            for (user, proof, source) in [
                ("zhang", proof, "home"), ("zhang", proof, "elsewhere"), ("Zhang", proof, "home"),
                ("zhang", proof.uppercased(), "home"),
            ] {
                for returned in [nil, text] {
                    let again = await Self.logIn(
                        service,
                        proof,
                        user: user,
                        source: source,
                        returned: returned
                    )
                    XCTAssertEqual(again, refusal, "\(oneTime) \(user)")
                }
            }
            if oneTime {
                // The proof is also refused for another user who has the same password.
                let other = await Self.logIn(service, proof, user: "li", returned: text)
                XCTAssertEqual(other, .rejected)
            }
        }
    }

    func testExactlyOneOfSixteenConcurrentLoginsIsAccepted() async throws {
        for oneTime in [true, false] {
            for _ in 0..<20 {
                let service = try service(oneTime: oneTime)
                let proof = Self.proof(try service.challenge(for: "home", at: now))
                let accepted = await withTaskGroup(of: LoginDecision.self) { group in
                    for _ in 0..<16 { group.addTask { await Self.logIn(service, proof) } }
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
            let bare = await Self.logIn(try service(oneTime: false), Self.proof(minute))
            XCTAssertEqual(bare, isRight ? .accepted(user: "zhang") : .rejected, minute)
            // With one-time challenges no bare minute is accepted.
            let service = try service(oneTime: true)
            _ = try service.challenge(for: "home", at: now)
            let oneTime = await Self.logIn(service, Self.proof(minute))
            XCTAssertEqual(oneTime, .rejected)
        }
    }

    func testChallengeOfAnotherSourceIsAcceptedOnlyIfReturned() async throws {
        let service = try service(oneTime: true)
        let text = try service.challenge(for: "home", at: now)
        let without = await Self.logIn(service, Self.proof(text), source: "train")
        XCTAssertEqual(without, .rejected)
        let late = await Self.logIn(service, Self.proof(text), source: "train", returned: text, at: now + 60)
        XCTAssertEqual(late, .rejected)
        let with = await Self.logIn(service, Self.proof(text), source: "train", returned: text, at: now + 59)
        XCTAssertEqual(with, .accepted(user: "zhang"))
        // A challenge forged by the client is refused, too.
        for forged in ["2016-08-17 10:00", text.replacingOccurrences(of: "10:00", with: "10:01")] {
            let answer = await Self.logIn(service, Self.proof(forged), returned: forged)
            XCTAssertEqual(answer, .rejected)
        }
    }

    func testAttemptsAreCountedBeforeAnyVerification() async throws {
        let service = try service(oneTime: false, attempts: 3)
        for _ in 0..<3 {
            let answer = await Self.logIn(service, Self.proof("2016-08-17 10:00", "guess"))
            XCTAssertEqual(answer, .rejected)
        }
        // Even the right password is refused now, and an unknown user gets the same answer.
        for user in ["zhang", "unknown"] {
            for _ in 0..<(user == "zhang" ? 0 : 3) { _ = await Self.logIn(service, "", user: user) }
            let answer = await Self.logIn(service, Self.proof("2016-08-17 10:00"), user: user)
            XCTAssertEqual(answer, .limited(retryAfter: 200), user)
        }
        let later = await Self.logIn(service, Self.proof("2016-08-17 10:03"), at: now + 200)
        XCTAssertEqual(later, .accepted(user: "zhang"))
        // The successful login restored the attempts.
        for _ in 0..<3 {
            let answer = await Self.logIn(service, "", at: now + 200)
            XCTAssertEqual(answer, .rejected)
        }
    }

    func testRestartedServerRefusesEarlierProofs() async throws {
        let service = try service(oneTime: false, startedAt: now)
        let answer = await Self.logIn(service, Self.proof("2016-08-17 10:00"), at: now + 5)
        XCTAssertEqual(answer, .unavailable(retryAfter: 155))
        let later = await Self.logIn(service, Self.proof("2016-08-17 10:03"), at: now + 5 + 155)
        XCTAssertEqual(later, .accepted(user: "zhang"))
    }
}
