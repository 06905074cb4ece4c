// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// A mechanism from outside of CredKit has what the built-in ones have.
final class PINMechanismTests: MechanismTestCase {
    func testPINLogsInAndIssuesASession() async throws {
        let service = try service()
        for (user, pin) in [("zhang", "2580"), ("li", "1379")] {
            let decision = try await logIn(service, pin: pin, of: user)
            XCTAssertEqual(decision, .accepted(user: user))
            let issued = try await service.sessions.issue(for: user)
            let token = try XCTUnwrap(issued)
            let found = try await service.sessions.user(of: token.text)
            XCTAssertEqual(found, user)
        }
    }

    func testInvalidResponsesAreRejected() async throws {
        let service = try service()
        for (pin, user) in [
            ("2581", "zhang"), ("1379", "zhang"), ("", "zhang"), ("2580\0", "zhang"), ("2580", "li"),
            ("2580", "wang"), ("2580", "nemo"), (String(repeating: "2", count: 1 << 16), "zhang"),
        ] {
            let decision = try await logIn(service, pin: pin, of: user)
            XCTAssertEqual(decision, .rejected, "\(pin.prefix(8)) of \(user)")
        }
        // Without a number, with a forged one, or with one of another address.
        let other = try await service.challenge(of: PINMechanism.name, for: "elsewhere", at: now)
        for number in [nil, "", "1471428020-00000000000000000000000000000000", other] {
            let decision = try await service.logIn(
                with: PINMechanism.name,
                attempt("2580", of: "zhang", number),
                at: now
            )
            XCTAssertEqual(decision, .rejected)
        }
        // Too late.
        let number = try await service.challenge(of: PINMechanism.name, for: "home", at: now)
        let late = try await service.logIn(
            with: PINMechanism.name,
            attempt("2580", of: "zhang", number),
            at: now + .seconds(60)
        )
        XCTAssertEqual(late, .rejected)
    }

    func testExactlyOneOf64SimultaneousLoginsIsAccepted() async throws {
        let service = try service()
        let number = try await service.challenge(of: PINMechanism.name, for: "home", at: now)
        let attempt = attempt("2580", of: "zhang", number)
        let accepted = try await accepted(service, with: PINMechanism.name, attempt)
        XCTAssertEqual(accepted, 1)
        let again = try await service.logIn(with: PINMechanism.name, attempt, at: now)
        XCTAssertEqual(again, .rejected)
    }

    /// The number is still in the store if only the replay guard remembers its use.
    func testUsedNumberIsRejectedByTheSharedReplayStore() async throws {
        struct Unforgetting: ChallengeStore {
            let inner: any ChallengeStore
            func remember(_ text: String, of client: StoreKey, lifetime: Duration, perClientLimit: Int)
                async throws
            {
                try await inner.remember(text, of: client, lifetime: lifetime, perClientLimit: perClientLimit)
            }
            func challenges(of client: StoreKey) async throws -> [String] {
                try await inner.challenges(of: client)
            }
            func consume(_: String, of _: StoreKey) async throws -> Bool { true }
        }
        var storage = LoginStorage.memory(isFirstStart: true, clock: clock)
        storage.challenges = Unforgetting(inner: storage.challenges)
        // Two processes, with the same stores.
        let services = [try service(storage: storage), try service(storage: storage)]
        let number = try await services[0].challenge(of: PINMechanism.name, for: "home", at: now)
        var decisions: [LoginDecision] = []
        for service in services {
            decisions.append(
                try await service.logIn(
                    with: PINMechanism.name,
                    attempt("2580", of: "zhang", number),
                    at: now
                )
            )
        }
        XCTAssertEqual(decisions, [.accepted(user: "zhang"), .rejected])
    }

    func testAttemptsAreCountedForAllMechanismsTogether() async throws {
        let service = try service(attempts: 3)
        let challenge = try await service.challenge(of: TimestampedMechanism.name, for: "home", at: now)
        let decisions = [
            try await logIn(service, pin: "0000"), try await logIn(service, "wrong"),
            try await service.logIn(
                with: TimestampedMechanism.name,
                attempt(proof(challenge, "wrong"), of: "zhang", challenge),
                at: now
            ),
        ]
        XCTAssertEqual(decisions, [.rejected, .rejected, .rejected])
        let limited = try await logIn(service, pin: "2580")
        XCTAssertEqual(limited, .limited(retryAfter: .seconds(200)))
        clock.advance(by: .seconds(200))
        let later = try await logIn(service, pin: "2580")
        XCTAssertEqual(later, .accepted(user: "zhang"))
        // The login by one mechanism restored the attempts of all.
        for _ in 0..<3 {
            let decision = try await logIn(service, "wrong")
            XCTAssertEqual(decision, .rejected)
        }
    }

    func testResponsesAreNotTriedWithOtherMechanisms() async throws {
        let service = try service(attempts: 20)
        let challenge = try await service.challenge(of: TimestampedMechanism.name, for: "home", at: now)
        let number = try await service.challenge(of: PINMechanism.name, for: "home", at: now)
        let responses: [(mechanism: String, response: String, challenge: String?)] = [
            (TimestampedMechanism.name, "s3cret", challenge), (TimestampedMechanism.name, "2580", number),
            (PasswordMechanism.name, proof(challenge), challenge), (PasswordMechanism.name, "2580", number),
            (PINMechanism.name, "s3cret", number), (PINMechanism.name, proof(number), number),
        ]
        for (mechanism, response, challenge) in responses {
            let decision = try await service.logIn(
                with: mechanism,
                attempt(response, of: "zhang", challenge),
                at: now
            )
            XCTAssertEqual(decision, .rejected, mechanism)
        }
        // None of them was used up.
        for (mechanism, response, challenge) in [
            (TimestampedMechanism.name, proof(challenge), challenge), (PINMechanism.name, "2580", number),
        ] {
            let decision = try await service.logIn(
                with: mechanism,
                attempt(response, of: "zhang", challenge),
                at: now
            )
            XCTAssertEqual(decision, .accepted(user: "zhang"), mechanism)
        }
    }
}
