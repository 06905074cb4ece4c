// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// The targets of requests, which `credkit sign` and `credkit sign verify` take as they were sent.
final class SignedTargetTests: ShellTestCase {
    private static let covered = [
        "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query",
    ]

    override func setUpWithError() throws {
        try super.setUpWithError()
        try run("printf 0123456789abcdef0123456789abcdef > key; printf helloworld > secret")
    }

    private func write(_ line: [UInt8], _ rest: String = "Host: Example.COM:80\r\n\r\n") throws {
        let file = shell.folder.appendingPathComponent("message")
        try Data(line + Array("\r\n\(rest)".utf8)).write(to: file)
    }

    private func write(_ line: String, _ rest: String = "Host: Example.COM:80\r\n\r\n") throws {
        try write(Array(line.utf8), rest)
    }

    /// Writes a line in ISO 8859-1.
    private func write(latin line: String) throws {
        try write(line.unicodeScalars.map { UInt8($0.value) })
    }

    /// RFC 9421 §2.2, RFC 9112 §3.
    func testEachFormIsSignedAsSent() throws {
        let cover = Self.covered.map { "--cover \($0)" }.joined(separator: " ")
        for (line, values) in [
            (
                #"GET /a[1]|{b}^"<c>\`d?%zz=[|]&e={"} HTTP/1.1"#,
                [
                    #"http://Example.COM:80/a[1]|{b}^"<c>\`d?%zz=[|]&e={"}"#, "example.com", "http",
                    #"/a[1]|{b}^"<c>\`d?%zz=[|]&e={"}"#, #"/a[1]|{b}^"<c>\`d"#, #"?%zz=[|]&e={"}"#,
                ]
            ),
            (
                "GET //a/../%2e%2E/./%zz? HTTP/1.1",
                [
                    "http://Example.COM:80//a/../%2e%2E/./%zz?", "example.com", "http",
                    "//a/../%2e%2E/./%zz?", "//a/../%2e%2E/./%zz", "?",
                ]
            ),
            (
                "GET HTTPS://Other.Example:0443/a|b?c?d HTTP/1.1",
                [
                    "HTTPS://Other.Example:0443/a|b?c?d", "other.example", "https",
                    "HTTPS://Other.Example:0443/a|b?c?d", "/a|b", "?c?d",
                ]
            ),
            (
                "GET http://h?q HTTP/1.1",
                ["http://h/?q", "h", "http", "http://h?q", "/", "?q"]
            ),
            ("OPTIONS http://h HTTP/1.1", ["http://h", "h", "http", "http://h", "/", "?"]),
            ("OPTIONS * HTTP/1.1", ["http://Example.COM:80", "example.com", "http", "*", "/", "?"]),
            (
                "CONNECT Other.Example:443 HTTP/1.1",
                ["http://Other.Example:443", "other.example:443", "http", "Other.Example:443", "/", "?"]
            ),
        ] {
            try write(line)
            let base = try run(
                """
                set -e
                credkit sign --http \(cover) --with hmac-sha256:k=key message > signed
                credkit sign verify -q --http \(cover) --with hmac-sha256:k=key signed
                head -n 2 message | cmp - <(head -n 2 signed)
                credkit sign verify --base --http --with hmac-sha256:k=key signed
                """
            ).text
            let expected = zip(Self.covered, values).map { "\"\($0)\": \($1)\n" }.joined()
            XCTAssertTrue(base.hasPrefix(expected), "\(line): \(base)")
            try run(
                """
                sed -b '1s/ HTTP.1.1/x&/; 1s/:443x/:444/; 1s/[*]x/\\/x/' signed |
                    credkit sign verify -q --http \(cover) --with hmac-sha256:k=key
                """,
                1
            )
        }
        // A URL and the authority of CONNECT need no header.
        for line in ["GET https://h/ HTTP/1.1", "CONNECT h:443 HTTP/1.0"] {
            try write(line, "\r\n")
            try run("credkit sign --with hmac-sha256:k=key message")
        }
    }

