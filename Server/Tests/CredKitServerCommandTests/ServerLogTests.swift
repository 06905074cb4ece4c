// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
@testable import CredKitServerCommand
import Foundation
import HTTPTypes
import XCTest

/// The lines of `credkit-server --log-format json`.
final class ServerLogTests: XCTestCase {
    /// Starts a server, runs a script with its address as `$url`, and returns the output and the log.
    private func run(_ options: String, _ script: String) throws -> (output: String, log: String) {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let setUp = try shell.run(
            "printf 'alice:%s\\n' \"$(printf s3cret | credkit hash legacy timestamp --key-phrase x --password-equivalent)\" > users"
        )
        XCTAssertEqual(setUp.status, 0, setUp.errors)
        let server = try ServerProcess(
            shell,
            "credkit-server --key-phrase x --users users --listen 127.0.0.1:0 --log-format json \(options)"
        )
        let outcome = try shell.run("url=\(server.url)\n\(script)")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(server.stop(), 0)
        return (outcome.text, server.errors)
    }

    private func objects(_ log: String) throws -> [[String: Any]] {
        try log.split(separator: "\n").map { line in
            try XCTUnwrap(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    func testEachRequestIsAnObjectWithoutSecrets() throws {
        let (output, log) = try run(
            "--allow-get-login --attempts 2",
            """
            ask() { curl -s -o /dev/null -D - "$@" | sed -n 's/^x-request-id: \\(.*\\)\\r/\\1/p'; }
            ask -d 'username=alice&password=s3cret' $url/login.php
            ask -H 'X-Request-ID: not-from-a-proxy' "$url/api/login.php?username=alice&password=s3crex"
            ask -d 'username=alice&password=s3crex' $url/login.php
            ask -d 'username=alice&password=s3cret' $url/login.php
            ask -H 'x-auth-token: t0ken' -H 'Cookie: session=c00kie' $url/auth/session
            ask "$url/a%22%C2%9B%1B"
            """
        )
        let lines = try objects(log)
        XCTAssertEqual(lines.count, 7, log)
        let ids = output.split(separator: "\n").map(String.init)
        XCTAssertEqual(Set(ids).count, 6, output)
        XCTAssertEqual(lines.prefix(6).map { $0["id"] as? String }, ids)
        for id in ids { XCTAssertNotNil(id.wholeMatch(of: /[0-9a-f]{32}/), id) }
        XCTAssertEqual(lines.map { $0["status"] as? Int }, [200, 200, 200, 429, 401, 404, nil])
        XCTAssertEqual(
            lines.map { $0["outcome"] as? String },
            ["accepted", "rejected", "rejected", "limited", nil, nil, nil]
        )
        XCTAssertEqual(
            lines.map { $0["mechanism"] as? String },
            ["form", "form", "form", "form", nil, nil, nil]
        )
        XCTAssertEqual(
            lines.map { $0["path"] as? String },
            [
                "/login.php", "/api/login.php", "/login.php", "/login.php", "/auth/session", "/a%22%C2%9B%1B",
                nil,
            ]
        )
        XCTAssertEqual(lines.map { $0["event"] as? String }.last, "summary")
        let time = try XCTUnwrap(lines[0]["time"] as? String)
        XCTAssertNotNil(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/), time)
        for line in lines.prefix(6) {
            XCTAssertEqual(line["client"] as? String, "127.0.0.1")
            XCTAssertEqual(line["level"] as? String, "info")
            // A rejection is answered after a multiple of 50 milliseconds.
            let seconds = try XCTUnwrap(line["seconds"] as? Double)
            XCTAssertTrue(
                (0...60).contains(seconds) && (line["outcome"] as? String != "rejected" || seconds >= 0.05),
                "\(seconds)"
            )
        }
        for secret in ["s3cret", "s3crex", "t0ken", "c00kie", "alice", "\u{9B}", "\u{1B}", "not-from"] {
            XCTAssertFalse(log.contains(secret), secret)
        }
    }

    func testIdentifierOfATrustedProxyIsTakenIfItIsWellFormed() throws {
        func identifier(_ values: [String], isTrusted: Bool) throws -> String {
            var headers = HTTPFields()
            for value in values { headers.append(HTTPField(name: .requestID, value: value)) }
            return RequestIdentifier.of(headers, isTrusted: isTrusted)
        }
        for value in ["a", "7b0c3f0e-1d6f-4f0b", "A.b_c-9", String(repeating: "x", count: 128)] {
            XCTAssertEqual(try identifier([value], isTrusted: true), value)
            XCTAssertNotEqual(try identifier([value], isTrusted: false), value)
        }
        for values in [
            [""], ["a b"], ["a\"b"], ["a,b"], ["é"], [String(repeating: "x", count: 129)], ["a", "b"], [],
        ] {
            let id = try identifier(values, isTrusted: true)
            XCTAssertNotNil(id.wholeMatch(of: /[0-9a-f]{32}/), id)
        }
    }

    func testLongestLineFitsIntoAPipe() throws {
        let request = LoggedRequest(
            id: String(repeating: "x", count: 128),
            address: String(repeating: "f", count: 64),
            method: String(repeating: "M", count: 100),
            path: "/" + String(repeating: "\u{1}", count: 1000),
            status: 599,
            duration: .seconds(100_000),
            login: LoggedLogin(mechanism: .timestamp, outcome: .codeRequired)
        )
        // PIPE_BUF of Linux.
        XCTAssertLessThan(try JSONEncoder().encode(request).count, 4096)
        XCTAssertLessThan(request.text.utf8.count, 4096)
    }
}
