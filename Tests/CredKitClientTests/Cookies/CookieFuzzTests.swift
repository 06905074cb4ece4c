// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

@testable import CredKitClient

/// Parses random fields and files: nothing traps, and every jar keeps its invariants.
final class CookieFuzzTests: XCTestCase {
    func testNoFieldTrapsAndEveryJarStaysInOrder() throws {
        var generator = SeededGenerator(seed: 6265)
        let parts = [
            "=", ";", " ", "\t", "a", "b", "__Host-", "__secure-", "Path", "Domain", "Max-Age", "Expires",
            "Secure",
            "SameSite", "None", "Strict", "HttpOnly", "/", "/x", ".", "s.example", "www.s.example", "com",
            "-1", "60",
            "99999999999999999999", "Wed, 09 Jun 2021 10:18:14 GMT", "10:18:14", "\u{0}", "\u{7F}", "é",
            "\u{301}", ",",
        ]
        let urls = try [
            "https://s.example/x/y", "http://www.s.example/", "https://127.0.0.1/", "https://[::1]/x",
            "http://localhost/",
        ]
        .map { try HTTPURL($0) }
        let contexts: [CookieContext] = [.sameSite, .crossSite, .crossSiteNavigation(methodIsSafe: true)]
        var jar = CookieJar(limits: .init(cookiesPerDomain: 8, cookies: 20, bytes: 400))
        for _ in 0..<4000 {
            let fields = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                (0..<Int.random(in: 0...14, using: &generator)).map { _ in
                    parts[Int.random(in: parts.indices, using: &generator)]
                }.joined()
            }
            let url = urls[Int.random(in: urls.indices, using: &generator)]
            let now = UnixTime(Int64.random(in: 0...2_000, using: &generator) + 1_623_000_000)
            let context = contexts[Int.random(in: contexts.indices, using: &generator)]
            let result = jar.store(fields, from: url, at: now, context: context)
            XCTAssertLessThanOrEqual(result.rejectionCount, fields.count)
            _ = jar.header(
                for: urls[Int.random(in: urls.indices, using: &generator)],
                at: now,
                context: context
            )
            let cookies = jar.cookies
            XCTAssertEqual(cookies.count, jar.count)
            XCTAssertLessThanOrEqual(jar.count, 20)
            XCTAssertEqual(cookies.reduce(0) { $0 + $1.byteCount }, jar.byteCount)
            XCTAssertLessThanOrEqual(jar.byteCount, 400)
            XCTAssertFalse(cookies.contains { $0.isExpired(at: now) })
            XCTAssertEqual(Set(cookies.map(\.serial)).count, cookies.count)
            XCTAssertTrue(
                jar.buckets.allSatisfy { domain, bucket in
                    !bucket.cookies.isEmpty && bucket.cookies.allSatisfy { $0.domain == domain }
                        && zip(bucket.cookies, bucket.cookies.dropFirst()).allSatisfy {
                            $0.precedes($1) && !$0.isSame(as: $1)
                        }
                }
            )
            let copy = try CookieJar(decoding: jar.encoded(), limits: jar.limits)
            XCTAssertEqual(copy.cookies.map { "\($0)" + $0.value }, cookies.map { "\($0)" + $0.value })
        }
        XCTAssertGreaterThan(jar.changeCount, 100)
    }

    func testRandomBytesNeverTrapFieldAndDateParsing() throws {
        var generator = SeededGenerator(seed: 20)
        let url = try HTTPURL("https://s.example/")
        var jar = CookieJar()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                // Mostly characters of dates and attributes.
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : Array("0123456789:; =JanFebMay".utf8).randomElement(using: &generator) ?? 0
            }
            if let seconds = CookieDate.parse(bytes) {
                XCTAssertTrue((-11_644_473_600...253_402_300_799).contains(seconds))
            }
            jar.store([String(decoding: bytes, as: UTF8.self)], from: url, at: 0)
        }
        XCTAssertGreaterThan(jar.count, 0)
        XCTAssertLessThanOrEqual(jar.count, 180)
    }

    func testFlippedFileByteIsAnErrorOrAnotherJar() throws {
        var generator = SeededGenerator(seed: 7)
        var jar = CookieJar()
        jar.store(
            ["a=b; Max-Age=60; Secure; SameSite=Lax", "c=d; Domain=s.example"],
            from: try HTTPURL("https://s.example/"),
            at: 0
        )
        let bytes = try jar.encoded()
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= UInt8.random(in: 1...255, using: &generator)
            do throws(ClientError) {
                var other = try CookieJar(decoding: flipped)
                XCTAssertLessThanOrEqual(other.count, 2)
                _ = other.header(for: try HTTPURL("https://s.example/"), at: .max)
                other.store(["x=y"], from: try HTTPURL("https://s.example/"), at: .max)
            } catch {
                XCTAssertEqual(error, .storage)
            }
        }
    }
}
