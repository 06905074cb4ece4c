// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

final class OneTimeCodeURITests: XCTestCase {
    private static let secret = "JBSWY3DPEHPK3PXP"

    private func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    func testWritesEveryField() throws {
        let key = try OneTimeCodeKey(
            base32: Self.secret,
            algorithm: .sha256,
            digitCount: 8,
            issuer: "ACME & Co",
            account: "alice@example.com:1"
        )
        XCTAssertEqual(
            text(try key.uri()),
            "otpauth://totp/ACME%20%26%20Co:alice%40example.com%3A1?secret=JBSWY3DPEHPK3PXP"
                + "&issuer=ACME%20%26%20Co&algorithm=SHA256&digits=8&period=30"
        )
        XCTAssertEqual(text(try key.base32Seed()), Self.secret)
        let counted = try OneTimeCodeKey(base32: Self.secret, kind: .counter(next: .max), account: "é")
        XCTAssertEqual(
            text(try counted.uri()),
            "otpauth://hotp/%C3%A9?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&counter=18446744073709551615"
        )
        XCTAssertEqual(try OneTimeCodeKey(uri: counted.uri()), counted)
    }

    func testReadsTheExamplesOfTheFormat() throws {
        // Key Uri Format, wiki of google-authenticator.
        let uris: [(uri: String, issuer: String?, account: String)] = [
            (
                "otpauth://totp/Example:alice@google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example", "Example",
                "alice@google.com"
            ),
            ("otpauth://totp/Provider1:Alice%20Smith?secret=JBSWY3DPEHPK3PXP", "Provider1", "Alice Smith"),
            (
                "otpauth://totp/Big%20Corporation%3A%20alice%40bigco.com?secret=JBSWY3DPEHPK3PXP",
                "Big Corporation", "alice@bigco.com"
            ),
            (
                "otpauth://totp/alice@google.com?secret=JBSWY3DPEHPK3PXP&issuer=Big%20Corporation",
                "Big Corporation", "alice@google.com"
            ),
        ]
        for (uri, issuer, account) in uris {
            let key = try OneTimeCodeKey(uri: uri)
            let expected = try OneTimeCodeKey(base32: Self.secret, issuer: issuer, account: account)
            XCTAssertEqual(key, expected, uri)
            XCTAssertEqual(try OneTimeCodeKey(uri: key.uri()), key)
        }
        let key = try OneTimeCodeKey(
            uri: "otpauth://totp/ACME%20Co:john.doe@email.com?secret=HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ"
                + "&issuer=ACME%20Co&algorithm=SHA1&digits=6&period=30"
        )
        XCTAssertEqual(key.issuer, "ACME Co")
        XCTAssertEqual(key.seed.count, 20)
    }

    func testAcceptsWhatOtherProgramsWrite() throws {
        let plain = try OneTimeCodeKey(base32: Self.secret, issuer: "A B", account: "c")
        for uri in [
            "OTPAUTH://TOTP/A%20B:c?SECRET=jbswy3dpehpk3pxp&Issuer=A%20B",
            "otpauth://totp/A%20B%3ac?secret=JBSW%20Y3DP%20EHPK%203PXP&issuer=A+B",
            "otpauth://totp/A%20B:%20c?&secret=JBSWY3DPEHPK3PXP&image=https%3A%2F%2Fexample.com&color&&digits=6&",
            "otpauth://totp/c?counter=x&issuer=A%20B&algorithm=sha1&secret=JBSWY3DPEHPK3PXP",
        ] {
            XCTAssertEqual(try OneTimeCodeKey(uri: uri), plain, uri)
        }
        let nameless = try OneTimeCodeKey(uri: "otpauth://totp/?secret=MZXW6===&issuer=")
        XCTAssertEqual(nameless, try OneTimeCodeKey(base32: "MZXW6"))
        XCTAssertEqual(try OneTimeCodeKey(uri: nameless.uri()), nameless)
        let colons = try OneTimeCodeKey(uri: "otpauth://totp/A:b:c?secret=MZXW6")
        XCTAssertEqual(colons.account, "b:c")
        XCTAssertEqual(try OneTimeCodeKey(uri: colons.uri()), colons)
    }

