// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit request`, against a server that does not use CredKit.
final class RequestCommandTests: ShellTestCase {
    private var server: LoginServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try LoginServer(shell)
        prefix = "U=http://127.0.0.1:\(server.port); "
    }

    override func tearDown() {
        server.stop()
        super.tearDown()
    }

    private func logIn() throws {
        try run("printf 123456 | credkit login $U --user alice --key-phrase itheima")
    }

    func testBodyIsPrintedByteForByteForAnyStatus() throws {
        XCTAssertEqual(
            try run("credkit request $U/bytes").output,
            Data([0, 0x1B, 0x5B, 0x33, 0x31, 0x6D, 0xFF, 10])
        )
        let broken = try run("credkit request $U/broken", 1)
        XCTAssertEqual(broken.text, "broken\n")
        XCTAssertEqual(broken.errors, "credkit: the server answered with status 500 Internal Server Error\n")
        try run("credkit request $U/nowhere", 1)
        try run("credkit request $U/bytes >/dev/full", 74)
    }

    func testResponseHeadIsPrintedByteForByteIntoAPipe() throws {
        let text = try run("credkit request -i $U/echo").text
        XCTAssertTrue(text.hasPrefix("HTTP 200 OK\n"), text)
        XCTAssertTrue(text.contains("\n\n{"), text)
        // A control character of ISO 8859-1, and one that reverses the text direction.
        let evil = try run("credkit request -i $U/headers").output
        let line = Data("\nX-Evil: ".utf8) + [0x9B] + Data("31mred\u{202E}\n".utf8)
        XCTAssertNotNil(evil.range(of: line), String(decoding: evil, as: UTF8.self))
    }

    func testLineBreakInAHeaderIsRefused() throws {
        try run(
            "printf 'X-One: 1\\rX-Admin: 1\\n' > cr; printf 'X-One: 1\\0\\n' > nul; printf 'X-One: 1\\r\\n\\r\\nX-Two: 2' > two"
        )
        for header in [
            "$'X-Name: a\\nX-Admin: 1'", "$'X-Name: a\\rX-Admin: 1'", "$'X-Name: a\\r\\nX-Admin: 1'",
            "$'X-Name: a\\n'",
            "$'X-Name\\r: a'", "$'User-Agent: a\\rX-Admin: 1'", "$'Cookie: a=b\\nX-Admin: 1'",
            "$'X-Name: a\\n b'", "@cr",
            "@nul",
        ] {
            let outcome = try run("credkit request $U/echo -H \(header)", 64)
            XCTAssertTrue(outcome.errors.contains("must not contain a line feed"), outcome.errors)
        }
        for arguments in [
            "$U/echo -X $'GET\\r\\nX: 1'", "$U/echo -X $'GET / HTTP/1.1\\r\\nX:'", "$U/$'\\r\\nX: 1'",
            "$U/$'?a\\n'",
            "$U/$'#\\r\\nX: 1'", "$U$'\\r\\n'/", "connect $U/", "$U/ -x $'http://a\\r\\nX:@127.0.0.1:1'",
            "$U/ -x $'http://127.0.0.1:1\\r\\n'", "$U/ -x http://a%0d%0aX@127.0.0.1:1 --allow-insecure-http",
        ] { try run("credkit request \(arguments)", 64) }
        XCTAssertEqual(server.log, "", "something was sent")
        let sent = try run(
            "credkit request $U/echo -H @two | jq -r '.headers | [.[\"x-one\"], .[\"x-two\"], length] | @csv'"
        )
        XCTAssertEqual(sent.text, "\"1\",\"2\",4\n")
        let blanks = try run("credkit request $U/echo -H $'X-One: \\t1 \\t' | jq -r '.headers[\"x-one\"]'")
        XCTAssertEqual(blanks.text, "1\n")
    }

    func testMethodHeadersAndBodyAreSentUnchanged() throws {
        try run("printf 'X-One: 1\\r\\nAuthorization: Bearer s3cret\\n' > headers; printf 'a=b&c\\0' > data")
        let echo =
            "| jq -r '[.method, .headers[\"content-type\"], .body, .headers[\"x-one\"], .headers.authorization] | @csv'"
        for (arguments, line) in [
            ("$U/echo", #""GET",,"",,"#),
            ("DELETE $U/echo", #""DELETE",,"",,"#),
            ("$U/echo --data a=b", #""POST","application/x-www-form-urlencoded","YT1i",,"#),
            ("PUT $U/echo -d @data -H 'content-type: text/x'", #""PUT","text/x","YT1iJmMA",,"#),
            (
                "$U/echo -d @- -H @headers < data",
                #""POST","application/x-www-form-urlencoded","YT1iJmMA","1","Bearer s3cret""#
            ),
            ("$U/echo -H @- < headers", #""GET",,"","1","Bearer s3cret""#),
            ("$U/echo -d '' -H X-One:2", #""POST","application/x-www-form-urlencoded","","2","#),
            ("$U/echo -d --x", #""POST","application/x-www-form-urlencoded","LS14",,"#),
        ] { XCTAssertEqual(try run("credkit request \(arguments) \(echo)").text, line + "\n", arguments) }
    }

    func testRequestErrorsDoNotShowSecrets() throws {
        try run("printf 'Authorization Bearer s3cret\\n' > bad; printf 'X: s3\\0cret\\n' > nul")
        for arguments in [
            "", "$U/ -H 'Authorization Bearer s3cret'", "$U/ -H @bad", "$U/ -H @nul", "$U/ -H 'Host: s3cret'",
            "$U/ -H 'Content-Length: 3'", "http://u:s3cret@127.0.0.1/", "GET $U/ s3cret", "'G ET' $U/",
            "ftp://x/",
            "$U/ -H @- -d @-", "$U/ -d @- --passphrase-fd 0", "$U/ --session x --anonymous", "PUT $U/ -X PUT",
            "$U/ -d a --json b",
            "$U/ --timeout never", "CONNECT $U/", "$U/$'\\xff'",
        ] {
            let outcome = try run("credkit request \(arguments) < /dev/null", 64)
            XCTAssertFalse(outcome.errors.contains("s3cret"), outcome.errors)
        }
        try run("credkit request $U/echo -d @missing", 74)
        try run("credkit request $U/echo -d @/dev/zero", 65)
        XCTAssertEqual(server.log, "")
    }

    func testBodyIsWrittenToANewPrivateFile() throws {
        try run(
            "umask 0; credkit request -o body $U/bytes; credkit request $U/bytes | cmp - body; stat -c %a body"
        )
        try run("[ $(stat -c %a body) = 600 ]; credkit request $U/echo --output nowhere/body", 73)
        XCTAssertEqual(server.count("GET /echo"), 0)
    }

    func testCookiesWithoutALoginLastForOneRequest() throws {
        // The command neither creates a vault nor asks for one.
        let plain = "env -u CREDKIT_PASSPHRASE credkit request"
        let text = try run("\(plain) $U/cookie | jq -r .headers.cookie").text
        XCTAssertEqual(text, "seen=1\n")
        XCTAssertEqual(try run("\(plain) $U/echo | jq -r .headers.cookie").text, "null\n")
        try run("test ! -e bin/home/.local")
        try logIn()
        XCTAssertEqual(try run("\(plain) $U/echo --anonymous | jq -r .headers.cookie").text, "null\n")
        try run("setsid --wait \(plain) $U/echo --no-prompt", 77)
    }

    func testSessionCookiesPersistAndAreSentToTheirServerOnly() throws {
        try logIn()
        try run("credkit request $U/cookie")
        let cookies = try run("credkit request $U/echo | jq -r .headers.cookie").text
        XCTAssertTrue(cookies.contains("seen=1") && cookies.contains("session="), cookies)
        let other = try LoginServer(shell)
        defer { other.stop() }
        let target = "http://127.0.0.1:\(other.port)/echo"
        for url in ["$U/redirect?to=\(target)", target] {
            let text = try run("credkit request \(url) --session $U -H 'X-Mine: 1'").text
            XCTAssertFalse(text.contains("session=") || text.contains("x-auth-token"), text)
        }
    }

    func testCtrlCKeepsReceivedData() throws {
        try logIn()
        // bash starts background commands with SIGINT ignored, so python3 starts this one.
        let script = """
            import os, signal, subprocess, sys, time
            child = subprocess.Popen(["credkit", "request", sys.argv[1] + "/slow"],
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            end = time.monotonic() + 60
            while "SENT /slow" not in open(sys.argv[2]).read() and time.monotonic() < end: time.sleep(0.05)
            # Many short sleeps: a single long one could pass entirely while the machine stalls.
            for _ in range(20): time.sleep(0.05)
            child.send_signal(signal.SIGINT)
            print(child.wait(timeout=20))
            """
        try Data(script.utf8).write(to: shell.folder.appendingPathComponent("interrupt.py"))
        let outcome = try run("python3 interrupt.py $U '\(server.logFile.path)'")
        XCTAssertEqual(outcome.text, "-2\n", outcome.errors)
        XCTAssertEqual(outcome.errors, "")
        let cookies = try run("credkit request $U/echo | jq -r .headers.cookie").text
        XCTAssertTrue(cookies.contains("late=kept"), cookies)
    }

    func testSilentServerTimesOut() throws {
        let start = Date()
        let outcome = try run("credkit request $U/slow --timeout 1s", 69)
        XCTAssertTrue(
            outcome.errors.contains("timed out"),
            outcome.errors
        )
        XCTAssertLessThan(Date().timeIntervalSince(start), 20)
    }

    // MARK: The cache, and two servers

    func testResponsesAreStoredWithASessionUntilTheLogout() throws {
        try logIn()
        let page = "credkit request -i $U/page"
        for (options, status, count) in [
            ("", "CredKit; fwd=miss", 1), ("", "CredKit; hit", 1),
            ("--cache only-if-cached", "CredKit; hit", 1),
            ("--cache revalidate", "CredKit; fwd=stale; fwd-status=304", 2),
            ("--cache reload", "CredKit; fwd=miss", 3),
        ] {
            let text = try run("\(page) \(options)").text
            XCTAssertTrue(text.contains("\nCache-Status: \(status)\n"), "\(options): \(text)")
            XCTAssertTrue(text.hasSuffix("\n\npage of alice\n"), text)
            XCTAssertEqual(server.count("GET /page"), count, options)
        }
        XCTAssertTrue(try run(page).text.contains("\nAge: "))
        XCTAssertFalse(try run("\(page) --cache no-store").text.contains("Cache-Status"))
        XCTAssertEqual(server.count("GET /page"), 4)
        let files = "find $HOME/.cache/credkit/responses -type f"
        XCTAssertEqual(try run("\(files) | wc -l").text, "1\n")
        try run("\(files) -print0 | xargs -0 grep -aE 'alice|page|127.0.0.1|max-age'", 123)
        XCTAssertEqual(
            try run("credkit logout --session $U; ls $HOME/.cache/credkit/responses | wc -l").text,
            "0\n"
        )
    }

    /// A request in the background would end with the process.
    func testStaleResponseIsRevalidatedBeforeItIsPrinted() throws {
        try logIn()
        let page = "credkit request -i \"$U/page?control=max-age%3D0,stale-while-revalidate%3D60\""
        let validated = "CredKit; fwd=stale; fwd-status=304"
        for (options, status, count) in [
            ("", "CredKit; fwd=miss", 1), ("", validated, 2), ("", validated, 3),
            ("--cache default", validated, 4), ("--cache revalidate", validated, 5),
            ("--cache only-if-cached", "CredKit; hit; detail=stale", 5),
            ("--cache reload", "CredKit; fwd=miss", 6),
        ] {
            let text = try run("\(page) \(options)").text
            XCTAssertTrue(text.contains("\nCache-Status: \(status)\n"), "\(options): \(text)")
            XCTAssertTrue(text.hasSuffix("\n\npage of alice\n"), text)
            XCTAssertEqual(server.count("GET /page"), count, options)
        }
    }

    /// nginx as a cache gives the same answers: for changed bodies, errors, other lifetimes, `Vary`, HEAD, pages, files, a server
    /// that is down.
    func testStaleResponsesAreAnsweredAsByNginx() throws {
        let short = ["changed body", "503, stale-if-error", "down", "must-revalidate", "Vary, --cache"]
        let names = TestForm.isDeep ? "" : short.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try run("python3 '\(TestScripts.path("stale_responses.py"))' \(names)")
        XCTAssertEqual(outcome.text, "\(TestForm.isDeep ? 30 : short.count) scenarios\n", outcome.errors)
    }

    func testWithoutASessionNothingIsStored() throws {
        for _ in 0..<2 { try run("credkit request $U/page") }
        XCTAssertEqual(server.count("GET /page"), 2)
        let outcome = try run("credkit request $U/page --cache only-if-cached", 1)
        XCTAssertTrue(outcome.errors.contains("there is no stored response"), outcome.errors)
        XCTAssertEqual(server.count("GET /page"), 2)
        try run("ls $HOME/.cache/credkit", 2)
        try run("credkit request $U/page --cache sometimes", 64)
    }

    func testLoginAtAnotherServerMustBeNamed() throws {
        let login = try LoginServer(shell)
        defer { login.stop() }
        let other = "http://127.0.0.1:\(login.port)"
        try run(#"printf '{"scheme": "form", "server": "\#(other)"}' > profile"#)
        let command = "printf 123456 | credkit login $U --user alice --profile profile"
        let refused = try run(command, 64)
        XCTAssertTrue(refused.errors.contains("--credential-origin \(other)"), refused.errors)
        XCTAssertEqual(login.log, "")
        try run("\(command) --credential-origin \(other)")
        XCTAssertEqual(login.count("POST /login.php"), 1)
        XCTAssertEqual(server.log, "")
        // What the login server gave out goes to the data server.
        let echo = try run("credkit request $U/echo").text
        for secret in login.secrets { XCTAssertTrue(echo.contains(secret), echo) }
        XCTAssertEqual(login.secrets.count, 2)
        try run("credkit logout --session $U")
        XCTAssertEqual(login.count("POST /logout.php"), 1)
    }
}
