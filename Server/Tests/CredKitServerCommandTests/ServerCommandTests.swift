// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit-server` over real sockets, with a Python client that contains no CredKit code.
final class ServerCommandTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            cp '\(TestScripts.path("python_login_client.py"))' .
            echo '# name:RECORD' > users
            echo "zhang:$(printf s3cret | credkit hash legacy timestamp --key-phrase itheima --password-equivalent)" >> users
            echo >> users
            echo "li:$(printf 'p&s+w%%rd= é' | credkit hash argon2id --memory 1MiB --passes 1)" >> users
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    private func serve(_ options: String = "") throws -> ServerProcess {
        try ServerProcess(
            shell,
            """
            credkit-server --mechanism timestamp --mechanism form --key-phrase itheima --users users \
                --listen 127.0.0.1:0 \(options)
            """
        )
    }

    /// Returns the JSON that the Python client printed.
    private func see(_ scenario: String, _ server: ServerProcess, _ options: String = "{}") throws -> String {
        let outcome = try shell.run("python3 python_login_client.py \(scenario) \(server.url) '\(options)'")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return outcome.text.trimmingCharacters(in: .newlines)
    }

    private func object(_ text: String) throws -> [String: Any] {
        try XCTUnwrap(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], text)
    }

    func testPythonClientLogsInWithAOneTimeChallenge() throws {
        let server = try serve()
        XCTAssertTrue(server.url.hasPrefix("http://127.0.0.1:"), server.url)
        for keepsCookies in [true, false] {
            let seen = try object(try see("login", server, #"{"keepsCookies":\#(keepsCookies)}"#))
            XCTAssertEqual(seen["login"] as? [Int], [200, 1])
            XCTAssertEqual(seen["textIsMinute"] as? Bool, false)
            XCTAssertEqual(seen["textBeginsWithMinute"] as? Bool, true)
            XCTAssertEqual(seen["withToken"] as? Int, 200)
            XCTAssertEqual(seen["withCookie"] as? Int, keepsCookies ? 200 : 401)
            XCTAssertEqual(seen["with"] as? Int, 401)
            XCTAssertEqual(
                seen["cookies"] as? [String],
                ["session=*; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax"]
            )
        }
        XCTAssertEqual(server.stop(), 0)
    }

    func testPythonClientLogsInWithTheBareMinute() throws {
        let server = try serve("--minute-challenge --first-start")
        let seen = try object(try see("login", server))
        XCTAssertEqual(seen["login"] as? [Int], [200, 1])
        XCTAssertEqual(seen["textIsMinute"] as? Bool, true)
        XCTAssertEqual(server.stop(with: SIGINT), 0)
    }

    func testReplayedProofIsRefused() throws {
        XCTAssertEqual(
            try see("replay", serve()),
            #"{"answers": [[200, 1], [200, -1], [200, -1], [200, -1]], "waits": false}"#
        )
        // Another login in the same minute looks the same: the server says when to retry.
        XCTAssertEqual(
            try see("replay", serve("--minute-challenge --first-start")),
            #"{"answers": [[200, 1], [429, -1], [429, -1], [429, -1]], "waits": true}"#
        )
    }

    func testExactlyOneOfSixteenConcurrentLoginsIsAccepted() throws {
        for options in ["--attempts 100", "--attempts 100 --minute-challenge --first-start"] {
            XCTAssertEqual(
                try see("crowd", serve(options), #"{"count": 16}"#),
                #"{"accepted": 1, "answers": 16}"#
            )
        }
    }

    func testClientClockMayBeOffByAMinuteButNotThree() throws {
        let server = try serve("--minute-challenge --first-start --time-zone UTC")
        for (minutes, answer) in [(1, 1), (-1, 1), (3, -1), (-3, -1)] {
            let seen = try see("own_clock", server, #"{"minutes": \#(minutes)}"#)
            XCTAssertEqual(seen, "[200, \(answer)]", "\(minutes)")
        }
        // With one-time challenges no bare minute is accepted.
        XCTAssertEqual(try see("own_clock", serve("--time-zone UTC"), #"{"minutes": 0}"#), "[200, -1]")
    }

    func testBareMinuteLoginsWaitAfterAStart() throws {
        let server = try serve("--minute-challenge")
        let seen = try shell.run(
            """
            python3 - \(server.url) <<'END'
            import sys; from python_login_client import *
            client = Client(sys.argv[1])
            print(client.log_in(), 60 <= int(client.headers["Retry-After"]) <= 180)
            END
            """
        )
        XCTAssertEqual(seen.text, "[503, -1] True\n", seen.errors)
    }

    func testSessionEndsByExpiryAndByLogout() throws {
        // Long enough for the request after the login, even if the machine stalls in between.
        let server = try serve("--session-ttl 6")
        XCTAssertEqual(
            try see("expiry", server, #"{"seconds": 6.5}"#),
            "[[200, 1], 200, [401, 401], [401, 401]]"
        )
        XCTAssertEqual(try see("logout", server), #"[200, 200, "", 401, 401]"#)
    }

    func testInvalidLoginsAndRequestsAreRefused() throws {
        let seen = try see("refusals", serve())
        XCTAssertEqual(
            seen,
            #"{"wrong password": [200, -1], "no such user": [200, -1], "no proof": [200, -1], "form only": [200, -1], "#
                + #""forged text": [200, -1], "no fields": 400, "JSON": 415, "GET login": 405, "GET proof": 405, "#
                + #""POST session": 405, "nowhere": 404, "no session": 401, "odd tokens": [401, 401, 401, 401], "#
                + #""login": [200, 1], "data": [404, 404, 404, 404, 404]}"#
        )
    }

    func testPasswordsAreAcceptedByFormOrURLOnlyByChoice() throws {
        let wrong = "[200, -1]"
        let common = "[200, 2], \(wrong), [200, 1], \(wrong), \(wrong)"
        XCTAssertEqual(try see("form", serve()), "[\(common), 405]")
        let server = try serve("--allow-get-login")
        XCTAssertEqual(try see("form", server), "[\(common), 200]")
        XCTAssertEqual(server.stop(), 0)
        XCTAssertTrue(server.errors.contains("127.0.0.1 GET /login.php 200\n"), server.errors)
        for secret in ["s3cret", "username", "p&s"] { XCTAssertFalse(server.errors.contains(secret)) }
        // Without TLS, the server refuses this on an address that other hosts can reach.
        let open = try serve("--listen 0.0.0.0:0 --allow-insecure-http")
        let outcome = try shell.run(
            "curl -s -o /dev/null -w '%{http_code}' -d 'username=zhang&password=s3cret' "
                + open.url.replacingOccurrences(of: "0.0.0.0", with: "127.0.0.1") + "/login.php"
        )
        XCTAssertEqual(outcome.text, "403")
    }

    func testRepeatedGuessesAreRateLimited() throws {
        let seen = try see("guesses", serve("--attempts 3"), #"{"count": 4, "waits": 100}"#)
        XCTAssertEqual(seen, #"{"statuses": [200, 200, 200, 429], "waits": true, "right": 429}"#)
    }

    func testSessionTellsWhoIsLoggedIn() throws {
        let server = try serve("--quiet")
        let outcome = try shell.run(
            """
            python3 - \(server.url) <<'END'
            import sys; from python_login_client import *
            def get(client, path, **options):
                status, text = client.send("GET", path, **options)
                return status, text, client.headers["WWW-Authenticate"], client.headers["Cache-Control"]
            zhang, li, none = Client(sys.argv[1]), Client(sys.argv[1]), Client(sys.argv[1])
            print(*get(none, "/auth/session"))
            zhang.log_in()
            li.send("POST", "/login.php", {"username": "li", "password": "p&s+w%rd= é"})
            for path in ("/auth/session", "/api/auth/session", "/auth/session?envelope=h"): print(*get(zhang, path))
            print(*get(li, "/auth/session"))
            # A token that is no session's does not hide the cookie, nor the other way round.
            token = zhang.cookies["session"]
            print(get(zhang, "/auth/session", headers={"x-auth-token": "x"})[0])
            zhang.cookies["session"] = "x"
            print(get(zhang, "/auth/session", headers={"x-auth-token": token})[0], get(zhang, "/auth/session")[0])
            print(none.send("POST", "/auth/session", {})[0], none.headers["Allow"])
            print(none.send("HEAD", "/auth/session")[0], none.send("GET", "/auth/session/")[0])
            END
            """
        )
        let refusal =
            #"401 {"code":401,"data":null,"msg":"log in first"}|Cookie realm="credkit-server" no-store|"#
        func session(_ id: Int, _ name: String) -> String {
            #"200 {"code":0,"data":{"userId":\#(id),"userName":"\#(name)"},"msg":"logged in"}|None no-store|"#
        }
        XCTAssertEqual(
            outcome.text.replacingOccurrences(of: "\n ", with: "|").replacingOccurrences(of: "\n", with: "|"),
            refusal + String(repeating: session(1, "zhang"), count: 3) + session(2, "li")
                + "200|200 401|405 GET|405 404|",
            outcome.errors
        )
        XCTAssertEqual(server.stop(), 0)
        XCTAssertEqual(server.errors, "")
        XCTAssertEqual(server.rest, Data())
    }

    func testOversizedOrMissingBodiesAndHeadersAreRefused() throws {
        let server = try serve()
        XCTAssertEqual(
            try see("bodies", server),
            #"[["413", true, true], ["413", true, true], ["408", true, true]]"#
        )
        XCTAssertEqual(try see("headers", server), #"["400", "400", "401"]"#)
        let seen = try object(try see("login", server))
        XCTAssertEqual(seen["login"] as? [Int], [200, 1])
        XCTAssertEqual(server.stop(), 0)
    }

    func testUnreadResponsesDoNotBlockShutdown() throws {
        let outcome = try shell.run(
            """
            credkit-server --key-phrase itheima --users users --listen 127.0.0.1:0 --quiet > address & server=$!
            until [ -s address ]; do sleep 0.1; done
            python3 - $server "$(cut -d: -f3 address)" <<'END'
            import os, signal, socket, sys, time
            server = int(sys.argv[1])
            deaf = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
            deaf.settimeout(1)
            try:
                while True: deaf.send(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" * 1000)
            except TimeoutError: print("stuck")
            os.kill(server, signal.SIGINT)
            end = time.monotonic() + 25
            while os.path.exists(f"/proc/{server}") and time.monotonic() < end: time.sleep(0.1)
            print(time.monotonic() < end)
            END
            kill -9 $server 2> /dev/null; wait $server; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "stuck\nTrue\n0\n", outcome.errors)
    }

    func testItServesOverTLS() throws {
        let outcome = try shell.run(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out certificate.pem 2> /dev/null
            openssl genrsa -out other.pem 2048 2> /dev/null
            """
        )
        XCTAssertEqual(outcome.status, 0)
        let server = try serve("--tls-cert certificate.pem --tls-key key.pem")
        XCTAssertTrue(server.url.hasPrefix("https://127.0.0.1:"), server.url)
        let seen = try object(try see("login", server, #"{"ca": "certificate.pem"}"#))
        XCTAssertEqual(seen["login"] as? [Int], [200, 1])
        XCTAssertEqual(
            seen["cookies"] as? [String],
            ["session=*; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure"]
        )
        XCTAssertEqual(server.stop(), 0)

        for (options, status, message) in [
            ("--tls-cert key.pem --tls-key key.pem", 65, "no PEM file with a certificate"),
            ("--tls-cert certificate.pem --tls-key certificate.pem", 65, "with a private key"),
            ("--tls-cert certificate.pem --tls-key none.pem", 74, "none.pem: cannot open the file"),
            ("--tls-cert certificate.pem --tls-key other.pem", 65, "other.pem: is not the key of"),
            ("--tls-cert certificate.pem", 64, "must be given together"),
        ] {
            let outcome = try shell.run(
                "credkit-server --key-phrase itheima --users users --listen 127.0.0.1:0 \(options)"
            )
            XCTAssertEqual(outcome.status, Int32(status), outcome.errors)
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        }
    }

    func testErrorsNameTheLineOfAnInvalidUsersFile() throws {
        let equivalent = "97070e99c2efa11e14a1b6f5407b4209"
        for (content, line, reason) in [
            (
                "zhang:\(equivalent)\\nli:97070e99c2efa11e14a1b6f5407b420\\n", 2,
                "neither 32 hexadecimal digits"
            ),
            ("# all\\n\\nzhang\\n", 3, "not of the form name:RECORD"),
            (":\(equivalent)", 1, "not of the form"),
            ("a:\(equivalent)\\r\\na:\(equivalent)\\n", 2, "a second user"),
            ("a\\xff:\(equivalent)", 1, "not UTF-8"),
            ("a:$argon2id$v=19$m=1024,t=1,p=1$x$y\\n", 1, "neither"),
        ] {
            let outcome = try shell.run(
                "printf '\(content.replacingOccurrences(of: "%", with: "%%"))' > wrong; "
                    + "credkit-server --key-phrase itheima --users wrong --listen 127.0.0.1:0"
            )
            XCTAssertEqual(outcome.status, 65, content)
            XCTAssertTrue(outcome.errors.hasPrefix("credkit-server: wrong: line \(line): "), outcome.errors)
            XCTAssertTrue(outcome.errors.contains(reason), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("97070e99"), outcome.errors)
            XCTAssertTrue(outcome.output.isEmpty)
        }
        for (options, status, message) in [
            ("--users /dev/null", 65, "there is no user in it"),
            ("--users none", 74, "none: cannot open the file"),
            ("", 64, "--users"),
        ] {
            let outcome = try shell.run("credkit-server --key-phrase itheima --listen 127.0.0.1:0 \(options)")
            XCTAssertEqual(outcome.status, Int32(status), outcome.errors)
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        }
    }

    func testErrorsNameThePortInUseAndInvalidOptions() throws {
        let server = try serve()
        let port = server.url.split(separator: ":").last ?? ""
        let outcome = try shell.run(
            "credkit-server --key-phrase itheima --users users --listen 127.0.0.1:\(port)"
        )
        XCTAssertEqual(outcome.status, 73)
        XCTAssertEqual(
            outcome.errors,
            "credkit-server: cannot listen on \(server.url): Address already in use\n"
        )
        for options in [
            "--listen 0.0.0.0:0", "--listen [::]:0", "--listen 127.evil.example:0", "--listen example.com:0",
            "--listen ::1:0", "--session-ttl 0",
            "--session-ttl 99999999999", "--attempts 0", "--first-start", "--minute-challenge",
            "--time-zone Nowhere/City",
            "--listen 127.0.0.1:65536", "--listen 127.0.0.1",
        ] {
            let outcome = try shell.run("credkit-server --key-phrase itheima --users users \(options)")
            XCTAssertEqual(outcome.status, 64, options)
        }
    }

    func testHelpExampleWorksAsPrinted() throws {
        let help = try shell.run("credkit-server --help")
        XCTAssertEqual(help.status, 0, help.errors)
        let lines = help.text.components(separatedBy: "\n")
        let start = try XCTUnwrap(lines.firstIndex { $0.contains("For instance:") })
        let example = lines[(start + 1)...].prefix { !$0.isEmpty }.joined(separator: "\n")
        // The server would otherwise run until it is stopped.
        let outcome = try shell.run(
            """
            mkdir example; cd example
            \(example) > address & server=$!
            for i in {1..600}; do [ -s address ] || ! kill -0 $server || sleep 0.1; done 2> /dev/null
            cat address; kill -INT $server; wait $server
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertTrue(outcome.text.contains("\nlistening on http://127.0.0.1:"), outcome.text)
    }

    func testVersionMatchesTheCommand() throws {
        let outcome = try shell.run("credkit --version; credkit-server --version")
        let versions = outcome.text.split(separator: "\n")
        XCTAssertEqual(versions.count, 2, outcome.errors)
        XCTAssertEqual(Set(versions).count, 1)
    }

    func testArgumentsInMessagesAreTerminalSafe() throws {
        let outcome = try shell.run("credkit-server --users users $'--no\\e[31m'")
        XCTAssertEqual(outcome.status, 64)
        XCTAssertTrue(outcome.errors.contains("\\033"), outcome.errors)
        XCTAssertFalse(outcome.errors.contains("\u{1B}"), outcome.errors)
    }
}
