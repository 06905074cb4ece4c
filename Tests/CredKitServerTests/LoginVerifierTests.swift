// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

/// Python's hmac and hashlib computed the proofs in these tests.
final class LoginVerifierTests: XCTestCase {
    /// 2016-08-17 10:00 UTC.
    private let tenOClock = UnixTime(1_471_428_000)
    private let proof = "65b603186158699891ad8c45cb5e367e"
    private let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")

    private func zhang() throws -> LoginAccount {
        LoginAccount(name: "zhang", credential: try StoredCredential("97070e99c2efa11e14a1b6f5407b4209"))
    }

    private func isAccepted(_ verification: LoginVerification) -> Bool {
        if case .accepted = verification { true } else { false }
    }

    func testKnownProofIsAccepted() throws {
        let verifier = try LoginVerifier(scheme)
        guard
            case .accepted(let verified) = verifier.verify(
                proof: proof,
                account: try zhang(),
                at: tenOClock + .seconds(7)
            )
        else { return XCTFail("rejected") }
        XCTAssertEqual(verified.accountName, "zhang")
        XCTAssertEqual(verified.challenge, "2016-08-17 10:00")
        XCTAssertEqual(verified.remainingLifetime, .seconds(173))
        // Whole seconds, rounded up: both times may be late in their second.
        XCTAssertEqual(verified.challengeAge, .seconds(128))
    }