    /// A signature base is ASCII (RFC 9421 §2.5): other bytes can be in what is not covered, and in a parameter, which is
    /// encoded.
    func testBytesThatAreNotASCII() throws {
        try write(latin: "GET /\u{E9}\u{80}?a=\u{E9}&b=1 HTTP/1.1")
        try run(
            """
            set -e
            credkit sign --cover @method --cover '"@query-param";name="b"' --with hmac-sha256:k=key message > signed
            credkit sign verify -q --cover @method --with hmac-sha256:k=key signed
            head -n 2 message | cmp - <(head -n 2 signed)
            """
        )
        for component in [
            "@path", "@query", "@request-target", "@target-uri", #"'"@query-param";name="a"'"#,
        ] {
            try run("credkit sign --cover \(component) --with hmac-sha256:k=key message", 65)
        }
        try write("GET /é?a=ü&b=%C3%BC HTTP/1.1")
        let base = try run(
            #"""
            credkit sign --base --with hmac-sha256:k=key message \
                --cover '"@query-param";name="a"' --cover '"@query-param";name="b"'
            """#
        ).text
        XCTAssertTrue(
            base.hasPrefix(#""@query-param";name="a": %C3%BC\#n"@query-param";name="b": %C3%BC\#n"#),
            base
        )
        let refused = try run("credkit sign --with hmac-sha256:k=key message", 65)
        XCTAssertTrue(refused.errors.contains("'@path': it is not printable ASCII"), refused.errors)
    }

    func testParametersOfEachForm() throws {
        for (line, expected) in [
            ("GET /a|[b]?v={1}&%zz=1 HTTP/1.1", "GET /a|[b]?v={1}&%zz=1&sign="),
            ("GET http://H:80/a|b?v=1 HTTP/1.1", "GET http://H:80/a|b?v=1&sign="),
            ("GET http://h?v=ü HTTP/1.1", "GET http://h?v=ü&sign="),
        ] {
            try write(line)
            let signed = try run(
                "set -e; credkit sign --with top=secret message | tee signed; credkit sign verify -q --with top=secret signed"
            ).text
            XCTAssertTrue(signed.hasPrefix(expected), signed)
            XCTAssertTrue(signed.hasSuffix(" HTTP/1.1\r\nHost: Example.COM:80\r\n\r\n"), signed)
        }
        // The path is not signed, and stays as it is.
        try write(latin: "GET /\u{E9}?v=1 HTTP/1.1")
        try run("credkit sign --with top=secret message | LC_ALL=C grep -aq $'^GET /\\xe9?v=1&sign='")
        for line in ["OPTIONS * HTTP/1.1", "CONNECT h:443 HTTP/1.1"] {
            try write(line)
            let outcome = try run("credkit sign --with top=secret message", 65)
            XCTAssertTrue(outcome.errors.contains("path"), outcome.errors)
        }
    }

    func testMalformedLines() throws {
        for (line, reason) in [
            ("GET /a b HTTP/1.1", "%20"), ("GET  / HTTP/1.1", "%20"), ("GET /", "version"),
            ("GET / HTTP/1.1 ", "version"), ("GET /a HTTX/1.1", "version"),
            ("GET /a\tb HTTP/1.1", "control character"), ("GET /a\u{7F} HTTP/1.1", "control character"),
            ("GET /a#b HTTP/1.1", "%23"), ("GET * HTTP/1.1", "only OPTIONS"),
            ("GET a/b HTTP/1.1", "neither a path nor"), ("GET ?q HTTP/1.1", "neither a path nor"),
            ("GET ftp://h/ HTTP/1.1", "neither a path nor"), ("GET http:/h/ HTTP/1.1", "neither a path nor"),
            ("GET http:///a HTTP/1.1", "the host"), ("GET http://u:p@h/ HTTP/1.1", "the host"),
            ("GET http://h:99999/ HTTP/1.1", "the host"), ("GET http://h\\x/ HTTP/1.1", "the host"),
            ("CONNECT h HTTP/1.1", "HOST:PORT"), ("CONNECT /a:1 HTTP/1.1", "the host"),
            ("CONNECT h: HTTP/1.1", "HOST:PORT"), ("GET HTTP/1.1", "METHOD TARGET"),
            ("G(T / HTTP/1.1", "METHOD TARGET"), ("GET  HTTP/1.1", "neither a path nor"),
        ] {
            try write(line)
            for command in ["sign --with", "sign verify --with"] {
                let outcome = try run("credkit \(command) hmac-sha256:k=key message", 65)
                XCTAssertTrue(outcome.errors.contains(reason), "\(line): \(outcome.errors)")
            }
        }
        for (rest, reason) in [
            ("\r\n", "needs a header 'Host'"), ("Host: a\r\nHost: a\r\n\r\n", "more than one"),
            ("Host:\r\n\r\n", "the host"), ("Host: a/b\r\n\r\n", "the host"),
            ("Host: a#b\r\n\r\n", "the host"),
        ] {
            try write("GET / HTTP/1.1", rest)
            let outcome = try run("credkit sign --with hmac-sha256:k=key message", 65)
            XCTAssertTrue(outcome.errors.contains(reason), outcome.errors)
        }
    }

    /// curl, Node.js and Python's http.client, recorded by a socket.
    func testRequestsOfClients() throws {
        let outcome = try run("\(Self.script()) peers")
        XCTAssertEqual(
            outcome.text,
            "curl: 38 requests agree\nnode: 32 requests agree\npython: 28 requests agree\n",
            outcome.errors
        )
    }

    func testRandomTargetsAgreeWithPython() throws {
        XCTAssertEqual(
            try run("\(Self.script()) random").text,
            "200 of 200 requests are verified by http-message-signatures, and 50 others agree\n"
        )
    }

    private static func script() throws -> String {
        "'\(try TestScripts.installedPython())' '\(TestScripts.path("request_targets.py"))'"
    }
}
