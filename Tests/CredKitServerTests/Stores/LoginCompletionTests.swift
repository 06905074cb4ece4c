// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitServer

/// The last step of an accepted login.
final class LoginCompletionTests: XCTestCase {
    /// 2016-08-17 10:00:20 UTC.
    private static let now = UnixTime(1_471_428_020)
    private let clock = ManualClock()

    private static func storage(_ clock: ManualClock) -> LoginStorage {
        var storage = LoginStorage.memory(isFirstStart: true, clock: clock)
        storage.completions = storage.completion
        return storage
    }

    func testSeparateStoresPassTheSuite() async throws {
        let clock = clock
        try await LoginCompletionStoreSuite(advance: { clock.advance(by: $0) }) { Self.storage(clock) }.run()
    }

    /// Does something wrong.
    private struct BrokenCompletion: LoginCompletionStore {
        enum Fault: CaseIterable {
            case createsSessionsOfReplays, forgetsAttemptsOfReplays, keepsAttempts, hasItsOwnUses,
                createsNoSession
        }

        let fault: Fault
        let storage: LoginStorage
        let own = LoginStorage.memory(isFirstStart: true)

        func complete(_ completion: LoginCompletion) async throws -> LoginCompletion.Outcome {
            var storage = storage
            switch fault {
            case .createsSessionsOfReplays:
                if let session = completion.session {
                    _ = try await storage.sessions.create(
                        session.key,
                        of: session.user,
                        limits: session.limits
                    )
                }
            case .forgetsAttemptsOfReplays: try await storage.rates.reset(completion.attempts)
            case .keepsAttempts: storage.rates = own.rates
            case .hasItsOwnUses: storage.replays = own.replays
            case .createsNoSession:
                let bare = LoginCompletion(
                    use: completion.use,
                    attempts: completion.attempts,
                    session: nil
                )
                return try await storage.completion.complete(bare)
            }
            storage.completions = nil
            return try await storage.completion.complete(completion)
        }
    }

    func testBrokenCompletionsFailTheSuite() async throws {
        for fault in BrokenCompletion.Fault.allCases {
            let clock = ManualClock()
            let suite = LoginCompletionStoreSuite(advance: { clock.advance(by: $0) }) {
                var storage = Self.storage(clock)
                storage.completions = BrokenCompletion(fault: fault, storage: storage)
                return storage
            }
            do {
                try await suite.run()
                XCTFail("\(fault)")
            } catch is SuiteFailure {}
        }
    }

    /// Counts the calls of a login, each of which may be a round trip.
    private final class CountingStores: ReplayStore, RateStore, SessionStore, LoginCompletionStore {
        let storage: LoginStorage
        let calls = Lock<[String]>([])

        init(_ storage: LoginStorage) { self.storage = storage }

        private func note(_ call: String) { calls.withLock { $0.append(call) } }

        func markUsed(
            _ key: StoreKey,
            account: StoreKey,
            lifetime: Duration,
            challengeAge: Duration
        ) async throws -> ReplayDecision {
            note("markUsed")
            return try await storage.replays.markUsed(
                key,
                account: account,
                lifetime: lifetime,
                challengeAge: challengeAge
            )
        }

        func charge(_ charges: [RateCharge]) async throws -> RateLimitResult {
            note("charge")
            return try await storage.rates.charge(charges)
        }

        func reset(_ key: StoreKey) async throws { note("reset") }

        func create(_ session: StoreKey, of user: String, limits: SessionLimits) async throws -> Bool {
            note("create")
            return try await storage.sessions.create(session, of: user, limits: limits)
        }

        func user(of session: StoreKey) async throws -> String? {
            try await storage.sessions.user(of: session)
        }

        func revoke(_ session: StoreKey) async throws {}
        func revokeAll(of user: String) async throws {}
        func revokeOthers(of user: String, retaining session: StoreKey) async throws {}
        func sessions(of user: String) async throws -> [StoredSession] { [] }

        func complete(_ completion: LoginCompletion) async throws -> LoginCompletion.Outcome {
            note("complete")
            return try await storage.completion.complete(completion)
        }
    }

    private func service(
        _ storage: LoginStorage,
        secondStep: (any LoginSecondStep)? = nil
    ) throws -> LoginService {
        var configuration = LoginConfiguration()
        configuration.rejectionInterval = .zero
        return try LoginService(
            accounts: InMemoryAccounts([
                LoginAccount(
                    name: "zhang",
                    credential: StoredCredential(
                        passwordEquivalent: Legacy.TimestampedLogin(keyPhrase: "itheima")
                            .passwordEquivalent(for: "zhang")
                    )
                )
            ]),
            mechanisms: [.timestamped(keyPhrase: "itheima")],
            storage: storage,
            configuration: configuration,
            secondStep: secondStep,
            startedAt: Self.now,
            clock: clock
        )
    }

