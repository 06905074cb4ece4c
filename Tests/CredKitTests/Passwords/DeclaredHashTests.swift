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

    func testBareDigestsAreNeverGuessed() throws {
        for text in [
            "f433c50293bc7afbe20b67ceb15a1e55", "F433C50293BC7AFBE20B67CEB15A1E55",
            String(repeating: "a", count: 40),
        ] {
            XCTAssertThrowsError(try PasswordContext().verify("secret", against: text)) {
                XCTAssertEqual($0 as? PasswordError, .unrecognized)
            }
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
            (hex, .hmacMD5(keyID: "a$b")),
        ] {
            XCTAssertThrowsError(try PasswordHash(legacyHex: digest, algorithm: origin)) {
                XCTAssertEqual($0 as? PasswordError, .malformed)
            }
        }
    }
}
