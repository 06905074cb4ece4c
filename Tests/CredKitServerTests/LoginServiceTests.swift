// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitServer

final class LoginServiceTests: XCTestCase {
    /// 2016-08-17 10:00:20 UTC.
    private static let now = UnixTime(1_471_428_020)
    private var now: UnixTime { Self.now }
    private static let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")

    private let clock = ManualClock()

    private func service(
        oneTime: Bool,
        isFirstStart: Bool = true,
        attempts: Int = 100,
        replays: (any ReplayStore)? = nil,
        rates: (any RateStore)? = nil
    ) throws -> LoginService {
        let replays = try replays ?? InMemoryReplayStore(isFirstStart: isFirstStart, clock: clock)
        return LoginService(
            verifier: try LoginVerifier(Self.scheme),
            challenges: oneTime
                ? try LoginChallengeIssuer(store: InMemoryChallengeStore(clock: clock)) : nil,
            replays: ReplayGuard(store: replays, clock: clock),
            limiter: RateLimiter(
                account: try RateLimit(attempts: attempts, per: .seconds(600)),
                store: try rates ?? InMemoryRateStore(clock: clock)
            )
        )
    }

    private static func logIn(
        _ service: LoginService,
        _ proof: String,
        user: String = "zhang",
        clientAddress: String = "home",
        returned: String? = nil,
        at time: UnixTime? = nil
    ) async throws -> LoginDecision {
        try await service.logIn(
            username: user,
            proof: proof,
            clientAddress: clientAddress,
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
        let text = try await service.challenge(for: "home", at: now)
        let wrong = try await Self.logIn(service, Self.proof(text, "wrong"))
        XCTAssertEqual(wrong, .rejected)
        let answer = try await Self.logIn(service, Self.proof(text), at: now + .seconds(59))
        XCTAssertEqual(answer, .accepted(user: "zhang"))
    }

    func testCapturedProofIsRefusedInEitherMode() async throws {
        for oneTime in [true, false] {
            let service = try service(oneTime: oneTime)
            let text = try await service.challenge(for: "home", at: now)
            let proof = Self.proof(text)
            let first = try await Self.logIn(service, proof)
            XCTAssertEqual(first, .accepted(user: "zhang"))
            let refusal: LoginDecision = oneTime ? .rejected : .replayed(retryAfter: .seconds(40))
            for (user, proof, clientAddress) in [
                ("zhang", proof, "home"), ("zhang", proof, "elsewhere"), ("Zhang", proof, "home"),
                ("zhang", proof.uppercased(), "home"),
            ] {
                for returned in [nil, text] {
                    let again = try await Self.logIn(
                        service,
                        proof,
                        user: user,
                        clientAddress: clientAddress,
                        returned: returned
                    )
                    XCTAssertEqual(again, refusal, "\(oneTime) \(user)")
                }
            }
            if oneTime {
                // The proof is also refused for another user who has the same password.
                let other = try await Self.logIn(service, proof, user: "li", returned: text)
                XCTAssertEqual(other, .rejected)
            }
        }
    }

    func testExactlyOneOfSixteenConcurrentLoginsIsAccepted() async throws {
        for oneTime in [true, false] {
            for _ in 0..<20 {
                let service = try service(oneTime: oneTime)
                let proof = Self.proof(try await service.challenge(for: "home", at: now))
                let accepted = try await withThrowingTaskGroup(of: LoginDecision.self) { group in
                    for _ in 0..<16 { group.addTask { try await Self.logIn(service, proof) } }
                    return try await group.reduce(into: 0) { $0 += $1 == .accepted(user: "zhang") ? 1 : 0 }
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
            let bare = try await Self.logIn(try service(oneTime: false), Self.proof(minute))
            XCTAssertEqual(bare, isRight ? .accepted(user: "zhang") : .rejected, minute)
            // With one-time challenges no bare minute is accepted.
            let service = try service(oneTime: true)
            _ = try await service.challenge(for: "home", at: now)
            let oneTime = try await Self.logIn(service, Self.proof(minute))
            XCTAssertEqual(oneTime, .rejected)
        }
    }

    func testChallengeOfAnotherAddressIsAcceptedOnlyIfReturned() async throws {
        let service = try service(oneTime: true)
        let text = try await service.challenge(for: "home", at: now)
        let without = try await Self.logIn(service, Self.proof(text), clientAddress: "train")
        XCTAssertEqual(without, .rejected)
        let late = try await Self.logIn(
            service,
            Self.proof(text),
            clientAddress: "train",
            returned: text,
            at: now + .seconds(60)
        )
        XCTAssertEqual(late, .rejected)
        let with = try await Self.logIn(
            service,
            Self.proof(text),
            clientAddress: "train",
            returned: text,
            at: now + .seconds(59)
        )
        XCTAssertEqual(with, .accepted(user: "zhang"))
        // A challenge forged by the client is refused, too.
        for forged in ["2016-08-17 10:00", text.replacingOccurrences(of: "10:00", with: "10:01")] {
            let answer = try await Self.logIn(service, Self.proof(forged), returned: forged)
            XCTAssertEqual(answer, .rejected)
        }
    }

    func testAttemptsAreCountedBeforeAnyVerification() async throws {
        let service = try service(oneTime: false, attempts: 3)
        for _ in 0..<3 {
            let answer = try await Self.logIn(service, Self.proof("2016-08-17 10:00", "guess"))
            XCTAssertEqual(answer, .rejected)
        }
        // Even the right password is refused now, and an unknown user gets the same answer.
        for user in ["zhang", "unknown"] {
            for _ in 0..<(user == "zhang" ? 0 : 3) { _ = try await Self.logIn(service, "", user: user) }
            let answer = try await Self.logIn(service, Self.proof("2016-08-17 10:00"), user: user)
            XCTAssertEqual(answer, .limited(retryAfter: .seconds(200)), user)
        }
        clock.advance(by: .seconds(200))
        let later = try await Self.logIn(service, Self.proof("2016-08-17 10:03"), at: now + .seconds(200))
        XCTAssertEqual(later, .accepted(user: "zhang"))
        // The successful login restored the attempts.
        for _ in 0..<3 {
            let answer = try await Self.logIn(service, "", at: now + .seconds(200))
            XCTAssertEqual(answer, .rejected)
        }
    }

    func testRestartedServerRefusesEarlierProofs() async throws {
        let service = try service(oneTime: false, isFirstStart: false)
        clock.advance(by: .seconds(5))
        let answer = try await Self.logIn(service, Self.proof("2016-08-17 10:00"), at: now + .seconds(5))
        XCTAssertEqual(answer, .unavailable(retryAfter: .seconds(155)))
        clock.advance(by: .seconds(155))
        let later = try await Self.logIn(service, Self.proof("2016-08-17 10:03"), at: now + .seconds(160))
        XCTAssertEqual(later, .accepted(user: "zhang"))
    }

    func testAttemptsOverTheAccountsLimitDoNotUseUpTheAddress() async throws {
        let service = try service(oneTime: false, attempts: 3)
        for _ in 0..<100 { _ = try await Self.logIn(service, "", user: "li") }
        // 60 attempts of the address were available, and only 3 of them were allowed.
        let answer = try await Self.logIn(service, Self.proof("2016-08-17 10:00"))
        XCTAssertEqual(answer, .accepted(user: "zhang"))
    }

    func testFailuresOfStoresAndLookupAreThrownAndLogNoUserIn() async throws {
        struct Failure: Error {}
        struct Broken: ReplayStore, RateStore {
            let error: any Error
            func markUsed(
                _: StoreKey,
                account: StoreKey,
                lifetime: Duration,
                challengeAge: Duration
            ) async throws -> ReplayDecision { throw error }
            func charge(_: [RateCharge]) async throws -> RateLimitResult { throw error }
            func reset(_: StoreKey) async throws { throw error }
        }
        let own = LoginServerError(LoginServerError.Code(rawValue: "own"), message: "own")
        let cases: [(thrown: any Error, expected: LoginServerError)] = [
            (Failure(), .storeFailed), (CancellationError(), .cancelled), (own, own),
        ]
        for (thrown, expected) in cases {
            let broken = Broken(error: thrown)
            let services: [LoginService] = [
                try service(oneTime: false, replays: broken), try service(oneTime: true, rates: broken),
            ]
            for service in services {
                do {
                    let answer = try await Self.logIn(service, Self.proof("2016-08-17 10:00"))
                    XCTFail("\(answer)")
                } catch {
                    XCTAssertEqual(error as? LoginServerError, expected)
                    XCTAssertEqual((error as? LoginServerError)?.underlying is Failure, thrown is Failure)
                }
            }
        }
        let service = try service(oneTime: false)
        do {
            let answer = try await service.logIn(
                username: "zhang",
                proof: "",
                clientAddress: "home"
            ) { _ in throw Failure() }
            XCTFail("\(answer)")
        } catch {
            XCTAssertEqual(error, .lookupFailed)
        }
    }

    private struct BusyMechanism: ServerLoginMechanism {
        let name = "busy"
        let isBusy: Lock<Bool>
        func unavailability(for attempt: LoginAttempt) -> Duration? {
            isBusy.withLock { $0 } ? .milliseconds(1500) : nil
        }
        func verify(_ attempt: LoginAttempt, account: LoginAccount?, at now: UnixTime) -> MechanismVerdict {
            .accepted()
        }
    }

    /// Otherwise an owner who comes again, as Retry-After says, would be locked out by the load of others.
    func testAttemptThatCannotBeJudgedDoesNotCount() async throws {
        let isBusy = Lock(true)
        let service = try LoginService(
            accounts: InMemoryAccounts([LoginAccount(name: "alice", credential: .unusable)]),
            mechanisms: [BusyMechanism(isBusy: isBusy)],
            storage: .memory(isFirstStart: true)
        )
        let attempt = LoginAttempt(username: "alice", response: "x", clientAddress: "192.0.2.1")
        for _ in 0..<50 {
            let decision = try await service.logIn(with: "busy", attempt)
            XCTAssertEqual(decision, .unavailable(retryAfter: .seconds(2)))
        }
        isBusy.withLock { $0 = false }
        let decision = try await service.logIn(with: "busy", attempt)
        XCTAssertEqual(decision, .accepted(user: "alice"))
    }
}
