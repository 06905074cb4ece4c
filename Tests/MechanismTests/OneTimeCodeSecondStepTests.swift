// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// One-time codes and recovery codes as the second step of a service.
final class OneTimeCodeSecondStepTests: MechanismTestCase {
    private struct Failure: Error {}

    /// zhang has a key and recovery codes.
    private actor Users: OneTimeCodeUsers {
        private(set) var zhang: OneTimeCodeUser
        private var keys: Set<StoreKey>
        private(set) var isBroken = false

        init(_ key: OneTimeCodeKey, recovery: Set<StoreKey> = []) {
            zhang = OneTimeCodeUser(key: key)
            keys = recovery
        }

        func breakDown() { isBroken = true }

        func oneTimeCode(ofAccountNamed name: String) -> OneTimeCodeUser? { name == "zhang" ? zhang : nil }

        func setDrift(_ drift: Int, ofAccountNamed _: String) throws {
            guard !isBroken else { throw Failure() }
            zhang.drift = drift
        }

        func consumeRecoveryCode(_ key: StoreKey, ofAccountNamed name: String) throws -> Bool {
            guard !isBroken else { throw Failure() }
            return name == "zhang" && keys.remove(key) != nil
        }
    }

    private func key() throws -> OneTimeCodeKey {
        try OneTimeCodeKey(seed: SecretBytes("12345678901234567890"), kind: .time(period: .seconds(30)))
    }

    private func step(_ users: Users, maximumDrift: Int = 0) throws -> OneTimeCodeSecondStep {
        let storage = LoginStorage.memory(isFirstStart: true, clock: clock)
        let verifier = try OneTimeCodeVerifier(
            maximumDrift: maximumDrift,
            replayStore: storage.replays,
            rateStore: storage.rates,
            limit: RateLimit(attempts: 3, per: .seconds(300)),
            startedAt: now,
            clock: clock
        )
        return OneTimeCodeSecondStep(users, verifier: verifier)
    }

    private func code(at time: UnixTime) throws -> String { try key().code(at: time).text }

    func testCodeCountsOnceAndOnlyAfterTheRightPassword() async throws {
        let service = try service(secondStep: step(Users(try key())))
        let code = try code(at: now)
        let early = try await logIn(service, "wrong", code: code)
        XCTAssertEqual(early, .rejected)
        let none = try await logIn(service, "s3cret")
        XCTAssertEqual(none, .codeRequired)
        for wrong in ["000000", "12345", "x", "١٢٣٤٥٦"] {
            let decision = try await logIn(service, "s3cret", code: wrong)
            XCTAssertEqual(decision, .rejected, wrong)
        }
        let right = try await logIn(service, "s3cret", code: code)
        XCTAssertEqual(right, .accepted(user: "zhang"))
        let again = try await logIn(service, "s3cret", code: code)
        XCTAssertEqual(again, .rejected)
        let other = try await logIn(service, "secret", of: "wang")
        XCTAssertEqual(other, .accepted(user: "wang"))
    }

    func testExactlyOneOf64SimultaneousLoginsIsAccepted() async throws {
        let service = try service(secondStep: step(Users(try key())))
        let attempt = attempt("s3cret", of: "zhang", code: try code(at: now))
        let accepted = try await accepted(service, with: PasswordMechanism.name, attempt)
        XCTAssertEqual(accepted, 1)
    }

    func testGuessesAreLimitedBesideTheAttemptsOfTheService() async throws {
        let service = try service(secondStep: step(Users(try key())))
        for _ in 0..<3 {
            let decision = try await logIn(service, "s3cret", code: "000000")
            XCTAssertEqual(decision, .rejected)
        }
        let code = try code(at: now)
        let limited = try await logIn(service, "s3cret", code: code)
        XCTAssertEqual(limited, .limited(retryAfter: .seconds(100)))
        // A wrong password is not told apart from one without a second step.
        let wrong = try await logIn(service, "wrong", code: code)
        XCTAssertEqual(wrong, .rejected)
    }

    func testDriftIsStoredAndFollowed() async throws {
        let users = Users(try key())
        let service = try service(secondStep: step(users, maximumDrift: 5))
        for (late, expected) in [(-30, -1), (-60, -2), (-90, -3)] {
            clock.advance(by: .seconds(300))
            let time = now + .seconds(late * 100 / -30)
            let decision = try await logIn(
                service,
                "s3cret",
                code: try code(at: time + .seconds(late)),
                at: time
            )
            XCTAssertEqual(decision, .accepted(user: "zhang"))
            let drift = await users.zhang.drift
            XCTAssertEqual(drift, expected)
        }
        await users.breakDown()
        let decision = try await logIn(
            service,
            "s3cret",
            code: try code(at: now + .seconds(3000)),
            at: now + .seconds(3000)
        )
        XCTAssertEqual(decision, .rejected, "three periods ahead of the device")
        let kept = try await logIn(
            service,
            "s3cret",
            code: try code(at: now + .seconds(2940)),
            at: now + .seconds(3000)
        )
        XCTAssertEqual(kept, .accepted(user: "zhang"), "without a table for the drift")
    }

    func testRecoveryCodesCountOnce() async throws {
        let codes = try RecoveryCodes.generate(count: 2)
        let texts = codes.map {
            $0.withSecretBytes { code in String(decoding: code.indices.map { code[$0] }, as: UTF8.self) }
        }
        let users = Users(
            try key(),
            recovery: Set(codes.compactMap { RecoveryCodes.key(of: $0, account: "zhang") })
        )
        let service = try service(secondStep: step(users))
        let attempt = attempt("s3cret", of: "zhang", code: texts[0].uppercased())
        let accepted = try await accepted(service, with: PasswordMechanism.name, attempt)
        XCTAssertEqual(accepted, 1)
        let wrong = try await logIn(service, "wrong", code: texts[1])
        XCTAssertEqual(wrong, .rejected)
        let unknown = try await logIn(service, "s3cret", code: String(texts[1].reversed()))
        XCTAssertEqual(unknown, .rejected)
        await users.breakDown()
        do {
            let decision = try await logIn(service, "s3cret", code: texts[1])
            XCTFail("\(decision)")
        } catch {
            XCTAssertTrue(error is LoginServerError)
        }
    }
}
