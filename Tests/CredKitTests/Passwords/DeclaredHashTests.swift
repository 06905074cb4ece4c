// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class DeclaredHashTests: XCTestCase {
    func testDeclaredDigestsNameTheirAlgorithm() throws {
        let hex = "f433c50293bc7afbe20b67ceb15a1e55"
        let salt = Array("shop".utf8)
        let cases: [(PasswordHash.LegacyHexAlgorithm, String)] = [
            (.saltedMD5(), "$hex-md5$\(hex)"),
            (.saltedMD5(salt: salt), "$hex-md5$position=suffix,salt=c2hvcA$\(hex)"),
            (
                .saltedMD5(salt: salt, position: .prefix, rounds: 3),
                "$hex-md5$position=prefix,rounds=3,salt=c2hvcA$\(hex)"
            ),
            (.saltedMD5(position: .prefix, rounds: 2), "$hex-md5$rounds=2$\(hex)"),
            (.hmacMD5(keyID: "app"), "$hex-hmac-md5$keyid=app$\(hex)"),
            (.digest(.md5, salt: salt), "$hex-md5$position=suffix,salt=c2hvcA$\(hex)"),
            (.ntlm, "$hex-ntlm$\(hex)"),
        ]
        for (origin, text) in cases {
            let hash = try PasswordHash(legacyHex: hex.uppercased(), algorithm: origin)
            XCTAssertEqual(hash.description, text)
            XCTAssertEqual(try PasswordHash(text), hash)
        }
        XCTAssertEqual(
            try PasswordContext().verify(
                "secret",
                against: PasswordHash(legacyHex: hex, algorithm: .saltedMD5(salt: salt))
            ).isMatch,
            true
        )
    }

    /// python3: hashlib.new(name, b"secretshop").hexdigest()
    func testDigestsOfEachFunctionVerify() throws {
        let cases: [(PasswordHash.LegacyHexAlgorithm.HashFunction, String)] = [
            (.md5, "f433c50293bc7afbe20b67ceb15a1e55"),
            (.sha1, "82cbf361504f26701252961df5a39441d5c0b09e"),
            (.sha256, "01c2a5ea24895c3c6275ffe2a1ad662f561feebe5f037e6eb2aff70a22a83566"),
            (
                .sha384,
                "f2df1344db781955b0e7936371fe73f061b6ed6ee2c50ae7fc38a29742dcfdd7"
                    + "7fd47c44992b5fdacf906cb46afc09be"
            ),
            (
                .sha512,
                "456adfba6a0ed2cd940bfe6ae6c4871de4447f17f663444b003993dab27085db"
                    + "ac118395a9edbafe95e9183ba553be757a61ff9094965757c12effc2c6ab8b40"
            ),
        ]
        XCTAssertEqual(cases.map(\.0), PasswordHash.LegacyHexAlgorithm.HashFunction.allCases)
        let context = PasswordContext()
        for (function, hex) in cases {
            let hash = try PasswordHash(
                legacyHex: hex.uppercased(),
                algorithm: .digest(function, salt: Array("shop".utf8))
            )
            XCTAssertEqual(hash.scheme.name, "hex-\(function.rawValue)")
            XCTAssertEqual(
                hash.description,
                "$hex-\(function.rawValue)$position=suffix,salt=c2hvcA$\(hex)"
            )
            XCTAssertTrue(try context.verify("secret", against: hash).isMatch)
            XCTAssertFalse(try context.verify("secre", against: hash).isMatch)
            let plain = try PasswordHash(legacyHex: hex, algorithm: .digest(function))
            XCTAssertTrue(try context.verify("secretshop", against: plain).isMatch)
            XCTAssertTrue(try XCTUnwrap(plain.weakness).contains("without a salt"))
        }
    }

    /// The digests of `openssl dgst -provider legacy -md4` of the UTF-16.
    func testNTHashesAreOfUTF16() throws {
        let context = PasswordContext()
        for (password, hex) in [
            ("", "31d6cfe0d16ae931b73c59d7e0c089c0"), ("password", "8846f7eaee8fb117ad06bdd830b7586c"),
            ("Grüße 🔑", "a032b976cbf2ac0bcd31b472cfb13a38"), ("\u{FFFD}", "48498df91e4c1700370a09c6c51a055f"),
        ] {
            let hash = try PasswordHash(legacyHex: hex, algorithm: .ntlm)
            XCTAssertTrue(try context.verify(password, against: hash).isMatch, password)
            XCTAssertFalse(try context.verify(password + "x", against: hash).isMatch, password)
        }
        // Not UTF-8.
        let hash = try PasswordHash(legacyHex: "48498df91e4c1700370a09c6c51a055f", algorithm: .ntlm)
        XCTAssertTrue(try context.verify([0xFF] as [UInt8], against: hash).isMatch)
        let long = [UInt8](repeating: 0xF0, count: 4096)
        XCTAssertFalse(try context.verify(long, against: hash).isMatch)
    }

    func testBareDigestsAreNeverGuessed() throws {
        for (text, names) in [
            ("f433c50293bc7afbe20b67ceb15a1e55", "MD5, NTLM, HMAC-MD5"),
            ("F433C50293BC7AFBE20B67CEB15A1E55", "MD5, NTLM, HMAC-MD5"),
            (String(repeating: "a", count: 40), "SHA-1"), (String(repeating: "a", count: 64), "SHA-256"),
            (String(repeating: "a", count: 96), "SHA-384"), (String(repeating: "a", count: 128), "SHA-512"),
            (String(repeating: "a", count: 42), "name the algorithm"),
        ] {
            XCTAssertThrowsError(try PasswordContext().verify("secret", against: text)) {
                XCTAssertEqual($0 as? PasswordError, .unrecognized)
                XCTAssertTrue("\($0)".contains(names), "\($0)")
            }
        }
    }

    func testPrefixesOfCryptAreOnlyANotation() throws {
        let policy = PasswordPolicy.recommended
        for text in [
            "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
            "$2b$05$iZvJTpY2NNYndeUVxtCLIO3jXhCdMt9sk.D6Gb.LuxfAgUojMF8o6",
            "$1$enj3zXHY$wCtIX4i4zYONlJGTLLNP6.",
        ] {
            let (plain, prefixed) = (try PasswordHash(text), try PasswordHash("{crypt}\(text)"))
            XCTAssertEqual(prefixed.description, "{crypt}\(text)")
            XCTAssertEqual(prefixed.scheme, plain.scheme)
            XCTAssertEqual(policy.assess(prefixed), policy.assess(plain))
            XCTAssertEqual(prefixed.parameters.map(\.name), plain.parameters.map(\.name) + ["notation"])
        }
    }

    func testInvalidDigestsAreRefused() throws {
        let hex = "f433c50293bc7afbe20b67ceb15a1e55"
        for (digest, origin) in [
            (String(hex.dropLast()), PasswordHash.LegacyHexAlgorithm.saltedMD5()), (hex + "0", .saltedMD5()),
            ("", .saltedMD5()),
            (String(hex.dropLast()) + "g", .saltedMD5()), (hex, .saltedMD5(rounds: 0)),
            (hex, .saltedMD5(rounds: .max)),
            (hex, .saltedMD5(salt: [UInt8](repeating: 1, count: 257))), (hex, .hmacMD5(keyID: "")),
            (hex, .hmacMD5(keyID: "a$b")), (hex, .digest(.sha1)), (hex + hex, .digest(.sha512)),
            (hex + hex, .ntlm),
        ] {
            XCTAssertThrowsError(try PasswordHash(legacyHex: digest, algorithm: origin)) {
                XCTAssertEqual($0 as? PasswordError, .malformed)
            }
        }
    }
}
