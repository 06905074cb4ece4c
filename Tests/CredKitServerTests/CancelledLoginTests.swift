// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// A login that is cancelled at any of its steps leaves no session, and uses up nothing before its last step.
final class CancelledLoginTests: XCTestCase {
    /// Where logins come by. The one that comes by for the given time cancels itself.
    private final class Steps: Sendable {
        private let left: Lock<Int>
        private let names = Lock<[String]>([])

        init(cancellingAt number: Int) { left = Lock(number) }

        var passed: [String] { names.withLock { $0 } }

        func pass(_ name: String) {
            names.withLock { $0.append(name) }
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { withUnsafeCurrentTask { $0?.cancel() } }
        }
    }

    private struct Users: LoginAccounts {
        let steps: Steps
        func account(named name: String) -> LoginAccount? {
            steps.pass("lookup")
            return LoginAccount(name: name, credential: .unusable)
        }
        func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) {}
    }

    private struct Mechanism: ServerLoginMechanism {
        let name = "any"
        let steps: Steps
        func verify(_ attempt: LoginAttempt, account: LoginAccount?, at now: UnixTime) -> MechanismVerdict {
            steps.pass("verification")
            return .accepted(using: Mechanism.use("proof", at: now))
        }
        static func use(_ name: String, at now: UnixTime) -> SingleUse {
            SingleUse(
                StoreKey(name),
                of: "alice",
                validFrom: now,
                validUntil: now + .seconds(60),
                verifiedAt: now
            )
        }
    }

    private struct Codes: LoginSecondStep {
        let steps: Steps
        func isRequired(for account: LoginAccount) -> Bool {
            steps.pass("question")
            return true
        }
        func verify(_ code: String, of account: LoginAccount, at now: UnixTime) -> MechanismVerdict {
            steps.pass("code")
            return .accepted(using: Mechanism.use("code", at: now))
        }
    }

    private struct Sessions: SessionStore {
        let base: InMemorySessionStore
        let created = Lock<[StoreKey]>([])
        let steps: Steps

        init(steps: Steps) throws {
            base = try InMemorySessionStore()
            self.steps = steps
        }

        func create(_ session: StoreKey, of user: String, limits: SessionLimits) -> Bool {
            created.withLock { $0.append(session) }
            defer { steps.pass("session") }
            return base.create(session, of: user, limits: limits)
        }
        func user(of session: StoreKey) -> String? { base.user(of: session) }
        func revoke(_ session: StoreKey) { base.revoke(session) }
        func revokeAll(of user: String) { base.revokeAll(of: user) }
        func revokeOthers(of user: String, retaining session: StoreKey) {
            base.revokeOthers(of: user, retaining: session)
        }
        func sessions(of user: String) -> [StoredSession] { base.sessions(of: user) }
    }

    func testCancelledLoginLeavesNothing() async throws {
        let all = ["lookup", "verification", "question", "code", "session", "lookup"]
        for number in 1...all.count + 1 {
            let steps = Steps(cancellingAt: number)
            let sessions = try Sessions(steps: steps)
            var storage = LoginStorage.memory(isFirstStart: true)
            storage.sessions = sessions
            let service = try LoginService(
                accounts: Users(steps: steps),
                mechanisms: [Mechanism(steps: steps)],
                storage: storage,
                secondStep: Codes(steps: steps)
            )
            func logIn() async -> Result<LoginResult, any Error> {
                await Task {
                    let attempt = LoginAttempt(
                        username: "alice",
                        response: "x",
                        clientAddress: "192.0.2.1",
                        code: "1"
                    )
                    return try await service.logInReturningAnswer(with: "any", attempt, issuingSession: true)
                }.result
            }
            let first = await logIn()
            guard number <= all.count else {
                XCTAssertEqual(try first.get().decision, .accepted(user: "alice"))
                XCTAssertEqual(steps.passed, all)
                continue
            }
            XCTAssertThrowsError(try first.get(), all[number - 1]) {
                XCTAssertEqual($0 as? LoginServerError, .cancelled)
            }
            for session in sessions.created.withLock({ $0 }) { XCTAssertNil(sessions.user(of: session)) }
            // Nothing was used up until the code was verified.
            let isUsedUp = number > 3
            let second = try await logIn().get()
            XCTAssertEqual(second.decision == .accepted(user: "alice"), !isUsedUp, all[number - 1])
        }
    }

    /// With a real computation and at any time: who gets an error has no session, who gets a session has one.
    func testLoginsCancelledAtRandomTimesLeaveNoSession() async throws {
        let steps = Steps(cancellingAt: .max)
        let sessions = try Sessions(steps: steps)
        var storage = LoginStorage.memory(isFirstStart: true)
        storage.sessions = sessions
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1))
        )
        let record = try StoredCredential(context.hash("secret"))
        var limits = LoginConfiguration()
        limits.accountLimit = try RateLimit(attempts: 1_000_000, per: .seconds(1))
        limits.clientLimit = limits.accountLimit
        let service = try LoginService(
            accounts: InMemoryAccounts([LoginAccount(name: "alice", credential: record)]),
            mechanisms: [.password(PasswordService(context: context))],
            storage: storage,
            configuration: limits
        )
        var ends = (accepted: 0, cancelled: 0)
        for _ in 0..<200 {
            let task = Task {
                let attempt = LoginAttempt(username: "alice", response: "secret", clientAddress: "192.0.2.1")
                return try await service.logInReturningAnswer(
                    with: PasswordMechanism.name,
                    attempt,
                    issuingSession: true
                )
            }
            for _ in 0..<Int.random(in: 0...600) { await Task.yield() }
            task.cancel()
            let live = { sessions.created.withLock { $0 }.filter { sessions.user(of: $0) != nil }.count }
            switch await task.result {
            case .success(let result):
                ends.accepted += 1
                XCTAssertEqual(live(), 1)
                try await service.sessions.revoke(XCTUnwrap(result.session).text)
            case .failure(let error):
                ends.cancelled += 1
                XCTAssertEqual(error as? LoginServerError, .cancelled)
                XCTAssertEqual(live(), 0)
            }
        }
        XCTAssertGreaterThan(ends.cancelled, 0)
    }
}
