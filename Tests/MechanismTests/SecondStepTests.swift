// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// A code as a second step, whose place `OneTimeCodeVerifier` or a service of a user's own can take.
final class SecondStepTests: MechanismTestCase {
    private struct Failure: Error {}

    /// zhang has the code 123456, which is valid once. Counts what it was asked.
    private actor Codes: LoginSecondStep {
        private(set) var lookups: [String] = []
        private(set) var codes: [String] = []
        var error: (any Error)?

        func fail(with error: any Error) { self.error = error }

        func isRequired(for account: LoginAccount) throws -> Bool {
            lookups.append(account.name)
            return account.name == "zhang"
        }

        func verify(_ code: String, of account: LoginAccount, at now: UnixTime) throws -> MechanismVerdict {
            codes.append(code)
            if let error { throw error }
            if code == "busy" { return .unavailable(retryAfter: .seconds(3)) }
            if code == "guess" { return .limited(retryAfter: .milliseconds(3001)) }
            guard account.name == "zhang", code == "123456" else { return .rejected }
            let use = SingleUse(
                StoreKey("code", account.name, code),
                of: account.name,
                validFrom: now - .seconds(30),
                validUntil: now + .seconds(60),
                verifiedAt: now
            )
            return .accepted(using: use)
        }
    }

    func testCodeIsRequiredOnlyAfterARightFirstStep() async throws {
        let codes = Codes()
        let service = try service(secondStep: codes)
        for (user, password) in [("zhang", "wrong"), ("wang", "wrong"), ("nemo", "s3cret"), ("li", "1379")] {
            for code in [nil, "", "123456", "000000"] {
                let decision = try await logIn(service, password, of: user, code: code)
                XCTAssertEqual(decision, .rejected, user)
            }
        }
        let untouched = await codes.lookups
        XCTAssertEqual(untouched, [])
        for code in [nil, ""] {
            let decision = try await logIn(service, "s3cret", code: code)
            XCTAssertEqual(decision, .codeRequired)
        }
        for code in ["000000", "12345", "١٢٣٤٥٦", String(repeating: "1", count: 1 << 16)] {
            let decision = try await logIn(service, "s3cret", code: code)
            XCTAssertEqual(decision, .rejected)
        }
        let busy = try await logIn(service, "s3cret", code: "busy")
        XCTAssertEqual(busy, .unavailable(retryAfter: .seconds(3)))
        let limited = try await logIn(service, "s3cret", code: "guess")
        XCTAssertEqual(limited, .limited(retryAfter: .seconds(4)))
        let right = try await logIn(service, "s3cret", code: "123456")
        XCTAssertEqual(right, .accepted(user: "zhang"))
        let again = try await logIn(service, "s3cret", code: "123456")
        XCTAssertEqual(again, .rejected)
        // A user without a second step needs no code, and one that is sent is ignored.
        for code in [nil, "000000"] {
            let decision = try await logIn(service, "secret", of: "wang", code: code)
            XCTAssertEqual(decision, .accepted(user: "wang"))
        }
        let asked = await codes.codes.count
        XCTAssertEqual(asked, 8)
    }

    func testMissingCodeUsesUpNothing() async throws {
        let service = try service(secondStep: Codes())
        for mechanism in [TimestampedMechanism.name, PINMechanism.name] {
            let challenge = try await service.challenge(of: mechanism, for: "home", at: now)
            let response = mechanism == PINMechanism.name ? "2580" : proof(challenge)
            let without = try await service.logIn(
                with: mechanism,
                attempt(response, of: "zhang", challenge),
                at: now
            )
            XCTAssertEqual(without, .codeRequired, mechanism)
            let wrong = try await service.logIn(
                with: mechanism,
                attempt(response, of: "zhang", challenge, code: "000000"),
                at: now
            )
            XCTAssertEqual(wrong, .rejected, mechanism)
            // The proof came with a code, so it is used up.
            let right = try await service.logIn(
                with: mechanism,
                attempt(response, of: "zhang", challenge, code: "123456"),
                at: now
            )
            XCTAssertEqual(right, .rejected, mechanism)
        }
        let decision = try await logIn(service, pin: "2580", code: "123456")
        XCTAssertEqual(decision, .accepted(user: "zhang"), "no login before used up the code")
    }

    func testExactlyOneOf64SimultaneousLoginsIsAccepted() async throws {
        let service = try service(secondStep: Codes())
        let password = attempt("s3cret", of: "zhang", code: "123456")
        let accepted = try await accepted(service, with: PasswordMechanism.name, password)
        XCTAssertEqual(accepted, 1)
    }

    func testCodesAreLimitedByTheAttemptsOfTheUser() async throws {
        let service = try service(attempts: 4, secondStep: Codes())
        for code in [nil, "000000", nil, "000001"] {
            let decision = try await logIn(service, "s3cret", code: code)
            XCTAssertEqual(decision, code == nil ? .codeRequired : .rejected)
        }
        // A right first step did not restore the attempts.
        let limited = try await logIn(service, "s3cret", code: "123456")
        XCTAssertEqual(limited, .limited(retryAfter: .seconds(150)))
        clock.advance(by: .seconds(150))
        let later = try await logIn(service, "s3cret", code: "123456")
        XCTAssertEqual(later, .accepted(user: "zhang"))
        let restored = try await logIn(service, "s3cret")
        XCTAssertEqual(restored, .codeRequired)
    }

    func testFailingSecondStepLogsNoUserIn() async throws {
        let codes = Codes()
        await codes.fail(with: Failure())
        let service = try service(secondStep: codes)
        do {
            let decision = try await logIn(service, "s3cret", code: "123456")
            XCTFail("\(decision)")
        } catch {
            XCTAssertEqual(error as? LoginServerError, .mechanismFailed)
            XCTAssertTrue((error as? LoginServerError)?.underlying is Failure)
        }
    }

    /// A slow second step must not let a proof be used that the store has forgotten in the meantime.
    func testProofThatExpiresDuringTheLookupOfTheSecondStepIsRejected() async throws {
        struct Slow: LoginSecondStep {
            let clock: ManualClock
            func isRequired(for _: LoginAccount) -> Bool {
                clock.advance(by: .seconds(61))
                return false
            }
            func verify(_: String, of _: LoginAccount, at _: UnixTime) -> MechanismVerdict { .rejected }
        }
        let service = try service(secondStep: Slow(clock: clock))
        for mechanism in [TimestampedMechanism.name, PINMechanism.name] {
            let challenge = try await service.challenge(of: mechanism, for: "home", at: now)
            let response = mechanism == PINMechanism.name ? "2580" : proof(challenge)
            let decision = try await service.logIn(
                with: mechanism,
                attempt(response, of: "zhang", challenge),
                at: now
            )
            XCTAssertEqual(decision, .rejected, mechanism)
        }
    }
}
