// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// What a service does for each mechanism.
final class LoginServiceMechanismTests: MechanismTestCase {
    private struct Failure: Error {}

    /// Does as a test tells it.
    private struct Scripted: ServerLoginMechanism {
        var name = "scripted"
        var verdict: @Sendable (LoginAttempt, LoginAccount?) async throws -> MechanismVerdict = { _, _ in
            .accepted()
        }

        func verify(
            _ attempt: LoginAttempt,
            account: LoginAccount?,
            at now: UnixTime
        ) async throws -> MechanismVerdict { try await verdict(attempt, account) }
    }

    private func scripted(
        _ verdict: @escaping @Sendable (LoginAttempt, LoginAccount?) async throws -> MechanismVerdict
    ) async throws -> LoginDecision {
        try await service(adding: [Scripted(verdict: verdict)])
            .logIn(with: "scripted", attempt("", of: "zhang"), at: now)
    }

    func testUnknownMechanismsAreNotReplacedByOthersAndCountNothing() async throws {
        let service = try service(attempts: 1)
        for name in ["", "PIN", "pin ", "pin\0", "scram", "pı\u{307}n"] {
            let decision = try await service.logIn(with: name, attempt("2580", of: "zhang"), at: now)
            XCTAssertEqual(decision, .unknownMechanism, name)
            let challenge = try await service.challenge(of: name, for: "home", at: now)
            XCTAssertNil(challenge)
        }
        let none = try await service.challenge(of: PasswordMechanism.name, for: "home", at: now)
        XCTAssertNil(none)
        let decision = try await logIn(service, "s3cret")
        XCTAssertEqual(decision, .accepted(user: "zhang"))
    }

