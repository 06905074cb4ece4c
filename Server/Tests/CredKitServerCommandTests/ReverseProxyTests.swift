// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit-server` behind nginx.
final class ReverseProxyTests: XCTestCase {
    private func run(_ options: String, header: String, _ script: String) throws -> Shell.Outcome {
        let users = """
            printf 'alice:%s\\n' "$(printf 123456 | credkit hash legacy timestamp --key-phrase x --password-equivalent)" > users
            """
        return try ProxiedServer.run("--key-phrase x \(options)", users: users, header: header, script)
    }

    /// Logs in wrongly: once as a client that pretends to come from elsewhere, and then directly from there.
    private let requests = """
        for name in a b c; do
            curl -s -o /dev/null -H 'X-Forwarded-For: 6.6.6.6' -H 'Forwarded: for=6.6.6.6;proto=https' \
                -d "username=$name&password=wrong" $url/login.php
        done
        curl -si -d 'username=alice&password=123456' $url/login.php | grep -c 'Set-Cookie.*Secure'
        cat log
        """

    func testClientBehindXForwardedForIsLogged() throws {
        let outcome = try run(
            "--trusted-proxy 127.0.0.1",
            header: """
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                proxy_set_header X-Forwarded-Proto https;
                """.replacingOccurrences(of: "$", with: "\\$"),
            requests
        )
        // nginx itself is a trusted proxy, and the address left of it was invented by the client; but this client is on the
        // same machine.
        XCTAssertEqual(
            outcome.text,
            "1\n" + String(repeating: "6.6.6.6 POST /login.php 200\n", count: 3)
                + "127.0.0.1 POST /login.php 200\n",
            outcome.errors
        )
    }

    func testInventedAddressIsNotBelieved() throws {
        // The proxy states the client with an address that is not one of the proxies.
        let outcome = try run(
            "--trusted-proxy 127.0.0.1 --log-format json",
            header: """
                proxy_set_header X-Forwarded-For "$http_x_forwarded_for, 198.51.100.7";
                proxy_set_header X-Request-ID $request_id;
                """.replacingOccurrences(of: "$", with: "\\$"),
            """
            curl -si -H 'X-Forwarded-For: 6.6.6.6' -H 'X-Request-ID: mine' $url/none |
                sed -n 's/^x-request-id: \\([0-9a-f]\\{32\\}\\)\\r$/\\1/p' > id
            jq -r --arg id $(cat id) '.client, .id == $id' log
            """
        )
        XCTAssertEqual(outcome.text, "198.51.100.7\ntrue\n", outcome.errors)
    }

    func testClientBehindForwardedIsLogged() throws {
        let outcome = try run(
            "--trusted-proxy 127.0.0.1 --proxy-header forwarded",
            header: #"proxy_set_header Forwarded "for=\"[2001:db8::7]:4711\";proto=https";"#,
            requests
        )
        XCTAssertEqual(
            outcome.text,
            "1\n" + String(repeating: "2001:db8::7 POST /login.php 200\n", count: 4),
            outcome.errors
        )
    }

    func testStatementsOfUntrustedPeersAreIgnored() throws {
        let outcome = try run("", header: "proxy_set_header X-Forwarded-For 198.51.100.7;", requests)
        XCTAssertEqual(
            outcome.text,
            "0\n" + String(repeating: "127.0.0.1 POST /login.php 200\n", count: 4),
            outcome.errors
        )
    }

    func testLimitsCountTheClientAndNotTheProxy() throws {
        try XCTSkipIf(
            ProcessInfo.processInfo.environment["CREDKIT_DEEP"] == nil,
            "takes 4 seconds; set CREDKIT_DEEP=1 to run it"
        )
        let outcome = try run(
            "--trusted-proxy 127.0.0.1 --mechanism timestamp",
            header: "proxy_set_header X-Forwarded-For \\$http_x_client;",
            """
            # limited ADDRESS COUNT: whether that many requests of an address are more than the 600 a minute of a client.
            limited() {
                curl -s -o /dev/null -w '%{http_code}\\n' -H "X-Client: $1" "$url/hmackey.php?n=[1-$2]" | grep -q 429; echo $?
            }
            limited 198.51.100.7 700; limited 198.51.100.8 10
            # An IPv6 client is its network.
            limited 2001:db8::1 350; limited 2001:db8::2 350; limited 2001:db8:0:1::1 10
            """
        )
        XCTAssertEqual(outcome.text, "0\n1\n1\n0\n1\n", outcome.errors)
    }
}
