// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Four servers behind nginx, of which one after the other is restarted while clients log in.
final class RollingRestartTests: XCTestCase {
    private static let rounds = ProcessInfo.processInfo.environment["CREDKIT_DEEP"] == nil ? 1 : 5

    private func run(upstream options: String, _ headers: String) throws -> Shell.Outcome {
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") else {
            throw XCTSkip("nginx is not installed")
        }
        let redis = try RedisServer()
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        return try shell.run(
            """
            umask 077
            hash=$(printf 123456 | credkit hash legacy timestamp --key-phrase x --password-equivalent)
            printf "user%s:$hash\\n" {0..1999} > users
            head -c 32 /dev/urandom > state-key
            python3 '\(TestScripts.path("rolling_restart.py"))' \(redis.port) \(Self.rounds) '\(options)' '\(headers)'
            """
        )
    }

    /// As docs/operating.md configures nginx: a connection to a server for each request.
    func testNoLoginFailsAndNoSessionIsLost() throws {
        let outcome = try run(upstream: "", "")
        XCTAssertEqual(outcome.text, "restarts: \(4 * Self.rounds), failures: 0 []\n", outcome.errors)
        XCTAssertEqual(outcome.status, 0)
    }

    /// With connections to the servers that nginx keeps.
    func testKeptConnectionsLoseNoRequest() throws {
        let outcome = try run(
            upstream: "keepalive 8;",
            #"proxy_http_version 1.1; proxy_set_header Connection "";"#
        )
        XCTAssertEqual(outcome.text, "restarts: \(4 * Self.rounds), failures: 0 []\n", outcome.errors)
        XCTAssertEqual(outcome.status, 0)
    }
}
