// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import XCTest

/// Hashes of Django, Werkzeug, WordPress, Drupal and ASP.NET beyond their vectors.
final class FrameworkHashTests: XCTestCase {
    private func hash(_ scheme: String, where condition: (StoredHashCase) throws -> Bool) throws
        -> StoredHashCase
    {
        try XCTUnwrap(try StoredHashCase.all().first { try $0.scheme == scheme && condition($0) })
    }

    // MARK: Verdicts

    func testDjangosPrefixChangesNoVerdict() throws {
        let (salt, digest) = ("MDEyMzQ1Njc4OWFiY2RlZg", String(repeating: "A", count: 43))
        let bcrypt = "abcdefghijklmnopqrstuu" + String(repeating: ".", count: 31)
        let cases: [(String, PasswordHashStatus)] = [
            ("argon2$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(digest)", .current),
            ("argon2$argon2id$v=19$m=19455,t=2,p=1$\(salt)$\(digest)", .weaker),
            ("argon2$argon2i$v=19$m=102400,t=2,p=1$\(salt)$\(digest)", .deprecated),
            ("bcrypt$$2b$10$\(bcrypt)", .current),
            ("bcrypt$$2b$09$\(bcrypt)", .weaker),
            ("bcrypt_sha256$$2b$12$\(bcrypt)", .deprecated),
            ("$wp$2y$10$\(bcrypt)", .deprecated),
            ("pbkdf2:sha256:600000$salt$\(String(repeating: "a", count: 64))", .current),
            ("pbkdf2:sha256:599999$salt$\(String(repeating: "a", count: 64))", .weaker),
            ("pbkdf2_sha1$9000000$salt$AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .deprecated),
            ("scrypt:131072:8:1$salt$\(String(repeating: "a", count: 128))", .current),
            ("scrypt:32768:8:1$salt$\(String(repeating: "a", count: 128))", .weaker),
            ("!", .current),
        ]
        for (text, status) in cases {
            XCTAssertEqual(PasswordPolicy.recommended.assess(try PasswordHash(text)), status, text)
        }
    }

    /// A hash that a framework reads is replaced by one that it cannot read only if it is weaker.
    func testCurrentHashesOfFrameworksAreKept() throws {
        let context = try PasswordContext(
            policy: PasswordPolicy(
                preferred: .argon2id(memory: .kibibytes(8), passes: 1),
                accepted: [.bcrypt(cost: 4), .scrypt(logN: 2, blockSize: 1), .pbkdf2SHA256(iterations: 1)]
            )
        )
        for prefix in ["argon2$argon2id", "bcrypt$", "scrypt:", "scrypt$", "pbkdf2:sha256", "pbkdf2_sha256"] {
            let test = try XCTUnwrap(try StoredHashCase.all().first { $0.hash.hasPrefix(prefix) })
            XCTAssertEqual(
                try context.verify(test.password, against: test.hash),
                .match(rehashed: nil),
                prefix
            )
        }
    }

    // MARK: Salts of Werkzeug

    /// Werkzeug's HMAC and the digests of Django and web2py look alike with the same salt, unless Django alone makes such
    /// salts: each matches, and none is layered.
    func testDigestsWithSaltsOfWerkzeugAreVerifiedByAllDefinitions() throws {
        let context = PasswordContext()
        for (salt, isAmbiguous) in [
            ("saltSALT", true), ("0123456789abcdef", true), ("salt.SAL", false), ("saltSAL", true),
            ("01234", false), ("0123456789ab", false), ("0123456789abcdefghijkl", false), ("s", true),
            ("0123456789abcdefghijklm", true), ("0123456789abcdefghijk.", false),
        ] {
            let concatenated = "sha1$\(salt)$" + Legacy.SHA1.hash(data: "\(salt)secret".utf8).hex
            let key = HMAC<Legacy.SHA1>.Key(salt)
            let code = HMAC<Legacy.SHA1>.authenticationCode(for: Array("secret".utf8).span, using: key)
            let reversed = Legacy.SHA1.hash(data: "secret\(salt)".utf8).hex
            for (text, isDjango) in [
                (concatenated, true), ("sha1$\(salt)$\(code.hex)", false),
                ("sha1$\(salt)$\(reversed)", false),
            ] {
                let isMatch = try context.verify("secret", against: text).isMatch
                XCTAssertEqual(isMatch, isDjango || isAmbiguous, text)
                XCTAssertEqual(try context.verify("Secret", against: text), .mismatch, text)
                if isAmbiguous {
                    XCTAssertThrowsError(try context.layer(over: text), text) {
                        XCTAssertEqual($0 as? PasswordError, .unsupported, text)
                        XCTAssertTrue("\($0)".contains("Werkzeug"), "\($0)")
                    }
                } else {
                    XCTAssertEqual(
                        try context.verify("secret", against: context.layer(over: text)).isMatch,
                        isDjango
                    )
                }
            }
        }
    }

    /// Werkzeug's HMAC and web2py's digest look alike with any salt.
    func testDigestsOfSHA2AreVerifiedByBothDefinitions() throws {
        let context = PasswordContext()
        for salt in ["saltSALT", "01234", "a.b-c", "0123456789abcdefghijkl"] {
            let key = HMAC<SHA256>.Key(salt)
            let code = HMAC<SHA256>.authenticationCode(for: Array("secret".utf8).span, using: key)
            let readings = [code.hex, SHA256.hash(data: "secret\(salt)".utf8).hex]
            for text in readings.map({ "sha256$\(salt)$\($0)" }) {
                XCTAssertTrue(try context.verify("secret", against: text).isMatch, text)
                XCTAssertEqual(try context.verify("Secret", against: text), .mismatch, text)
                XCTAssertThrowsError(try context.layer(over: text), text) {
                    XCTAssertEqual($0 as? PasswordError, .unsupported, text)
                    XCTAssertTrue("\($0)".contains("web2py"), "\($0)")
                }
            }
            // The salt before the password is no definition of theirs.
            let other = "sha256$\(salt)$\(SHA256.hash(data: "\(salt)secret".utf8).hex)"
            XCTAssertEqual(try context.verify("secret", against: other), .mismatch)
        }
        let unsalted = "sha256$$\(SHA256.hash(data: "secret".utf8).hex)"
        XCTAssertTrue(try context.verify("secret", against: context.layer(over: unsalted)).isMatch)
    }

    func testDigestsOfPostgreSQLAreRefusedWithAReason() throws {
        for user in 0..<1000 {
            XCTAssertThrowsError(try PasswordHash("md5" + Legacy.MD5.hash(data: "secret\(user)".utf8).hex)) {
                XCTAssertEqual($0 as? PasswordError, .unsupported)
                XCTAssertTrue("\($0)".contains("PostgreSQL"), "\($0)")
            }
        }
    }

    func testPlainTextIsRefusedWithAReason() throws {
        XCTAssertThrowsError(try PasswordHash("plain$$secret")) {
            XCTAssertEqual($0 as? PasswordError, .unsupported)
            XCTAssertTrue("\($0)".contains("the password itself"), "\($0)")
            XCTAssertFalse("\($0)".contains("secret"))
        }
    }

    // MARK: Accounts without a password

    func testNoPasswordMatchesTheMarkOfAnAccountWithoutOne() throws {
        let key = try SecretBytes(randomByteCount: 32)
        let peppered = try PasswordContext(
            policy: .recommended,
            pepper: PasswordPepper(keys: ["k": key], current: "k")
        )
        // A policy that refuses all other schemes, and hashes without a pepper.
        var policy = PasswordPolicy.recommended
        policy.deprecated = []
        policy.requiresPepper = true
        let strict = try PasswordContext(
            policy: policy,
            pepper: PasswordPepper(keys: ["k": key], current: "k")
        )
        for mark in ["!", "!" + String(repeating: "aB3dE", count: 8)] {
            let hash = try PasswordHash(mark)
            XCTAssertEqual(hash.scheme, .unusable)
            for context in [PasswordContext(), peppered, strict] {
                XCTAssertEqual(context.assess(hash), .current, "it is not replaced")
                for password in ["", mark, String(mark.dropFirst()), "secret"] {
                    XCTAssertEqual(try context.verify(password, against: mark), .mismatch)
                }
                XCTAssertThrowsError(try context.layer(over: mark)) {
                    XCTAssertEqual($0 as? PasswordError, .unsupported)
                }
            }
        }
    }

    // MARK: WordPress and Drupal

    /// WordPress trims what PHP's `trim` does, and nothing else.
    func testWordPressTrimsPasswords() throws {
        let context = PasswordContext()
        let test = try hash("wordpress-bcrypt") { $0.password == "correct horse" }
        for end in [" ", "\t", "\n", "\r", "\0", "\u{B}", " \n\t "] {
            for password in [end + test.password, test.password + end, end + test.password + end] {
                // What was typed around the password must not become a part of it.
                XCTAssertEqual(
                    try context.verify(password, against: test.hash),
                    .match(rehashed: nil),
                    password
                )
            }
        }
        for end in ["\u{C}", "\u{A0}", "."] {
            XCTAssertEqual(try context.verify(test.password + end, against: test.hash), .mismatch)
        }
        XCTAssertNotEqual(try context.verify(test.password, against: test.hash), .match(rehashed: nil))
        let empty = try hash("wordpress-bcrypt") { $0.password.isEmpty }
        XCTAssertTrue(try context.verify("", against: empty.hash).isMatch)
        XCTAssertTrue(try context.verify("  ", against: empty.hash).isMatch)
        XCTAssertEqual(try context.verify(" x ", against: empty.hash), .mismatch)
    }

    /// bcrypt of a digest depends on every byte of a password, beyond the 72nd and behind a NUL.
    func testDigestsBeforeBcryptCoverTheWholePassword() throws {
        let context = PasswordContext()
        for notation in ["django", "passlib-1", "passlib-2", "wordpress"] {
            let test = try XCTUnwrap(
                try StoredHashCase.all().first { test in
                    try test.form().hasSuffix(notation) && test.password.utf8.count > 72
                        && PasswordHash(test.hash).scheme.name.contains("bcrypt")
                },
                notation
            )
            XCTAssertTrue(try context.verify(test.password, against: test.hash).isMatch, notation)
            for other in [test.password + "x", String(test.password.dropLast()), test.password + "\0x"] {
                XCTAssertEqual(try context.verify(other, against: test.hash), .mismatch, notation)
            }
        }
    }

    // MARK: Ceilings

    func testCeilingsOfFrameworkHashesAreChecked() throws {
        let context = PasswordContext()
        let digest = String(repeating: ".", count: 22)
        let long = String(repeating: "a", count: 4096)
        // 2^24 rounds take less than five seconds with a short password, and hours with a long one.
        XCTAssertThrowsError(try context.verify(long, against: "$P$Jabcdefgh\(digest)")) {
            XCTAssertEqual($0 as? PasswordError, .passwordTooLong)
        }
        XCTAssertThrowsError(try context.verify("x", against: "$P$Sabcdefgh\(digest)")) {
            XCTAssertEqual($0 as? PasswordError, .overLimit)
        }
        // A digest of two blocks costs twice as much.
        let salt = "MDEyMzQ1Njc4OWFiY2RlZg"
        func time(_ length: Int) throws -> Duration {
            let digest = Base64.standard.unpadded.encode([UInt8](repeating: 0, count: length))
            return try PasswordHash("$pbkdf2-sha256$i=1000,l=\(length)$\(salt)$\(digest)").estimatedTime
        }
        XCTAssertEqual(try time(64), try time(32) * 2)
        XCTAssertEqual(try time(33), try time(64))
        XCTAssertEqual(try time(16), try time(32))
    }
}
