// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

final class HTTPURLTests: XCTestCase {
    func testValidURLsAreNormalized() throws {
        let table = [
            ("http://a", "http://a/"), ("HTTPS://School.Example:443", "https://school.example/"),
            ("http://a:80/x", "http://a/x"), ("http://a:/x", "http://a/x"), ("http://a:0080/", "http://a/"),
            ("http://a.:8080/", "http://a:8080/"), ("https://a:65535/?", "https://a:65535/?"),
            ("http://a?q", "http://a/?q"), ("http://a#f", "http://a/"), ("http://a/#?x", "http://a/"),
            ("http://a/b?c#d", "http://a/b?c"), ("http://a/../../b/./c/..", "http://a/b/"),
            ("http://a/x/%2E%2e/y", "http://a/y"), ("http://a/%2e/y", "http://a/y"),
            ("http://a//b", "http://a//b"),
            ("http://a/käse?ä", "http://a/k%C3%A4se?%C3%A4"), ("http://a/%", "http://a/%25"),
            ("http://a/%4g%41", "http://a/%254g%41"),
            ("http://a/\"<>^`{|}[]", "http://a/%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
            ("http://a/!$&'()*+,;=:@-._~", "http://a/!$&'()*+,;=:@-._~"),
            ("http://a/x?a=/?:@", "http://a/x?a=/?:@"),
            ("http://127.0.0.1", "http://127.0.0.1/"), ("http://[::1]:81/", "http://[::1]:81/"),
            ("http://[0:0:0:0:0:0:0:1]", "http://[::1]/"),
            ("http://[2001:DB8::0:1]", "http://[2001:db8::1]/"),
            ("http://[::ffff:1.2.3.4]", "http://[::ffff:1.2.3.4]/"),
            ("http://xn--kse-qla.example", "http://xn--kse-qla.example/"),
            ("http://a_b-c.d1", "http://a_b-c.d1/"), ("http://1a", "http://1a/"),
            ("http://1.2.3.4a", "http://1.2.3.4a/"),
            // A combining accent after a slash, question mark or number sign does not hide the delimiter.
            ("http://a/\u{301}@b", "http://a/%CC%81@b"), ("http://a?\u{301}@b", "http://a/?%CC%81@b"),
            ("http://a#\u{301}@b", "http://a/"), ("http://a/b#\u{301}c", "http://a/b"),
            ("http://a/b?\u{301}c", "http://a/b?%CC%81c"),
        ]
        for (text, expected) in table {
            XCTAssertEqual(try HTTPURL(text).absoluteString, expected, text)
            XCTAssertEqual(try HTTPURL(HTTPURL(text).absoluteString), try HTTPURL(text), text)
        }
    }

    func testAmbiguousURLsAreRefused() {
        let table = [
            "", "a", "/", "//a", "http", "http:", "http:/", "http://", "http:///", "http://?", "http://#",
            "http://:80",
            "http:a", "http:/a", "ftp://a", "javascript:alert(1)", "httpx://a", " http://a", "http ://a",
            "http://a ",
            "http://a/ ", "http://a b/", "http://a/b c", "http://a\t/", "http://a/\tb", "http://a\n",
            "http://a/\r\nb",
            "http://a\u{0}b/", "http://a/\u{0}", "http://a/\u{7f}", "http://user@a/",
            "http://user:hunter2@a/", "http://@a/",
            "http://a@b@c/", "http://a\\b/", "http://a\\@b/", "http://a/\\b", "http:\\\\a",
            "http://a/b\\..\\c",
            "http://a:b/", "http://a:-1/", "http://a:+80/", "http://a:0/", "http://a:65536/",
            "http://a:99999999999999999999/",
            "http://a:80:80/", "http://a:٣/", "http://127.1", "http://2130706433", "http://0x7f.1",
            "http://0x7f000001",
            "http://0177.0.0.1", "http://127.0.0.01", "http://127.0.0.256", "http://1.2.3.4.5", "http://a.1",
            "http://a.0x1",
            "http://1.2.3", "http://a..b", "http://.a", "http://.", "http://..", "http://a..", "http://a%2eb",
            "http://%61",
            "http://käse.example", "http://\u{212A}elvin", "http://a\u{3002}b", "http://a\u{FF0F}b",
            "http://a\u{200B}b", "http://a\u{301}/",
            "http://[::1", "http://::1]", "http://[]", "http://[::1]a", "http://[::1]]", "http://a[::1]",
            "http://[fe80::1%25eth0]",
            "http://[::1\u{0}x]", "http://[::g]", "http://[1.2.3.4]", "http://[::1.2.3]", "http://[v1.a]",
            "http://[::1]:x",
            "http://a,b", "http://a;b", "http://a&b", "http://a=b", "http://a!b", "http://(a)", "http://*.a",
            "http://~a",
            "http://" + String(repeating: "a", count: 255),
            "http://[" + String(repeating: ":", count: 1_000_000) + "]",
        ]
        for text in table {
            XCTAssertThrowsError(try HTTPURL(text), String(text.prefix(60))) { error in
                XCTAssertEqual(error as? ClientError, .invalidURL)
                // The error never contains a secret of the URL.
                XCTAssertFalse("\(error)".contains("hunter2"))
            }
        }
    }

    /// The examples of RFC 3986 sections 5.4.1 and 5.4.2, whose base is `http://a/b/c/d;p?q`. Fragments are
    /// dropped.
    func testControlCharactersAreRefusedInEveryPart() throws {
        let base = try HTTPURL("https://h.example/a")
        for control in ["\r", "\n", "\r\n", "\0", "\u{7F}", "\u{1B}"] {
            for text in [
                "https://h.example/\(control)", "https://h.example/?\(control)",
                "https://h.example/#\(control)x",
            ] {
                XCTAssertThrowsError(try HTTPURL(text), text.debugDescription)
                XCTAssertThrowsError(try base.resolving(String(text.dropFirst("https://h.example".count))))
            }
            for text in [
                "ht\(control)tps://h.example/", "https://h.example\(control)/",
                "https://h.example:80\(control)/",
            ] {
                XCTAssertThrowsError(try HTTPURL(text), text.debugDescription)
            }
        }
    }

    func testReferencesResolveAsInRFC3986() throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")
        let table = [
            ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"),
            ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"),
            ("g;x", "/b/c/g;x"),
            ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"),
            ("../", "/b/"),
            ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"),
            ("../../../g", "/g"), ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."),
            (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"),
            ("./g/.", "/b/c/g/"),
            ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"),
            ("g;x=1/../y", "/b/c/y"),
            ("g?y/./x", "/b/c/g?y/./x"), ("g?y/../x", "/b/c/g?y/../x"), ("g#s/./x", "/b/c/g"),
            ("g#s/../x", "/b/c/g"),
        ]
        for (reference, expected) in table {
            XCTAssertEqual(try base.resolving(reference).absoluteString, "http://a" + expected, reference)
        }
        XCTAssertEqual(try base.resolving("//g").absoluteString, "http://g/")
        XCTAssertEqual(try base.resolving("https://g:8/x").absoluteString, "https://g:8/x")
        for reference in ["g:h", "http:g", "//u@g", "///g", "\\g", "/\\g", "//g\\h", "javascript:x", "a\tb"] {
            XCTAssertThrowsError(try base.resolving(reference), reference)
        }
    }

    func testURLsAndReferencesAgreeWithPython() throws {
        var generator = SystemRandomNumberGenerator()
        let hosts = ["a", "School.Example", "127.0.0.1", "[::1]", "x-y_z.example"]
        let pieces = [
            "/", "/", "a", "b.c", "..", ".", ";p", "x=1", "%41", "~", "!", "'", "(", "-", "/..", "/./",
            "?q=1&r", "&", "=",
        ]
        var lines: [String] = []
        for _ in 0..<2000 {
            let host = hosts.randomElement(using: &generator) ?? "a"
            let port = ["", ":81", ":8443"].randomElement(using: &generator) ?? ""
            let path = (0..<Int.random(in: 0...8)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
            let reference = (0..<Int.random(in: 0...6)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            lines.append("http://\(host)\(port)/\(path) \(reference)")
        }
        let program = """
            import sys
            from urllib.parse import urlsplit, urljoin
            for line in sys.stdin:
                base, _, reference = line[:-1].partition(" ")
                parts = urlsplit(base)
                joined = urlsplit(urljoin(base, reference))
                print(parts.hostname, parts.port or 80, parts.query, joined.path or "/", joined.query, sep="\\t")
            """
        let input = Data((lines.joined(separator: "\n") + "\n").utf8)
        let output = try Program.succeed(["python3", "-c", program], input: input).text
        let expected = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var comparisons = 0
        for (line, expected) in zip(lines, expected) {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            let base = try HTTPURL(parts[0])
            let fields = expected.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            XCTAssertEqual(base.origin.host.trimmingCharacters(in: ["[", "]"]), fields[0])
            XCTAssertEqual("\(base.origin.port)", fields[1])
            XCTAssertEqual(base.query ?? "", fields[2], line)
            // Unlike the RFC, Python separates parameters after a semicolon, does not collapse empty segments with
            // '..', and keeps the base's dot segments for an empty reference. The RFC examples above cover these cases.
            guard !line.contains("//."), !line.contains(".;"), !parts[0].dropFirst(7).contains("//"),
                !parts[1].contains("//"), !parts[1].isEmpty,
                !parts[0].contains("/."), !parts[0].contains(".."), parts[1].first != "?"
            else { continue }
            comparisons += 1
            let joined = try base.resolving(parts[1])
            XCTAssertEqual(joined.path, fields[3], line)
            XCTAssertEqual(joined.query ?? "", fields[4], line)
        }
        XCTAssertGreaterThan(comparisons, 300)
    }

    func testOnlyLoopbackAddressesAreLoopback() throws {
        for host in ["localhost", "LOCALHOST.", "127.0.0.1", "127.255.1.2", "[::1]", "[0::1]"] {
            XCTAssertTrue(try Origin("http://\(host)").isLoopback, host)
        }
        for host in [
            "localhost.example", "a.localhost", "127.0.0.1.example", "128.0.0.1", "[::2]",
            "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
            "10.0.0.1", "127a.0.0.b1",
        ] {
            XCTAssertFalse(try Origin("http://\(host)").isLoopback, host)
        }
        for host in ["127.0.0.-1", "127.-5.0.1", "127.+1.0.1", "127.-0.0.1", "127.0.0.256", "127.0.0.1e"] {
            XCTAssertNotEqual(try? Origin("http://\(host)").isLoopback, true, host)
        }
    }

    func testQueriesAreNotPrinted() throws {
        let url = try HTTPURL("https://school.example/x?password=hunter2")
        XCTAssertEqual("\(url)", "https://school.example/x")
        XCTAssertFalse(String(reflecting: url).isEmpty)
    }

    func testLongURLsParseInLinearTime() throws {
        let text = "http://a/" + String(repeating: "../x/", count: 200_000)
        XCTAssertEqual(try HTTPURL(text).path, "/x/")
        XCTAssertEqual(
            try HTTPURL("http://a/").resolving(String(repeating: "x/", count: 200_000)).path.utf8.count,
            400_001
        )
    }
}
