// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `-o FILE` of `base64` and `request`: a file has its previous content or all of the new one.
final class OutputFileTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell.remove() }

    private func expect(_ script: String, _ output: String, _ status: Int32 = 0, line: UInt = #line) throws {
        let outcome = try shell.run(script)
        XCTAssertEqual(outcome.text, output, "\(script): \(outcome.errors)", line: line)
        XCTAssertEqual(outcome.status, status, "\(script): \(outcome.errors)", line: line)
    }

    func testOutputIsCreatedAndReplaced() throws {
        try expect(
            "umask 022; printf hello | credkit base64 -o out; cat out; stat -c %a out",
            "aGVsbG8=\n644\n"
        )
        try expect("chmod 640 out; credkit base64 -D -o out out; cat out; stat -c ' %a' out", "hello 640\n")
        try expect("printf aGVsbG8= | credkit base64 -Dw0 --output=-", "hello")
        // A link stays a link, a device a device.
        try expect("ln -s out link; printf x | credkit base64 -o link; cat out; readlink link", "eA==\nout\n")
        try expect(
            "printf x | credkit base64 -o /dev/stdout; printf x | credkit base64 -o /dev/null",
            "eA==\n"
        )
        try expect("mkfifo pipe; cat pipe & printf x | credkit base64 -o pipe; wait", "eA==\n")
        try expect("ls -A | grep -c credkit-; :", "0\n")
    }

    func testFailureLeavesThePreviousContent() throws {
        try expect(
            "echo before > out; printf 'aGVsbG8!' | credkit base64 -d -o out; echo $?; cat out",
            "1\nbefore\n"
        )
        try expect("credkit base64 -o out missing; echo $?; cat out", "1\nbefore\n")
        try expect("credkit base64 -o nowhere/out out", "", 73)
        try expect("mkdir folder; credkit base64 -o folder out", "", 73)
        try expect("chmod 400 out; $UNPRIVILEGED credkit base64 -o out out; echo $?; cat out", "73\nbefore\n")
        try expect(
            "(ulimit -f 1; trap '' XFSZ; credkit base64 -o out /bin/ls); echo $?; cat out",
            "1\nbefore\n"
        )
        try expect("ls -A | grep -c credkit-; :", "0\n")
    }

    func testKillWhileWritingLeavesThePreviousContent() throws {
        // The writer has read a first part, and waits for the rest.
        try expect(
            """
            echo before > out; mkfifo pipe; exec 3<>pipe
            credkit base64 -o out pipe & child=$!
            head -c 1000000 /dev/zero >&3
            kill -9 $child; wait $child 2>/dev/null; cat out; ls -A | grep -c credkit-
            """,
            "before\n0\n",
            1
        )
    }

    func testRequestOptionsAreThoseOfCurl() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        let echo =
            "| jq -r '[.method, .headers[\"content-type\"], .headers.accept, (.body | @base64d)] | @csv'"
        _ = try shell.run("printf '{\"a\":\\n1}' > body.json")
        for (arguments, line) in [
            ("-X DELETE \(url)/echo", #""DELETE",,"#),
            ("\(url)/echo -X PUT -d a=1 -d b=2", #""PUT","application/x-www-form-urlencoded""#),
            ("--request POST \(url)/echo", #""POST",,"#),
            ("\(url)/echo --json '{}'", #""POST","application/json","application/json","{}""#),
            ("\(url)/echo --json '{' --json '}'", #""POST","application/json","application/json","{}""#),
            ("\(url)/echo --json @body.json -H 'Accept: text/x'", #""POST","application/json","text/x""#),
        ] {
            let outcome = try shell.run("credkit request \(arguments) \(echo)")
            XCTAssertTrue(outcome.text.hasPrefix(line), "\(arguments): \(outcome.text)\(outcome.errors)")
        }
        try expect("credkit request \(url)/echo -d a=1 -d b=2 | jq -r '.body | @base64d'", "a=1&b=2\n")
        try expect("credkit request -f \(url)/broken", "", 1)
        try expect("echo before > out; credkit request -f -o out \(url)/broken; cat out", "before\n")
        try expect("credkit request -o out \(url)/broken; echo $?; cat out", "1\nbroken\n")
        try expect("credkit request -i -o out \(url)/bytes; head -n 1 out", "HTTP 200 OK\n")
        try expect("credkit request -o - \(url)/broken 2>&1 >/dev/null | grep -c 'status 500'", "1\n")
    }
}
