// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import CredKit
import XCTest

@testable import CredKitClient

final class CookieJarTests: XCTestCase {
    private let now: UnixTime = 1_000_000_000
    private let day: Int64 = 86_400

    private func url(_ text: String = "https://school.example/") throws -> HTTPURL { try HTTPURL(text) }

    // MARK: Changes

    func testOnlyPersistentStateCountsAsAChange() throws {
        var jar = CookieJar()
        XCTAssertTrue(jar.store(["a=b; Max-Age=60"], from: try url(), at: now).isChanged)
        XCTAssertFalse(jar.store(["a=b; Max-Age=60"], from: try url(), at: now).isChanged)
        let count = jar.changeCount
        XCTAssertEqual(jar.header(for: try url(), at: now), "a=b")
        XCTAssertEqual(jar.changeCount, count)
        XCTAssertFalse(
            jar.store(["a=; Path=/other; Max-Age=0", "bad=1; Domain=com"], from: try url(), at: now).isChanged
        )
        XCTAssertTrue(jar.store(["a=b; Max-Age=60"], from: try url(), at: now + 1).isChanged)
        XCTAssertTrue(jar.store(["a=b; Max-Age=60; Secure"], from: try url(), at: now + 1).isChanged)
        XCTAssertTrue(jar.store(["a=c; Max-Age=60; Secure"], from: try url(), at: now + 1).isChanged)
        XCTAssertTrue(jar.store(["a=; Max-Age=0"], from: try url(), at: now + 1).isChanged)
        XCTAssertTrue(jar.isEmpty)
        jar.store(["a=b; Max-Age=60"], from: try url(), at: now)
        let before = jar.changeCount
        XCTAssertNil(jar.header(for: try url(), at: now + 60))
        XCTAssertNotEqual(jar.changeCount, before)
    }

    func testNamesAreComparedByBytes() throws {
        var jar = CookieJar()
        jar.store(["\u{E9}=1; Secure", "K=1; Secure"], from: try url(), at: now)
        // Swift treats these names as equal.
        let plain = try url("http://school.example/")
        let stored = jar.store(["e\u{301}=2", "\u{212A}=2", "K=2"], from: plain, at: now)
        XCTAssertEqual(stored.rejections.map(\.reason), [.overwritesSecureCookie])
        XCTAssertEqual(
            jar.header(for: plain, at: now)?.utf8.elementsEqual("e\u{301}=2; \u{212A}=2".utf8),
            true
        )
    }

    func testCookiesCanBeRemoved() throws {
        var jar = CookieJar()
        jar.store(["a=1", "b=2; Max-Age=60", "c=3; Path=/x"], from: try url(), at: now)
        jar.removeAll { $0.path == "/x" }
        XCTAssertEqual(jar.header(for: try url("https://school.example/x"), at: now), "a=1; b=2")
        jar.removeSessionCookies()
        XCTAssertEqual(jar.cookies.map(\.name), ["b"])
        jar.removeAll()
        XCTAssertTrue(jar.isEmpty)
        XCTAssertEqual(jar.byteCount, 0)
        XCTAssertNil(jar.header(for: try url(), at: now))
        let count = jar.changeCount
        jar.removeAll()
        XCTAssertEqual(jar.changeCount, count)
    }

    // MARK: Expiry policy

    func testExtensionIsCappedAndOnlyForPersistentCookies() throws {
        var jar = CookieJar(expiryPolicy: .extended(to: .seconds(365 * day)))
        jar.store(["p=1; Max-Age=60", "s=1", "l=1; Max-Age=\(370 * day)"], from: try url(), at: now)
        XCTAssertEqual(
            Dictionary(uniqueKeysWithValues: jar.cookies.map { ($0.name, $0.expiry) }),
            ["p": now + 365 * day, "s": nil, "l": now + 370 * day]
        )
        jar.expiryPolicy = .extended(to: .seconds(3650 * day), includingSessionCookies: true)
        jar.store(["p=1; Max-Age=60", "s=1", "l=1; Max-Age=\(370 * day)"], from: try url(), at: now)
        XCTAssertTrue(jar.cookies.allSatisfy { $0.expiry == now + 400 * day })
    }

    func testExtensionDoesNotKeepCookiesTheServerDeletes() throws {
        var jar = CookieJar(expiryPolicy: .extended(to: .seconds(365 * day), includingSessionCookies: true))
        for deletion in ["Max-Age=0", "Max-Age=-5", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"] {
            jar.store(["a=b"], from: try url(), at: now)
            XCTAssertEqual(jar.count, 1)
            jar.store(["a=b; \(deletion)"], from: try url(), at: now)
            XCTAssertTrue(jar.isEmpty, deletion)
        }
        jar.expiryPolicy = .extended(to: .seconds(-7), includingSessionCookies: true)
        jar.store(["a=b; Max-Age=60", "s=1"], from: try url(), at: now)
        XCTAssertEqual(jar.cookies.map(\.expiry), [now + 60, nil])
    }

    // MARK: Sites

