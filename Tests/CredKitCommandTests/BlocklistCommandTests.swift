// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

final class BlocklistCommandTests: XCTestCase {
    private static let isDeep = TestForm.isDeep

    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell.remove() }

    private func expect(
        _ script: String,
        _ output: String,
        status: Int32 = 0,
        message: String = "",
        line: UInt = #line
    ) throws {
        let outcome = try shell.run(script)
        XCTAssertEqual(outcome.text, output, "\(script): \(outcome.errors)", line: line)
        XCTAssertEqual(outcome.status, status, "\(script): \(outcome.errors)", line: line)
        if message.isEmpty {
            XCTAssertEqual(outcome.errors, "", script, line: line)
        } else {
            XCTAssertTrue(outcome.errors.contains(message), "\(script): \(outcome.errors)", line: line)
        }
    }

    // MARK: Other tools

    /// Makes a list, and as many words of which a half is on it.
    private func makeLists(_ count: Int) throws {
        _ = try shell.run(
            """
            awk 'BEGIN { srand(7); for (i = 0; i < \(count); i++) print "word " int(rand() * 1e9) "-" i }' > list
            awk 'NR % 2 { print; print $0 "x" }' list > asked; grep -Fxf list asked > expected; test -s expected
            """
        )
    }

    func testAnswersAreThoseOfPwqfilterAndGrep() throws {
        try makeLists(Self.isDeep ? 100_000 : 20_000)
        try expect(
            "credkit blocklist build --output own list",
            "",
            message: "passwords, 0 duplicates; wrong for one in "
        )
        // Each tool reads the other one's filter.
        try expect(
            "pwqfilter -f own < asked | cmp - expected && pwqfilter --status -f own | grep -c 'Hash type MD4'",
            "1\n"
        )
        try expect("pwqfilter --create=120000 -o other < list 2>&1 | grep -c errors.0", "1\n")
        try expect(
            "pwqfilter --create=120000 --optimize-fp-rate -o roomy < list 2>&1 | grep -c errors.0",
            "1\n"
        )
        for option in ["--filter own", "--filter other", "--filter roomy", "--words list"] {
            try expect("credkit blocklist check --lines \(option) < asked | cmp - expected", "")
            try expect(
                "credkit blocklist check --lines \(option) -c < asked > n; wc -l < expected | cmp - n",
                ""
            )
            try expect(
                "credkit blocklist check --lines \(option) -v < asked | grep -cFxf expected",
                "0\n",
                status: 1
            )
        }
        try expect(
            "pwqfilter -f own -n < asked > n; credkit blocklist check --lines -n --filter own < asked | cmp - n",
            ""
        )
    }

    func testHashesGoBothWays() throws {
        try makeLists(Self.isDeep ? 20_000 : 3000)
        _ = try shell.run(
            """
            python3 - <<'END'
            import hashlib
            def digest(word): return hashlib.sha1(word).hexdigest().upper()
            words = open("list", "rb").read().splitlines()
            asked = open("asked", "rb").read().splitlines()
            hashes = sorted(digest(word) for word in words)
            open("hashes", "w").writelines(f"{line}:{number + 1}\\r\\n" for number, line in enumerate(hashes))
            open("asked-hashes", "w").writelines(digest(word) + "\\n" for word in asked)
            known = set(hashes)
            open("expected-hashes", "w").writelines(digest(word) + "\\n" for word in asked if digest(word) in known)
            END
            """
        )
        try expect("credkit blocklist build --pre-hashed --output own hashes", "", message: "0 duplicates")
        try expect("pwqfilter --pre-hashed -f own < asked-hashes | cmp - expected-hashes", "")
        try expect("pwqfilter --create=120000 --pre-hashed -o other < hashes 2>&1 | grep -c errors.0", "1\n")
        for option in ["--hash sha1 --filter own", "--hash sha1 --filter other", "--pwned hashes"] {
            try expect("credkit blocklist check --lines \(option) < asked | cmp - expected", "")
        }
        try expect(
            "credkit blocklist check --lines --filter own < asked",
            "",
            status: 65,
            message: "add --hash sha1"
        )
    }

    // MARK: Building

    func testOutputsAreNewAndPrivate() throws {
        _ = try shell.run("printf 'a\\nb\\nb\\n' > list")
        try expect(
            "umask 0; credkit blocklist build --output new list; stat -c %a new",
            "600\n",
            message: "2 passwords, 1 duplicate"
        )
        try expect("credkit blocklist build --output new list", "", status: 73, message: "not overwritten")
        try expect("credkit blocklist build --output no/new list", "", status: 73, message: "No such file")
        try expect("credkit blocklist build --output x missing", "", status: 74, message: "missing")
        try expect("credkit blocklist build --output x - < list", "", status: 65, message: "--capacity")
        try expect("credkit blocklist build --output x --capacity 16 - < list", "", message: "2 passwords")
        try expect(
            "seq 100 | credkit blocklist build --output y --capacity 16 -",
            "",
            status: 65,
            message: "higher capacity"
        )
        try expect(
            "credkit blocklist build --pre-hashed --output y list",
            "",
            status: 65,
            message: "line 1 is not a sha1 hash"
        )
        try expect(
            "head -c 9000 /dev/zero | tr '\\0' a > long; credkit blocklist build --output y long",
            "",
            status: 65,
            message: "line 1 "
        )
        try expect(
            "trap '' XFSZ; ulimit -f 8; credkit blocklist build --output y --capacity 100000 list",
            "",
            status: 74,
            message: "File too large"
        )
        try expect(
            "ulimit -v 8000000; credkit blocklist build --output y --capacity 16000000000 list",
            "",
            status: 75,
            message: "not enough memory for a filter of "
        )
        try expect("ls", "bin\nlist\nlong\nnew\nx\n")
        try expect(
            "credkit blocklist build --json --output z list 2> errors",
            #"{"byteCount":336,"capacity":68,"duplicates":1,"falsePositiveRate":6.377659838150026e-21,"passwords":2}"#
                + "\n"
        )
        try expect(
            "cat errors",
            "credkit: 2 passwords, 1 duplicates; wrong for fewer than one in 10^15 others\n"
        )
    }

    // MARK: Checking

    func testOnePasswordGetsReasons() throws {
        _ = try shell.run("printf 'password\\ncorrect horse battery\\n' > list")
        let check = "credkit blocklist check --words list"
        try expect("printf 'correct horse battery staple' | \(check)", "acceptable\n")
        try expect("printf 'correct horse battery' | \(check) -q", "", status: 1)
        try expect(
            "echo password | \(check)",
            "the password is shorter than 15 characters\nthe password is on a list of common or leaked passwords: list\n",
            status: 1
        )
        try expect("echo password1 | \(check) --lists-only", "acceptable\n")
        try expect("echo password1 | \(check) --second-factor", "acceptable\n")
        try expect(
            "echo alice.2024.alice | \(check) --user-name alice",
            "the password contains the user name and little else\n",
            status: 1
        )
        try expect(
            "echo password | \(check) --json --second-factor",
            #"{"acceptable":false,"reasons":[{"list":"list","message":"the password is on a list of common or leaked passwords","reason":"onBlocklist"}]}"#
                + "\n",
            status: 1
        )
        try expect("echo password | \(check) --password-file - --lists-only -q", "", status: 1)
        for name in ["--user-name password", "--service-name password"] {
            try expect("echo x | \(check) --lists-only \(name)", "", status: 64, message: "--lists-only")
        }
        try expect("\(check) hunter2", "", status: 64, message: "never given on the command line")
        // Several lines would be one long password.
        try expect(
            "printf 'password\\nqwerty\\n' | \(check)",
            "",
            status: 65,
            message: "2 lines: --lines checks each"
        )
        try expect("printf 'password\\nqwerty\\n' | \(check) --raw", "acceptable\n")
    }

    func testHashesAreNoPasswords() throws {
        _ = try shell.run(
            """
            printf password | sha1sum | cut -c -40 | tr a-z A-Z | sed s/$/:1/ > hashes
            printf 'deadbeef\n' > words
            """
        )
        let check = "printf password | credkit blocklist check --lists-only"
        try expect("\(check) --words hashes", "", status: 65, message: "give it with --pwned")
        try expect("\(check) --pwned hashes -q", "", status: 1)
        try expect("\(check) --words words", "acceptable\n")
    }

    func testCommonPasswordsAreRejectedWithoutAList() throws {
        _ = try shell.run("printf 'PassWord\\nother\\nqwerty\\nmy9ine\\n' > asked; echo my9ine > list")
        let check = "credkit blocklist check --second-factor"
        let listed = "the password is on a list of common or leaked passwords: common\n"
        try expect("echo PassWord | \(check)", listed, status: 1)
        try expect("echo 'qwerty and a fish' | \(check)", "acceptable\n")
        try expect("echo password | \(check) --words list", "acceptable\n")
        try expect("echo password | \(check) --words list --list common", listed, status: 1)
        try expect("credkit blocklist check --lines < asked", "PassWord\nqwerty\n")
        try expect("credkit blocklist check --lines --words list < asked", "my9ine\n")
        try expect("credkit blocklist check --lines --words list --list common -c < asked", "3\n")
        try expect("echo x | \(check) --list klingon", "", status: 64, message: "'common'")
    }

    /// Passwords that other requirements reject before.
    func testListsAreAskedInAnyCase() throws {
        _ = try shell.run(
            """
            printf 'tab\\there\n' > list; printf 'b%.0s' $(seq 2000) >> list; echo >> list
            printf 'b%.0s' $(seq 20000) > longest; echo >> longest
            """
        )
        let check = "credkit blocklist check --lists-only --words list"
        let listed = "the password is on a list of common or leaked passwords: list\n"
        try expect("sed -n 2p list | \(check)", listed, status: 1)
        try expect("sed -n 1p list | \(check)", listed, status: 1)
        let outcome = try shell.run("sed -n 1p list | \(check) --normalize")
        XCTAssertEqual(outcome.status, 1)
        XCTAssertTrue(outcome.text.hasPrefix("the password ") && outcome.text.hasSuffix(listed), outcome.text)
        XCTAssertEqual(outcome.text.split(separator: "\n").count, 2, outcome.text)
        // Not on the list, but never to be hashed either.
        let other = try shell.run("printf 'other\\there' | \(check) --normalize")
        XCTAssertEqual(other.status, 1)
        XCTAssertTrue(other.text.hasPrefix("the password "), other.text)
        try expect("printf x | \(check)", "acceptable\n")
    }

    func testManyPasswordsAreAnsweredAsGrepDoes() throws {
        _ = try shell.run("printf 'one\\ntwo\\n' > list; printf 'two\\nthree\\none' > asked")
        let check = "credkit blocklist check --lines --words list"
        try expect("\(check) < asked", "two\none\n")
        try expect("\(check) -n < asked", "1:two\n3:one\n")
        try expect("\(check) -v < asked", "three\n")
        try expect("\(check) -c < asked", "2\n")
        try expect("\(check) -q < asked", "")
        try expect("echo three | \(check)", "", status: 1)
        try expect("echo three | \(check) -c", "0\n", status: 1)
        try expect(
            "\(check) --json < asked",
            "{\"line\":1,\"password\":\"two\"}\n{\"line\":3,\"password\":\"one\"}\n"
        )
        try expect("\(check) --json -c < asked", "{\"count\":2}\n")
        try expect("\(check) --password-fd 3 < asked", "", status: 64, message: "--lines reads")
        try expect("credkit blocklist check -c < asked", "", status: 64, message: "need --lines")
    }

    /// A carriage return at the end of a line is a part of the password or of the line ending: pwqfilter prints it, too.
    func testCarriageReturnsAreKeptAndFound() throws {
        _ = try shell.run(
            """
            printf 'one\r\ntwo\n' > list; printf 'two\r\nthree\r\none\nt\r\rone' > asked
            credkit blocklist build --output filter list 2> built
            printf 'kept\r' | sha1sum | cut -c -40 | tr a-z A-Z | sed s/$/:1/ > hashes
            """
        )
        for list in ["--words list", "--filter filter"] {
            try expect(
                "credkit blocklist check --lines \(list) < asked | od -An -c",
                "   t   w   o  \\r  \\n   o   n   e  \\n\n"
            )
        }
        try expect(
            "pwqfilter -f filter < asked | cmp - <(credkit blocklist check --lines --filter filter < asked)",
            ""
        )
        try expect(
            "printf 'kept\r\nkept\n' | credkit blocklist check --lines -n --pwned hashes",
            "1:kept\r\n"
        )
        // As one password, which is hashed with it.
        try expect(
            "printf 'kept\r\n' | credkit blocklist check --lists-only --pwned hashes -q",
            "",
            status: 1
        )
        try expect("printf 'kept\n' | credkit blocklist check --lists-only --pwned hashes -q", "")
    }

    func testListsThatCannotAnswerAreErrors() throws {
        _ = try shell.run("mkdir ranges; mkfifo pipe; printf 'PWQ0' > short")
        for (option, status) in [
            ("--filter missing", 74), ("--filter pipe", 74), ("--filter short", 65), ("--words ranges", 74),
            ("--pwned ranges", 74), ("--pwned short", 65), ("--filter -", 64),
            ("--hash md6 --filter short", 64),
        ] {
            let outcome = try shell.run(
                "printf password | timeout 20 credkit blocklist check --lists-only \(option)"
            )
            XCTAssertEqual(outcome.status, Int32(status), "\(option): \(outcome.errors)")
            XCTAssertEqual(outcome.text, "", option)
        }
    }
}