    /// White space around a URI, unescaped spaces, no label (as KeePassOTP writes it), other names of algorithms.
    func testAcceptsWhatAppsRead() throws {
        let named = try OneTimeCodeKey(base32: Self.secret, issuer: "A B", account: "c d")
        for uri in [
            "otpauth://totp/A B:c d?secret=JBSWY3DPEHPK3PXP&issuer=A B",
            " otpauth://totp/A B: c d ?secret=jbsw-y3dp ehpk-3pxp\r\n",
            "otpauth://totp/A%20B:c d?issuer=A+B&secret=JBSW%2DY3DP%20EHPK3PXP====",
        ] {
            XCTAssertEqual(try OneTimeCodeKey(uri: uri), named, uri)
        }
        let plain = try OneTimeCodeKey(base32: Self.secret, algorithm: .sha256)
        for name in ["SHA256", "sha-256", "HMACSHA256", "HmacSha256", "HMAC-SHA-256", "HMAC-SHA256"] {
            let uri = "otpauth://totp?secret=JBSWY3DPEHPK3PXP&algorithm=\(name)"
            XCTAssertEqual(try OneTimeCodeKey(uri: uri), plain, uri)
        }
        for name in ["SHA", "SHA-", "SHA2", "SHA224", "SHA-2-56", "MD5-SHA1"] {
            let uri = "otpauth://totp?secret=JBSWY3DPEHPK3PXP&algorithm=\(name)"
            XCTAssertThrowsError(try OneTimeCodeKey(uri: uri), uri) {
                XCTAssertEqual($0 as? OneTimeCodeError, .unsupported)
            }
        }
    }

