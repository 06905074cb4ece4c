// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitClient

/// The limits of a jar, and the order in which it evicts cookies.
final class CookieJarLimitTests: XCTestCase {
    private let now: UnixTime = 1_000_000_000

    private func names(_ jar: CookieJar) -> [String] { jar.cookies.map(\.name).sorted() }

    func testResponseWithTenThousandCookiesStaysWithinTheLimits() throws {
        var jar = CookieJar()
        let url = try HTTPURL("https://a.evil.example/")
        let fields = (0..<10_000).map { "n\($0)=\(String(repeating: "v", count: 4000)); Domain=evil.example" }
        let result = jar.store(fields, from: url, at: now)
        XCTAssertEqual(jar.count, 180)
        XCTAssertLessThan(jar.byteCount, 180 * 4096)
        XCTAssertGreaterThanOrEqual(result.rejectionCount, 9700)
        XCTAssertEqual(result.rejections.count, 32)
        XCTAssertTrue(result.rejections.allSatisfy { $0.reason == .overLimit })
        XCTAssertTrue(result.isChanged)
    }

    func testHugeFieldIsIgnored() throws {
        var jar = CookieJar()
        let huge = "a=b" + String(repeating: "; Path=/x", count: 1_000_000)
        let result = jar.store(["c=d", huge, "e=f"], from: try HTTPURL("https://s.example/"), at: now)
        XCTAssertEqual(names(jar), ["c"])
        XCTAssertEqual(result.rejectionCount, 2)
    }

    func testManyDomainsStayWithinTheLimits() throws {
        var jar = CookieJar(limits: .init(cookies: 500, bytes: 20_000))
        for site in 0..<2000 {
            jar.store(["session=0123456789"], from: try HTTPURL("https://s\(site).example/"), at: now)
        }
        XCTAssertLessThanOrEqual(jar.count, 500)
        XCTAssertLessThanOrEqual(jar.byteCount, 20_000)
        XCTAssertGreaterThan(jar.count, 400)
        XCTAssertEqual(jar.header(for: try HTTPURL("https://s1999.example/"), at: now), "session=0123456789")
        XCTAssertNil(jar.header(for: try HTTPURL("https://s0.example/"), at: now))
        let cookies = jar.cookies
        XCTAssertEqual(jar.byteCount, cookies.reduce(0) { $0 + $1.byteCount })
        XCTAssertEqual(jar.count, cookies.count)
    }

    func testNonsecureThenLeastRecentlyUsedCookiesOfADomainAreEvictedFirst() throws {
        var jar = CookieJar(limits: .init(cookiesPerDomain: 3))
        let url = try HTTPURL("https://s.example/")
        let other = try HTTPURL("https://s.example/other/")
        jar.store(["s1=1; Secure", "p1=1; Path=/", "p2=1; Path=/other"], from: url, at: now)
        // p1 is used later than p2, so p2 is evicted although it was added later.
        XCTAssertEqual(jar.header(for: other, at: now), "p2=1; s1=1; p1=1")
        XCTAssertEqual(jar.header(for: url, at: now), "s1=1; p1=1")
        jar.store(["s2=1; Secure"], from: url, at: now)
        XCTAssertEqual(names(jar), ["p1", "s1", "s2"])
        jar.store(["s3=1; Secure"], from: url, at: now)
        XCTAssertEqual(names(jar), ["s1", "s2", "s3"])
        // A nonsecure cookie never evicts a secure one.
        jar.store(["p3=1"], from: url, at: now)
        XCTAssertEqual(names(jar), ["s1", "s2", "s3"])
        jar.store(["s4=1; Secure"], from: url, at: now)
        XCTAssertEqual(names(jar), ["s2", "s3", "s4"])
    }

    func testExpiredCookiesAreEvictedFirst() throws {
        var jar = CookieJar(limits: .init(cookiesPerDomain: 2))
        let url = try HTTPURL("https://s.example/")
        jar.store(["old=1", "short=1; Secure; Max-Age=10"], from: url, at: now)
        jar.store(["new=1"], from: url, at: now + 10)
        XCTAssertEqual(names(jar), ["new", "old"])
    }

    func testLeastRecentlyUsedCookiesOfTheJarAreEvictedFirst() throws {
        var jar = CookieJar(limits: .init(cookies: 2))
        let (first, second) = (try HTTPURL("https://a.example/"), try HTTPURL("https://b.example/"))
        jar.store(["a=1; Secure"], from: first, at: now)
        jar.store(["b=1"], from: second, at: now)
        XCTAssertEqual(jar.header(for: first, at: now), "a=1")
        jar.store(["c=1"], from: try HTTPURL("https://c.example/"), at: now)
        XCTAssertEqual(names(jar), ["a", "c"])
    }

    func testLimitsOfZeroStoreNothing() throws {
        for limits in [
            CookieJar.Limits(cookiesPerDomain: 0), .init(cookies: 0), .init(bytes: -1),
            .init(fieldsPerResponse: 0),
        ] {
            var jar = CookieJar(limits: limits)
            jar.store(["a=b"], from: try HTTPURL("https://s.example/"), at: now)
            XCTAssertTrue(jar.isEmpty)
            XCTAssertNil(jar.header(for: try HTTPURL("https://s.example/"), at: now))
        }
    }

    func testRequestGetsItsOwnCookiesAmongTenThousand() throws {
        var jar = CookieJar(limits: .init(cookies: 20_000))
        for site in 0..<1000 {
            let fields = (0..<10).map { "n\($0)=\(site)" }
            jar.store(fields, from: try HTTPURL("https://www.s\(site).example/"), at: now)
        }
        XCTAssertEqual(jar.count, 10_000)
        let expected = (0..<10).map { "n\($0)=617" }.joined(separator: "; ")
        XCTAssertEqual(jar.header(for: try HTTPURL("https://www.s617.example/"), at: now), expected)
        XCTAssertNil(jar.header(for: try HTTPURL("https://s617.example/"), at: now))
    }

    func testExtremeClocksAreHandled() throws {
        let url = try HTTPURL("https://s.example/")
        for time in [UnixTime.min, -1, 0, .max] {
            var jar = CookieJar(
                expiryPolicy: .extended(to: .seconds(Int64.max), includingSessionCookies: true)
            )
            jar.store(
                ["a=b; Max-Age=9999999999999", "c=d; Expires=Fri, 31 Dec 9999 23:59:59 GMT"],
                from: url,
                at: time
            )
            _ = jar.header(for: url, at: .max)
            _ = jar.header(for: url, at: .min)
            jar.store(["a=; Max-Age=-9223372036854775808"], from: url, at: time)
        }
    }
}