    private func attempt(
        _ service: LoginService,
        password: String = "zhang",
        code: String? = nil
    ) async throws -> LoginAttempt {
        let issued = try await service.challenge(of: TimestampedMechanism.name, for: "home", at: Self.now)
        let challenge = try XCTUnwrap(issued)
        return LoginAttempt(
            username: "zhang",
            response: Legacy.TimestampedLogin(keyPhrase: "itheima").proof(for: password, challenge: challenge)
                .hex,
            clientAddress: "home",
            challenge: challenge,
            code: code
        )
    }

    func testALoginWithASessionTakesTwoSteps() async throws {
        let stores = CountingStores(Self.storage(clock))
        let storage = LoginStorage(
            challenges: stores.storage.challenges,
            replays: stores,
            rates: stores,
            sessions: stores,
            completions: stores
        )
        let service = try service(storage)
        let attempt = try await attempt(service)
        let result = try await service.logInReturningAnswer(
            with: TimestampedMechanism.name,
            attempt,
            issuingSession: true,
            at: Self.now
        )
        XCTAssertEqual(result.decision, .accepted(user: "zhang"))
        XCTAssertEqual(stores.calls.withLock { $0 }, ["charge", "complete"])
        let user = try await service.sessions.user(of: XCTUnwrap(result.session).text)
        XCTAssertEqual(user, "zhang")
        let again = try await service.logInReturningAnswer(
            with: TimestampedMechanism.name,
            attempt,
            issuingSession: true,
            at: Self.now
        )
        XCTAssertEqual(again.decision, .rejected)
        XCTAssertNil(again.session)
    }

    func testOnlyAcceptedLoginsGetASessionAndOnlyIfAskedFor() async throws {
        let service = try service(.memory(isFirstStart: true, clock: clock))
        let wrong = try await service.logInReturningAnswer(
            with: TimestampedMechanism.name,
            attempt(service, password: "wrong"),
            issuingSession: true,
            at: Self.now
        )
        XCTAssertEqual(wrong, LoginResult(.rejected))
        let bare = try await service.logInReturningAnswer(
            with: TimestampedMechanism.name,
            attempt(service),
            at: Self.now
        )
        XCTAssertEqual(bare, LoginResult(.accepted(user: "zhang")))
    }

    func testAFullStoreOfSessionsAcceptsTheLoginWithoutASession() async throws {
        var storage = LoginStorage.memory(isFirstStart: true, clock: clock)
        storage.sessions = try InMemorySessionStore(limit: 1, clock: clock)
        let service = try service(storage)
        _ = try await service.sessions.issue(for: "li")
        let result = try await service.logInReturningAnswer(
            with: TimestampedMechanism.name,
            attempt(service),
            issuingSession: true,
            at: Self.now
        )
        XCTAssertEqual(result, LoginResult(.accepted(user: "zhang")))
    }

    private struct Code: LoginSecondStep {
        func isRequired(for account: LoginAccount) -> Bool { true }

        func verify(_ code: String, of account: LoginAccount, at now: UnixTime) -> MechanismVerdict {
            guard code == "123456" else { return .rejected }
            return .accepted(
                using: SingleUse(
                    StoreKey("code", code),
                    of: account.name,
                    validFrom: now,
                    validUntil: now + .seconds(60),
                    verifiedAt: now
                )
            )
        }
    }

    /// The step that accepts the code completes the login, and no other.
    func testASessionIsIssuedAfterTheSecondStepOnly() async throws {
        let stores = CountingStores(Self.storage(clock))
        let storage = LoginStorage(
            challenges: stores.storage.challenges,
            replays: stores,
            rates: stores,
            sessions: stores,
            completions: stores
        )
        let service = try service(storage, secondStep: Code())
        for (code, decision, calls) in [
            (nil, .codeRequired, ["charge"]), ("0", .rejected, ["charge", "markUsed"]),
            ("123456", .accepted(user: "zhang"), ["charge", "markUsed", "complete"]),
            ("123456", .rejected, ["charge", "markUsed", "complete"]),
        ] as [(String?, LoginDecision, [String])] {
            stores.calls.withLock { $0 = [] }
            let result = try await service.logInReturningAnswer(
                with: TimestampedMechanism.name,
                attempt(service, code: code),
                issuingSession: true,
                at: Self.now
            )
            XCTAssertEqual(result.decision, decision)
            XCTAssertEqual(result.session != nil, decision == .accepted(user: "zhang"))
            XCTAssertEqual(stores.calls.withLock { $0 }, calls)
        }
    }
}
