// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKit

/// Verifiers and their texts, beside those that other programs have written.
final class SCRAMVerifierTests: XCTestCase {
    /// Of GNU SASL 2.2.0, for the user of RFC 7677.
    private let gsasl =
        "{SCRAM-SHA-256}4096,W22ZaJ0SNY7soEsUEjb6gQ==,WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=,"
        + "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="

    /// With which psql has logged in to PostgreSQL 15.18 by the digits of the password-equivalent, and not by the password.
    private let layered =
        "SCRAM-SHA-256$4096:AAECAwQFBgcICQoLDA0ODw==$KF3u/eCZt9UIB1MueuLHk9cABGd+ufEBFa1gruFeQq8=:"
        + "4U7rBpjBPZ4TFO7vOhBKdDlVcxY16DDWYvgULWmyxBQ="

    func testKnownAnswers() throws {
        let salt = try Base64.standard.decode("W22ZaJ0SNY7soEsUEjb6gQ==")
        let verifier = try SCRAM.Verifier(password: "pencil", iterations: .fewer(4096), salt: salt)
        XCTAssertEqual(verifier.text(.dovecot), gsasl)
        let parsed = try SCRAM.Verifier(gsasl)
        XCTAssertTrue(try parsed.matches("pencil", preparation: .rfc4013))
        XCTAssertFalse(try parsed.matches("pencils", preparation: .rfc4013))
        XCTAssertEqual(parsed.preparation, nil)
        XCTAssertEqual(verifier.preparation, .rfc4013)
    }

    func testLayeredVerifier() throws {
        let login = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let equivalent = login.passwordEquivalent(for: "zhang")
        XCTAssertEqual(equivalent.hex, "97070e99c2efa11e14a1b6f5407b4209")
        let verifier = try SCRAM.Verifier(
            passwordEquivalent: equivalent,
            iterations: .fewer(4096),
            salt: Array(0..<16)
        )
        XCTAssertEqual(verifier.text(), layered)
        XCTAssertTrue(try verifier.matches(equivalent.hex, preparation: .postgreSQL))
        XCTAssertFalse(try verifier.matches("zhang", preparation: .postgreSQL))
    }

    /// The row of the password 'correct horse', salt 'seasalt', 4,096 iterations, with which psql has logged in.
    func testVerifierOfAPBKDF2Digest() throws {
        let digest = try PBKDF2.deriveKey(
            from: SecretBytes("correct horse"),
            salt: Array("seasalt".utf8),
            function: .sha256,
            iterations: 4096,
            count: 64
        )
        let verifier = try SCRAM.Verifier(
            unsafeReplayablePBKDF2: digest,
            salt: Array("seasalt".utf8),
            iterations: 4096
        )
        XCTAssertTrue(
            verifier.text().hasSuffix(
                "$jcqrjXB+36z/4CKUYqatLJLu4JV2aKN6LH4P4wJMLu4=:24viaOZmuetUIOlnChBnBXbHqsO5n1bUxbndLNNfsrA="
            )
        )
        XCTAssertThrowsError(
            try SCRAM.Verifier(unsafeReplayablePBKDF2: digest, salt: [], iterations: 4096)
        )
        XCTAssertThrowsError(
            try SCRAM.Verifier(
                unsafeReplayablePBKDF2: SecretBytes([UInt8](repeating: 1, count: 31)),
                salt: [1],
                iterations: 4096
            )
        )
    }

    func testRecords() throws {
        for (text, subject) in [
            (gsasl, SCRAM.VerifierSubject.password), (layered, .password),
            ("$layered-scram$keyid=timestamped-login$" + layered, .passwordEquivalent),
            ("$layered-scram$keyid=a.b-1$" + gsasl, .passwordEquivalent),
        ] {
            let record = try SCRAM.Record(text)
            XCTAssertEqual(record.text, text)
            XCTAssertEqual(record.subject, subject)
            XCTAssertEqual("\(record)", "‹SCRAM-SHA-256 verifier›")
            var dumped = ""
            dump(record, to: &dumped)
            XCTAssertFalse(dumped.contains("="), dumped)
        }
        let made = SCRAM.Record(try SCRAM.Verifier(layered), of: .passwordEquivalent)
        XCTAssertEqual(made.text, "$layered-scram$keyid=timestamped-login$" + layered)
    }

    func testMalformedTexts() throws {
        let good = layered
        let key = "4U7rBpjBPZ4TFO7vOhBKdDlVcxY16DDWYvgULWmyxBQ="
        var texts = [
            "", "SCRAM", "SCRAM-SHA-256", "SCRAM-SHA-256$", "SCRAM-SHA-224$4096:AA==$\(key):\(key)",
            "SCRAM-sha-256$4096:AA==$\(key):\(key)", "{SCRAM-SHA-256}", "{SCRAM-SHA-256}4096,AA==,\(key)",
            "{SCRAM-SHA-256}4096,AA==,\(key),\(key),\(key)", "{SCRAM-SHA-256}4096:AA==$\(key):\(key)",
            "SCRAM-SHA-256$4096,AA==,\(key),\(key)", "SCRAM-SHA-256$4096:AA==:\(key)$\(key)",
            "SCRAM-SHA-256$4096:AA==$\(key)$\(key)", "SCRAM-SHA-512$4096:AA==$\(key):\(key)",
            "$layered-scram$\(good)", "$layered-scram$keyid=$\(good)", "$layered-scram$keyid=a b$\(good)",
            "$layered-scram$keyid=a$$layered-scram$keyid=a$\(good)",
        ]
        for iterations in ["0", "00", "04096", "-1", "+4096", "4096 ", "2147483648", "1e3", "", "４０９６"]
            + [String(repeating: "9", count: 40)]
        {
            texts.append("SCRAM-SHA-256$\(iterations):AA==$\(key):\(key)")
        }
        for salt in ["", "AA", "A===", "AB==", "AA==\n", " AA==", "-_==", "AA==AA=="]
            + [Base64.standard.encode([UInt8](repeating: 1, count: 1025))]
        {
            texts.append("SCRAM-SHA-256$4096:\(salt)$\(key):\(key)")
        }
        texts +=
            good.indices.map { String(good[..<$0]) } + [good + "=", good + "\n", good + "\0", " " + good]
        for text in texts {
            XCTAssertThrowsError(try SCRAM.Record(text), text) { error in
                XCTAssertEqual(error as? SCRAM.Error, .malformedVerifier, text)
                XCTAssertFalse("\(error)".contains(key))
            }
        }
    }

    func testCosts() throws {
        XCTAssertEqual(SCRAM.Iterations.recommended.count, 600_000)
        for count in [Int.min, -1, 0, 1, 4095, 600_001, Int.max] {
            XCTAssertThrowsError(try SCRAM.Iterations.fewer(count)) {
                XCTAssertEqual($0 as? SCRAM.Error, .overLimit)
            }
        }
        for count in [0, 15, 1025] {
            XCTAssertThrowsError(
                try SCRAM.Verifier(
                    password: "a",
                    iterations: .fewer(4096),
                    salt: [UInt8](repeating: 1, count: count)
                )
            ) { XCTAssertEqual($0 as? SCRAM.Error, .overLimit) }
        }
        let verifiers = try (0..<2).map { _ in try SCRAM.Verifier(password: "a", iterations: .fewer(4096)) }
        XCTAssertNotEqual(verifiers[0].salt, verifiers[1].salt)
        XCTAssertEqual(verifiers[0].salt.count, 16)
    }
}
