// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import XCTest

/// Verifiers of many password-equivalents at once.
final class SCRAMVerifierBatchTests: XCTestCase {
    private let login = Legacy.TimestampedLogin(keyPhrase: "itheima")

    func testBatchesEqualSingleVerifiers() throws {
        let iterations = try SCRAM.Iterations.fewer(4096)
        for (count, function) in [(0, SCRAM.HashFunction.sha256), (1, .sha256), (33, .sha256), (3, .sha512)] {
            let equivalents = (0..<count).map { login.passwordEquivalent(for: "password \($0)") }
            let verifiers = try SCRAM.Verifier.verifiers(
                ofPasswordEquivalents: equivalents,
                hashFunction: function,
                iterations: iterations
            )
            XCTAssertEqual(Set(verifiers.map(\.salt)).count, count)
            XCTAssertEqual(
                verifiers,
                try zip(equivalents, verifiers).map { equivalent, verifier in
                    try SCRAM.Verifier(
                        passwordEquivalent: equivalent,
                        hashFunction: function,
                        iterations: iterations,
                        salt: verifier.salt
                    )
                }
            )
        }
    }

    func testSHA1IsRefused() {
        XCTAssertThrowsError(
            try SCRAM.Verifier.verifiers(
                ofPasswordEquivalents: [login.passwordEquivalent(for: "zhang")],
                hashFunction: .sha1
            )
        ) { XCTAssertEqual($0 as? SCRAM.Error, .unsupported) }
    }

    /// The example of RFC 7677, section 3.
    func testProofOfRFC7677() throws {
        let salt = try Base64.standard.decode("W22ZaJ0SNY7soEsUEjb6gQ==")
        let input = PBKDF2.Input(secret: try SecretBytes("pencil"), salt: salt)
        for key in try PBKDF2.deriveKeys(for: Array(repeating: input, count: 17), iterations: 4096) {
            let verifier = try SCRAM.Verifier(
                SCRAM.SaltedPassword(unsafe: key, .sha256),
                iterations: 4096,
                salt: salt,
                preparation: nil
            )
            // The exchange contains no nonce of this side, so the keys are recomputed from its messages.
            let messages =
                "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
                + "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
            let signature = SCRAM.HashFunction.sha256.authenticationCode(
                for: messages.utf8,
                key: verifier.serverKey.span
            )
            XCTAssertEqual(Base64.standard.encode(signature), "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
        }
    }
}