    func testNamesMustBePrintableAndDifferent() throws {
        for names in [
            [""], ["pin"], ["a", "a"], ["a b"], ["é"], ["a\n"], [String(repeating: "a", count: 65)],
        ] {
            XCTAssertThrowsError(try service(adding: names.map { Scripted(name: $0) }), "\(names)") {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration)
            }
        }
        XCTAssertNoThrow(try service(adding: [Scripted(name: "a"), Scripted(name: "A")]))
        for interval in [Duration.milliseconds(-1), .seconds(11)] {
            XCTAssertThrowsError(try service(rejectionInterval: interval))
        }
    }

    func testMechanismCannotLogInAUserWhoDoesNotExist() async throws {
        let service = try service(adding: [Scripted()])
        let decision = try await service.logIn(with: "scripted", attempt("", of: "nemo"), at: now)
        XCTAssertEqual(decision, .rejected)
        let known = try await service.logIn(with: "scripted", attempt("", of: "zhang"), at: now)
        XCTAssertEqual(known, .accepted(user: "zhang"))
    }

    func testVerdictsBecomeDecisions() async throws {
        let now = now
        let busy = try await scripted { _, _ in .unavailable(retryAfter: .milliseconds(1500)) }
        XCTAssertEqual(busy, .unavailable(retryAfter: .seconds(2)))
        let limited = try await scripted { _, _ in .limited(retryAfter: .seconds(9)) }
        XCTAssertEqual(limited, .limited(retryAfter: .seconds(9)))
        for (from, until) in [(0, -1), (0, 0), (-1, Int64.min), (.max, .max), (.max, .min)] {
            let expired = try await scripted { _, account in
                let use = SingleUse(
                    StoreKey("test"),
                    of: account?.name ?? "",
                    validFrom: now + .seconds(from),
                    validUntil: now + .seconds(until),
                    verifiedAt: now
                )
                return .accepted(using: use)
            }
            // Times beyond those of the clock are the last ones.
            XCTAssertEqual(expired, until == .max ? .accepted(user: "zhang") : .rejected, "\(from) \(until)")
        }
    }

    func testErrorsOfMechanismsAndAccountsAreWrapped() async throws {
        struct Broken: LoginAccounts {
            func account(named _: String) async throws -> LoginAccount? { throw Failure() }
            func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) async throws
            {}
        }
        let own = LoginServerError(LoginServerError.Code(rawValue: "own"), message: "own")
        for (thrown, expected) in [
            (Failure(), .mechanismFailed), (CancellationError(), .cancelled), (own, own),
        ] as [(any Error, LoginServerError)] {
            do {
                let decision = try await scripted { _, _ in throw thrown }
                XCTFail("\(decision)")
            } catch {
                XCTAssertEqual(error as? LoginServerError, expected)
                XCTAssertEqual((error as? LoginServerError)?.underlying is Failure, thrown is Failure)
            }
        }
        do {
            let decision = try await logIn(try service(accounts: Broken()), "s3cret")
            XCTFail("\(decision)")
        } catch {
            XCTAssertEqual(error as? LoginServerError, .lookupFailed)
        }
    }

    func testNewHashIsStoredAndPasswordEquivalentsAreKept() async throws {
        let service = try service()
        let wrong = try await logIn(service, "Secret", of: "wang")
        XCTAssertEqual(wrong, .rejected)
        XCTAssertEqual(users.account(named: "wang")?.credential.passwordHash.prefix(3), "$1$")
        for _ in 1...2 {
            let decision = try await logIn(service, "secret", of: "wang")
            XCTAssertEqual(decision, .accepted(user: "wang"))
            XCTAssertEqual(users.account(named: "wang")?.credential.passwordHash.prefix(10), "$argon2id$")
        }
        let before = users.account(named: "zhang")
        let decision = try await logIn(service, "s3cret")
        XCTAssertEqual(decision, .accepted(user: "zhang"))
        XCTAssertEqual(users.account(named: "zhang"), before)
        // Nothing opens an account without a password.
        for password in ["", "!", "1379"] {
            let unusable = try await logIn(service, password, of: "li")
            XCTAssertEqual(unusable, .rejected)
        }
    }

    func testUsersInMemoryAreFoundByTheBytesOfTheirNames() async throws {
        let users = InMemoryAccounts([LoginAccount(name: "ren\u{E9}", credential: .unusable)])
        XCTAssertNotNil(users.account(named: "ren\u{E9}"))
        // Equal as strings: each spelling of a name has its own attempts.
        XCTAssertEqual("rene\u{301}", "ren\u{E9}")
        XCTAssertNil(users.account(named: "rene\u{301}"))
    }

    func testChangedPasswordIsNotReplaced() throws {
        let stored = try XCTUnwrap(users.account(named: "wang"))
        let changed = try StoredCredential("$argon2id$v=19$m=1024,t=1,p=1$c29tZXNhbHQ$4FgEM6rwWrPVPT+2XNMUnA")
        users.replace(.unusable, with: changed, ofAccountNamed: "wang")
        XCTAssertEqual(users.account(named: "wang"), stored)
        users.replace(stored.credential, with: changed, ofAccountNamed: "wang")
        XCTAssertEqual(users.account(named: "wang")?.credential, changed)
    }

    func testUseOfASlowMechanismIsTooLateWhenItHasExpired() async throws {
        let (now, clock) = (now, clock)
        for (wait, expected) in [(59, LoginDecision.accepted(user: "zhang")), (60, .rejected)] {
            let decision = try await scripted { _, account in
                clock.advance(by: .seconds(wait - 1))
                let use = SingleUse(
                    StoreKey("test", "\(wait)"),
                    of: account?.name ?? "",
                    validFrom: now,
                    validUntil: now + .seconds(60),
                    verifiedAt: now
                )
                return .accepted(using: use)
            }
            XCTAssertEqual(decision, expected, "\(wait)")
        }
    }

    /// A rejection is answered at the end of the interval, whatever the reason.
    func testRejectionsAreDelayedToTheEndOfAnInterval() async throws {
        let clock = clock
        let slow = Scripted { attempt, _ in
            clock.advance(by: .milliseconds(Int64(attempt.code ?? "") ?? 0))
            return .rejected
        }
        let service = try service(adding: [slow], rejectionInterval: .milliseconds(50))
        // The last 5 ms are waited for apart.
        for (spent, left) in [("0", 50), ("10", 40), ("44", 6), ("45", 55), ("50", 50), ("120", 30)] {
            for user in ["zhang", "nemo"] {
                let attempt = attempt("", of: user, code: spent)
                let login = Task { [now] in try await service.logIn(with: "scripted", attempt, at: now) }
                while clock.sleeperCount < 1 { await Task.yield() }
                let early = Duration.microseconds(1)
                clock.advance(by: .milliseconds(left) - .milliseconds(5) - early)
                XCTAssertEqual(clock.sleeperCount, 1, spent)
                clock.advance(by: early)
                while clock.sleeperCount < 1 { await Task.yield() }
                clock.advance(by: .milliseconds(5) - early)
                XCTAssertEqual(clock.sleeperCount, 1, spent)
                clock.advance(by: early)
                XCTAssertEqual(clock.sleeperCount, 0, spent)
                let decision = try await login.value
                XCTAssertEqual(decision, .rejected)
            }
        }
        // Logins are not delayed.
        let decision = try await logIn(service, "s3cret")
        XCTAssertEqual(decision, .accepted(user: "zhang"))
    }

    func testCancelledTaskIsNotDelayed() async throws {
        let service = try service(rejectionInterval: .seconds(1))
        let login = Task { [now, attempt = attempt("wrong")] in
            try await service.logIn(with: PasswordMechanism.name, attempt, at: now)
        }
        while clock.sleeperCount < 1 { await Task.yield() }
        login.cancel()
        do {
            let decision = try await login.value
            XCTFail("\(decision)")
        } catch {
            XCTAssertEqual(error as? LoginServerError, .cancelled)
        }
    }

    func testAttemptsAndCredentialsPrintNoSecrets() {
        let attempt = attempt("s3cret", of: "zhang", "challenge", code: "123456")
        let account = LoginAccount(
            name: "zhang",
            credential: .unusable,
            mechanismCredentials: ["pin": MechanismCredential("s3cret")]
        )
        var dumped = "\(attempt)\(String(reflecting: attempt))\(account)\(String(reflecting: account))"
        dump(attempt, to: &dumped)
        dump(account, to: &dumped)
        XCTAssertFalse(dumped.contains("s3cret") || dumped.contains("123456"), dumped)
    }
}