    func testMalformedURIsHaveTheirErrors() {
        let cases: [(OneTimeCodeError, [String])] = [
            (
                .wrongScheme,
                [
                    "", "otpauth", "otpauth:/totp/a?secret=MZXW6", "https://totp/a?secret=MZXW6",
                    "otpauth-migration://offline?data=x", ". otpauth://totp/a?secret=MZXW6",
                ]
            ),
            (
                .malformedURI,
                [
                    "otpauth://", "otpauth://totp",
                    "otpauth://totp/a%?secret=MZXW6", "otpauth://totp/a%4?secret=MZXW6",
                    "otpauth://totp/a%GG?secret=MZXW6", "otpauth://totp/a%FF?secret=MZXW6",
                    "otpauth://totp/a?secret=MZXW6%", "otpauth://totp/a\tb?secret=MZXW6",
                    "otpauth://totp/a?secret=MZXW6#x", "otpauth://totp/a?secret=MZXW6\n&x=y",
                    "otpauth://totp/a?secret", "otpauth://totp/a?secret=MZXW6&digits",
                ]
            ),
            (
                .unsupported,
                [
                    "otpauth:///a?secret=MZXW6", "otpauth://yaotp/a?secret=MZXW6",
                    "otpauth://totp/a?secret=MZXW6&algorithm=MD5", "otpauth://totp/a?secret=MZXW6&algorithm=",
                    "otpauth://totp/a?secret=MZXW6&encoder=steam", "otpauth://steam/a?secret=MZXW6",
                    "steam://MZXW6", "STEAM://MZXW6", "otpauth://totp/a?secret=MZXW6&encoder=x",
                ]
            ),
            (
                .missingField,
                [
                    "otpauth://totp/a", "otpauth://totp/a?", "otpauth://totp/a?secrets=MZXW6",
                    "otpauth://hotp/a?secret=MZXW6", "otpauth://hotp/a?counter=1",
                ]
            ),
            (
                .repeatedField,
                [
                    "otpauth://totp/a?secret=MZXW6&secret=MZXW6",
                    "otpauth://totp/a?secret=MZXW6&issuer=a&ISSUER=a",
                    "otpauth://totp/a?secret=MZXW6&period=30&period=30",
                ]
            ),
            (
                .conflictingIssuers,
                [
                    "otpauth://totp/A:b?secret=MZXW6&issuer=B",
                    "otpauth://totp/A:b?secret=MZXW6&issuer=a",
                    "otpauth://totp/%C3%A9:b?secret=MZXW6&issuer=e%CC%81",
                ]
            ),
            (
                .malformedSeed,
                [
                    "otpauth://totp/a?secret=M", "otpauth://totp/a?secret=MZXW1",
                    "otpauth://totp/a?secret=MZXW7B", "otpauth://totp/a?secret=MZ%00W6",
                    "otpauth://totp?secret=MZXW6/", "otpauth://totp/a?secret=MZ=XW6",
                ]
            ),
            (
                .invalidParameters,
                [
                    "otpauth://totp/a?secret=", "otpauth://totp/a?secret=MZXW6&digits=5",
                    "otpauth://totp/a?secret=MZXW6&digits=9", "otpauth://totp/a?secret=MZXW6&digits=-6",
                    "otpauth://totp/a?secret=MZXW6&digits=18446744073709551622",
                    "otpauth://totp/a?secret=MZXW6&digits=%D9%A6", "otpauth://totp/a?secret=MZXW6&digits=",
                    "otpauth://totp/a?secret=MZXW6&period=0", "otpauth://totp/a?secret=MZXW6&period=3601",
                    "otpauth://totp/a?secret=MZXW6&period=30.0", "otpauth://totp/a%0A?secret=MZXW6",
                    "otpauth://hotp/a?secret=MZXW6&counter=18446744073709551616",
                    "otpauth://hotp/a?secret=MZXW6&counter=-1", "otpauth://totp/a?secret=MZXW6&issuer=a%3Ab",
                ]
            ),
            (
                .overLimit,
                [
                    "otpauth://totp/\(String(repeating: "a", count: 257))?secret=MZXW6",
                    "otpauth://totp/a?secret=MZXW6&x=\(String(repeating: "a", count: 8192))",
                ]
            ),
        ]
        for (expected, uris) in cases {
            for uri in uris {
                XCTAssertThrowsError(try OneTimeCodeKey(uri: uri), uri) {
                    XCTAssertEqual($0 as? OneTimeCodeError, expected, "\(uri): \($0)")
                    XCTAssertFalse("\($0)".contains("MZXW"), "\($0)")
                }
            }
        }
    }

    func testAnyKeyIsReadBack() throws {
        var generator = SeededGenerator(seed: 6238)
        let names = "aZ0 -._~%&=?#/+;@:'\"<>\\éß漢😀\u{301}\u{2028}"
        for _ in 0..<3000 {
            let issuer = generator.text(of: names, count: 0...9)
            let account = generator.text(of: names, count: 0...9)
            let isCounter = Bool.random(using: &generator)
            let kind: OneTimeCodeKey.Kind =
                isCounter
                ? .counter(next: .random(in: 0...UInt64.max, using: &generator))
                : .time(period: .seconds(Int64.random(in: 1...3600, using: &generator)))
            let key = try? OneTimeCodeKey(
                seed: SecretBytes(generator.bytes(count: 1...80)),
                kind: kind,
                algorithm: OneTimeCodeKey.Algorithm.allCases.randomElement(using: &generator) ?? .sha1,
                digitCount: Int.random(in: 6...8, using: &generator),
                issuer: issuer.isEmpty ? nil : issuer,
                account: account
            )
            guard let key else { continue }
            XCTAssertEqual(try OneTimeCodeKey(uri: key.uri()), key)
        }
    }
}
