// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitServer

/// The migration from the timestamped login to SCRAM, with old and new clients at once.
final class SCRAMMigrationTests: SCRAMTestCase {
    private struct Code: LoginSecondStep {
        func isRequired(for account: LoginAccount) -> Bool { true }
        func verify(_ code: String, of account: LoginAccount, at now: UnixTime) -> MechanismVerdict {
            code == "123456" ? .accepted() : .rejected
        }
    }

    func testMissingCodeUsesUpNothing() async throws {
        let service = try service(
            mechanism {
                $0.statesSubject = true
                $0.replacesLayeredVerifiers = true
            },
            secondStep: Code()
        )
        let second = try await Self.begin(service, "two")
        for code in [nil, "", nil] {
            let outcome = try await Self.finish(service, second, code: code)
            // The server proves itself, so that the client can send its code.
            XCTAssertEqual(outcome.decision, .codeRequired)
            XCTAssertNil(outcome.verifierTicket)
            XCTAssertNoThrow(try second.final.check(outcome.answer ?? ""))
        }
        let right = try await Self.finish(service, second, code: "123456")
        XCTAssertEqual(right.decision, .accepted(user: "two"))
        XCTAssertNoThrow(try second.final.check(right.answer ?? ""))
        XCTAssertNotNil(right.verifierTicket)
        // A wrong code uses up the proof, and the signature stays secret.
        let other = try await Self.begin(service, "two")
        let wrong = try await Self.finish(service, other, code: "000000")
        XCTAssertEqual(wrong, LoginResult(.rejected, answer: "e=invalid-proof"))
        let again = try await Self.finish(service, other, code: "123456")
        XCTAssertEqual(again, LoginResult(.rejected, answer: "e=invalid-proof"))
        // Without the password, a client does not learn who needs a code.
        let unknown = try await Self.finish(
            service,
            Self.begin(service, "two", password: "wrong"),
            code: "123456"
        )
        XCTAssertEqual(unknown.decision, .rejected)
    }

    func testOldAndNewClientsLogInAtOnce() async throws {
        let use = MechanismUse()
        let service = try service(attempts: 100_000, use: use)
        let now = now
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    if index.isMultiple(of: 2) {
                        let outcome = try await Self.finish(service, Self.begin(service, "one"))
                        return outcome.decision == .accepted(user: "one")
                    }
                    let challenge = try await service.challenge(
                        of: TimestampedMechanism.name,
                        for: "\(index)",
                        at: now
                    )
                    let proof = Self.scheme.proof(for: Self.password, challenge: challenge ?? "").hex
                    let attempt = LoginAttempt(
                        username: "one",
                        response: proof,
                        clientAddress: "\(index)",
                        challenge: challenge
                    )
                    return try await service.logIn(with: TimestampedMechanism.name, attempt, at: now)
                        == .accepted(user: "one")
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        XCTAssertEqual(accepted, 64)
        XCTAssertEqual(use.counts.map(\.mechanism), ["scram", "timestamped"])
        XCTAssertEqual(use.counts.map(\.logins), [32, 32])
        XCTAssertEqual(use.counts.map(\.accounts), [1, 1])
        XCTAssertEqual(use.accounts(using: TimestampedMechanism.name, since: now), ["one"])
        XCTAssertEqual(use.accounts(using: TimestampedMechanism.name, since: now + .seconds(1)), [])
        XCTAssertEqual(use.lastUse(of: "scram", byAccountNamed: "one"), now)
        XCTAssertNil(use.lastUse(of: "scram", byAccountNamed: "two"))
    }

    func testRejectedLoginsAreNotCounted() async throws {
        let use = MechanismUse(accountLimit: 1)
        let service = try service(secondStep: nil, use: use)
        try await logIn(service, "one", password: "wrong")
        XCTAssertEqual(use.counts, [])
        for user in ["one", "two", "one"] { try await logIn(service, user) }
        XCTAssertEqual(use.counts.map(\.logins), [3])
        XCTAssertEqual(use.counts.map(\.accounts), [1])
    }

    func testTimestampedLoginEndsForOneAccount() async throws {
        let service = try service()
        let before = try await logInWithTime(service, "one")
        XCTAssertEqual(before, .accepted(user: "one"))
        for (user, isGone) in [("one", true), ("one", true), ("two", true), ("zero", false), ("nemo", false)]
        {
            let removed = try await service.removePasswordEquivalent(ofAccountNamed: user)
            XCTAssertEqual(removed, isGone, user)
        }
        XCTAssertEqual(users.account(named: "one")?.credential.state, .layeredVerifier)
        XCTAssertEqual(users.account(named: "zero")?.credential.state, .passwordEquivalent)
        let after = try await logInWithTime(service, "one")
        XCTAssertEqual(after, .rejected)
        let new = try await logIn(service, "one")
        XCTAssertEqual(new, .accepted(user: "one"))
    }

    func testFormLoginNeverReplacesAVerifier() async throws {
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 2)),
            legacyKeys: [
                StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: Self.keyPhrase)
            ]
        )
        let passwords = try PasswordService(context: context)
        for mechanism in [
            PasswordMechanism(passwords),
            PasswordMechanism(passwords, unsafeStoresSCRAMVerifiers: try .fewer(4096)),
        ] {
            let service = try LoginService(
                accounts: users,
                mechanisms: [mechanism],
                storage: .memory(isFirstStart: true, clock: clock)
            )
            for user in ["zero", "one", "two", "three", "sha512"] {
                let before = users.account(named: user)
                _ = try await service.logIn(
                    with: PasswordMechanism.name,
                    LoginAttempt(username: user, response: Self.password, clientAddress: "home")
                )
                XCTAssertEqual(users.account(named: user), before, user)
            }
        }
    }

    func testHashBecomesAVerifierOnlyUnderTheNameThatSaysTheDanger() async throws {
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1))
        )
        let passwords = try PasswordService(context: context)
        func logIn(_ mechanism: PasswordMechanism, _ password: String) async throws -> LoginDecision {
            let service = try LoginService(
                accounts: users,
                mechanisms: [mechanism],
                storage: .memory(isFirstStart: true, clock: clock)
            )
            let attempt = LoginAttempt(username: "hash", response: password, clientAddress: "home")
            return try await service.logIn(with: PasswordMechanism.name, attempt)
        }
        let unsafe = PasswordMechanism(passwords, unsafeStoresSCRAMVerifiers: try .fewer(4096))
        let safe = try await logIn(PasswordMechanism(passwords), Self.password)
        XCTAssertEqual(safe, .accepted(user: "hash"))
        XCTAssertEqual(users.account(named: "hash")?.credential.state, .hash)
        let wrong = try await logIn(unsafe, "wrong")
        XCTAssertEqual(wrong, .rejected)
        XCTAssertEqual(users.account(named: "hash")?.credential.state, .hash)
        let right = try await logIn(unsafe, Self.password)
        XCTAssertEqual(right, .accepted(user: "hash"))
        XCTAssertEqual(users.account(named: "hash")?.credential.state, .verifier)
        let scram = try await self.logIn(self.service(), "hash", password: Self.password)
        XCTAssertEqual(scram, .accepted(user: "hash"))
    }
}