    func testWindowEndsAtItsDocumentedSecond() throws {
        // The proof of 10:00 at the first and last second of each window.
        for (window, first, last) in [(0, 0, 59), (1, -60, 119), (2, -120, 179), (15, -900, 959)] {
            let verifier = try LoginVerifier(scheme, windowMinutes: window)
            for (second, isRight) in [(first - 1, false), (first, true), (last, true), (last + 1, false)] {
                let answer = verifier.verify(
                    proof: proof,
                    account: try zhang(),
                    at: tenOClock + .seconds(second)
                )
                XCTAssertEqual(isAccepted(answer), isRight, "±\(window), \(second) s")
            }
        }
        let verifier = try LoginVerifier(scheme)
        for (proof, isRight) in [
            ("7b11d577fb4e561e9ed6268f85093d9f", false), ("629159761b21d42a0d1405d48659017d", true),
            ("38a5cf6c2c6da0f250e173250fa52c95", true), ("cbefae157c62dd52cab327c04c8dfaa5", false),
        ] {
            let answer = verifier.verify(proof: proof, account: try zhang(), at: tenOClock + .seconds(59))
            XCTAssertEqual(isAccepted(answer), isRight, proof)
        }
        for window in [-1, 16, .max] {
            XCTAssertThrowsError(try LoginVerifier(scheme, windowMinutes: window)) {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration)
            }
        }
    }

    func testMinutesFollowTheServersClock() throws {
        let verifier = try LoginVerifier(scheme)
        // 10:00 in Shanghai is 02:00 UTC; Nepal's offset includes a quarter of an hour.
        for offset in [8 * 3600, -7 * 3600, 20_700, 86_399, -86_399] {
            let now = tenOClock - .seconds(offset)
            let answer = verifier.verify(
                proof: proof,
                account: try zhang(),
                at: now,
                utcOffset: .seconds(offset)
            )
            XCTAssertTrue(isAccepted(answer), "\(offset)")
            XCTAssertFalse(isAccepted(verifier.verify(proof: proof, account: try zhang(), at: now)))
        }
        for offset in [86_400, -86_400, Int64.max, .min] {
            let answer = verifier.verify(
                proof: proof,
                account: try zhang(),
                at: tenOClock,
                utcOffset: .seconds(offset)
            )
            XCTAssertEqual(answer, .rejected)
        }
    }

    func testInvalidProofsAreRejectedWithTheSameWork() throws {
        let verifier = try LoginVerifier(scheme)
        let candidates = LoginCandidates(LoginCandidate.minutes(around: tenOClock.seconds, window: 2))
        let hash = try StoredCredential("$1$abc$iCQ2D3nhptRYi27fDYv2s1")
        let formOnly = LoginAccount(name: "li", credential: hash)
        let posted = [
            proof, "", "zhang", String(proof.dropLast()), proof + "0", "65b603186158699891ad8c45cb5e367g",
            "６5b603186158699891ad8c45cb5e36", String(repeating: "0", count: 32), " " + proof.dropLast(),
            String(repeating: "a", count: 1 << 20), "65b603186158699891ad8c45cb5e367\0",
        ]
        for account in [nil, try zhang(), formOnly] {
            for text in posted {
                let (answer, computations) = verifier.examine(
                    text,
                    account,
                    candidates,
                    at: tenOClock.seconds
                )
                XCTAssertEqual(computations, 5)
                XCTAssertEqual(
                    isAccepted(answer),
                    text == proof && account?.name == "zhang",
                    text.prefix(40) + ""
                )
            }
        }
    }

    func testProofsInEitherCaseAreEqual() throws {
        let verifier = try LoginVerifier(scheme)
        let answers = [proof, proof.uppercased()]
            .map { verifier.verify(proof: $0, account: try? zhang(), at: tenOClock) }
        XCTAssertTrue(isAccepted(answers[0]))
        XCTAssertEqual(answers[0], answers[1])
    }

    func testUnknownUserHasNoValidProof() throws {
        // The stand-in for users who do not exist has no password that could be known.
        let verifier = try LoginVerifier(scheme)
        for password in ["", "zhang", "unknown"] {
            let proof = scheme.proof(
                for: password,
                at: try Legacy.TimestampedLogin.Minute("2016-08-17 10:00")
            ).hex
            XCTAssertEqual(verifier.verify(proof: proof, account: nil, at: tenOClock), .rejected)
        }
        // A posted text that is not a proof is compared like the stand-in's proof, and never accepted.
        XCTAssertEqual(verifier.verify(proof: "?", account: nil, at: tenOClock), .rejected)
    }

    func testExtremeClocksDoNotCrashTheServer() throws {
        let verifier = try LoginVerifier(scheme, windowMinutes: 15)
        for now in [Int64.min, -1, 0, 1 << 37, .max].map(UnixTime.init) {
            for offset in [-86_399, 0, 86_399] {
                let answer = verifier.verify(
                    proof: proof,
                    account: try zhang(),
                    at: now,
                    utcOffset: .seconds(offset)
                )
                XCTAssertEqual(answer, .rejected)
            }
        }
    }

    func testUserIsLookedUpByName() async throws {
        struct TableIsDown: Error {}
        let verifier = try LoginVerifier(scheme)
        let account = try zhang()
        let answer = await verifier.verify(proof: proof, username: "zhang", at: tenOClock) { name in
            name == "zhang" ? account : nil
        }
        XCTAssertTrue(isAccepted(answer))
        let other = await verifier.verify(proof: proof, username: "li", at: tenOClock) { name in
            name == "zhang" ? account : nil
        }
        XCTAssertEqual(other, .rejected)
        do {
            _ = try await verifier.verify(proof: proof, username: "li", at: tenOClock) { _ in
                throw TableIsDown()
            }
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is TableIsDown)
        }
    }

    func testRecordsAreParsedAndPrintNoSecrets() throws {
        let equivalent = try StoredCredential("97070E99C2EFA11E14A1B6F5407B4209")
        XCTAssertEqual(
            equivalent,
            StoredCredential(passwordEquivalent: scheme.passwordEquivalent(for: "zhang"))
        )
        let hash = try StoredCredential("$1$abc$iCQ2D3nhptRYi27fDYv2s1")
        XCTAssertNil(hash.passwordEquivalent)
        XCTAssertEqual(hash.passwordHash, "$1$abc$iCQ2D3nhptRYi27fDYv2s1")
        for credential in [equivalent, hash] {
            var dumped = "\(credential)\(String(reflecting: credential))"
            dump(credential, to: &dumped)
            XCTAssertFalse(dumped.lowercased().contains("97070e99") || dumped.contains("iCQ2D3nh"), dumped)
        }
        for text in [
            "", "secret", "97070e99c2efa11e14a1b6f5407b420", "97070e99c2efa11e14a1b6f5407b420g", "$1$",
        ] {
            XCTAssertThrowsError(try StoredCredential(text)) { error in
                XCTAssertEqual(error as? LoginServerError, .malformedCredential)
                XCTAssertFalse(text.count > 3 && "\(error)".contains(text))
            }
        }
    }

    func testPasswordEquivalentAlsoVerifiesAFormLogin() throws {
        let keys = [StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: "itheima")]
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1)),
            legacyKeys: keys
        )
        let credential = try zhang().credential
        guard case .match = try context.verify("zhang", against: credential.passwordHash) else {
            return XCTFail("no match")
        }
        XCTAssertEqual(try context.verify("Zhang", against: credential.passwordHash), .mismatch)
    }
}