    func testSiteIsASchemeAndARegistrableDomain() throws {
        let pairs: [(String, String, Bool)] = [
            ("https://school.example", "https://school.example:8443", true),
            ("https://school.example", "https://www.school.example", true),
            ("https://a.school.example", "https://b.school.example", true),
            ("https://school.example", "http://school.example", false),
            ("https://school.example", "https://other.example", false),
            ("https://alice.github.io", "https://bob.github.io", false),
            ("https://alice.github.io", "https://x.alice.github.io", true),
            ("https://github.io", "https://alice.github.io", false),
            ("https://a.co.uk", "https://b.co.uk", false),
            ("https://localhost", "https://localhost:1", true),
            ("https://localhost", "https://app.localhost", false),
            ("https://127.0.0.1", "https://128.0.0.1", false),
            ("https://[::1]", "https://[::1]:8", true),
            ("https://[::1]", "https://[::2]", false),
        ]
        for (left, right, isSame) in pairs {
            let (left, right) = (try Origin(left), try Origin(right))
            XCTAssertEqual(left.isSameSite(as: right), isSame, "\(left) \(right)")
            XCTAssertEqual(right.isSameSite(as: left), isSame, "\(right) \(left)")
            XCTAssertEqual(
                CookieContext.navigation(from: left, to: right, methodIsSafe: true),
                isSame ? .sameSite : .crossSiteNavigation(methodIsSafe: true)
            )
        }
    }

    // MARK: Redaction

    func testPrintedTextsShowNoValue() throws {
        let value = "31d4d96e407aad42"
        var jar = CookieJar()
        let result = jar.store(
            [
                "SID=\(value)", "__Host-x=\(value)", "b=\(value); Domain=com", value + "\u{1}",
                "c\u{7}=\(value)",
                "__Host-" + value, "=__Secure-\(value)", "n\u{E9}\tx=\(value); SameSite=None",
            ],
            from: try url(),
            at: now
        )
        XCTAssertEqual(jar.count, 1)
        XCTAssertEqual(result.rejectionCount, 7)
        var texts = ["\(jar)", String(reflecting: jar), "\(jar.cookies)", String(reflecting: jar.cookies[0])]
        texts += ["\(result)", String(reflecting: result), "\(result.rejections)"]
        var text = ""
        dump(jar, to: &text)
        dump(jar.cookies, to: &text)
        dump(result, to: &text)
        texts.append(text)
        for text in texts { XCTAssertFalse(text.contains(value) || text.contains("31d4"), text) }
        XCTAssertTrue(text.contains("SID=‹redacted›"))
        XCTAssertEqual("\(jar.cookies[0])", "SID=‹redacted›; Host=school.example; Path=/")
        XCTAssertEqual(
            result.rejections.last?.description,
            #"the cookie n\u{00E9}\tx: it has SameSite=None, but not Secure"#
        )
        XCTAssertEqual(jar.cookies[0].value, value)
    }

    func testLongNamesAreTruncatedInReasons() throws {
        var jar = CookieJar()
        let result = jar.store([String(repeating: "n", count: 5000) + "=v"], from: try url(), at: now)
        XCTAssertEqual(result.rejections.map(\.name.count), [64])
    }

    // MARK: Files

    func testFilePreservesOrderOfUseAndCreation() throws {
        var jar = CookieJar()
        for name in ["c", "a", "b"] { jar.store(["\(name)=1; Path=/\(name)"], from: try url(), at: now) }
        XCTAssertEqual(jar.header(for: try url("https://school.example/c"), at: now), "c=1")
        var copy = try CookieJar(decoding: jar.encoded(), limits: .init(cookiesPerDomain: 2))
        XCTAssertEqual(copy.cookies.map(\.name), ["c", "b"])
        copy.store(["d=1; Path=/d"], from: try url(), at: now)
        XCTAssertEqual(copy.cookies.map(\.name), ["c", "d"])
        XCTAssertEqual(try CookieJar(decoding: CookieJar().encoded()).count, 0)
    }

    func testDamagedFilesAreRefused() throws {
        var jar = CookieJar()
        jar.store(["a=b; Max-Age=60; Secure; SameSite=Lax", "c=d"], from: try url(), at: now)
        let bytes = try jar.encoded()
        XCTAssertEqual(try CookieJar(decoding: bytes).count, 2)
        let text = String(decoding: bytes, as: UTF8.self)
        var damaged: [[UInt8]] = [[], [0xFF, 0x00], bytes.dropLast()]
        damaged += ["null", "{}", "[1]"].map { Array($0.utf8) }
        damaged.append(Array(String(repeating: "[", count: 100_000).utf8))
        let changes = [
            (#""version":1"#, #""version":2"#), (#""school.example""#, #""School.example""#),
            (#""school.example""#, #""school.example/x""#), (#""school.example""#, #""""#),
            (#""a""#, #""a=x""#),
            (#""a""#, #""a;b""#), (#""a""#, #""a\n""#), (#""b""#, #""b\u0000""#), (#""b""#, #""b;c""#),
            (#""Lax""#, #""Loose""#), (#""a""#, "7"), (#""\/""#, #""x""#),
            (#""b""#, "\"" + String(repeating: "b", count: 4096) + "\""),
        ]
        for (part, other) in changes {
            let changed = text.replacingOccurrences(of: part, with: other)
            XCTAssertNotEqual(changed, text, part)
            damaged.append(Array(changed.utf8))
        }
        for bytes in damaged {
            XCTAssertThrowsError(
                try CookieJar(decoding: bytes),
                String(decoding: bytes.prefix(300), as: UTF8.self)
            ) {
                XCTAssertEqual($0 as? ClientError, .storage)
            }
        }
    }

    func testFilesWithAnySerialNumbersAreReadConsistently() throws {
        var jar = CookieJar()
        jar.store(["a=1", "b=2", "c=3"], from: try url(), at: now)
        let text = String(decoding: try jar.encoded(), as: UTF8.self)
            .replacingOccurrences(
                of: #""serial":[012]"#,
                with: #""serial":18446744073709551615"#,
                options: .regularExpression
            )
        var copy = try CookieJar(decoding: Array(text.utf8), limits: .init(cookiesPerDomain: 2))
        XCTAssertEqual(copy.count, 2)
        copy.store(["d=4"], from: try url(), at: now)
        XCTAssertEqual(copy.count, 2)
    }
}
