// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

final class HashCommandTests: XCTestCase {
    private var shell: Shell?

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell?.remove() }

    private func run(_ script: String) throws -> Shell.Outcome {
        try XCTUnwrap(shell).run(script)
    }

    /// Expects a line of output, status 0 and no message.
    private func expect(
        _ script: String,
        _ line: String,
        file: StaticString = #filePath,
        at position: UInt = #line
    ) throws {
        let outcome = try run(script)
        XCTAssertEqual(outcome.text, line + "\n", "\(script): \(outcome.errors)", file: file, line: position)
        XCTAssertEqual(outcome.status, 0, script, file: file, line: position)
        XCTAssertEqual(outcome.errors, "", script, file: file, line: position)
    }

    /// Expects a status, no standard output, and a message that contains a text.
    private func expectFailure(
        _ script: String,
        _ status: Int32,
        _ message: String,
        file: StaticString = #filePath,
        at position: UInt = #line
    ) throws {
        let outcome = try run(script)
        XCTAssertEqual(outcome.status, status, "\(script): \(outcome.errors)", file: file, line: position)
        XCTAssertEqual(outcome.text, "", script, file: file, line: position)
        XCTAssertTrue(
            outcome.errors.contains(message),
            "\(script): \(outcome.errors)",
            file: file,
            line: position
        )
    }

    private let proof = "9a51cf7b4bb312ed632030677c8faf73"
    private let equivalent = "e29fad51e98d32fd75c0a5ca8ab8aeb8"

    func testTimestampedPasswords() throws {
        let command = "credkit hash legacy timestamp --key-phrase itheima"
        try expect("printf 123456 | \(command) --at '2026-01-02 03:04'", proof)
        try expect("echo 123456 | \(command) --at '2026-01-02 03:04'", proof)
        try expect("printf 123456 | \(command) --password-equivalent", equivalent)
        try expect(
            "echo itheima > key; printf 123456 | credkit hash legacy timestamp --key-phrase-file key --password-equivalent",
            equivalent
        )
        try expect(
            "printf 123456 | credkit hash legacy timestamp --key-phrase-fd 3 --password-equivalent 3< <(printf itheima)",
            equivalent
        )
        try expect(
            "printf 123456 | \(command) --at '2026-01-02 03:04' --json",
            #"{"minute":"2026-01-02 03:04","proof":"\#(proof)"}"#
        )
        try expect(
            "printf 123456 | \(command) --password-equivalent --json",
            #"{"passwordEquivalent":"\#(equivalent)"}"#
        )
    }

    func testMinuteOfThisClockInAnyTimeZone() throws {
        for zone in ["Asia/Shanghai", "America/St_Johns", "Asia/Kathmandu", "UTC", "Pacific/Kiritimati"] {
            // Two tries, in case a minute ends in between.
            let script = """
                for i in 1 2; do
                    at=$(TZ=\(zone) date '+%Y-%m-%d %H:%M')
                    now=$(printf 123456 | TZ=America/New_York LC_ALL=C credkit hash legacy timestamp --key-phrase k --now --time-zone \(zone))
                    [ "$now" = "$(printf 123456 | credkit hash legacy timestamp --key-phrase k --at "$at")" ] && exit 0
                done
                exit 1
                """
            XCTAssertEqual(try run(script).status, 0, zone)
        }
        let local = """
            for i in 1 2; do
                at=$(TZ=Asia/Tokyo date '+%Y-%m-%d %H:%M')
                now=$(printf 123456 | TZ=Asia/Tokyo credkit hash legacy timestamp --key-phrase k --now)
                [ "$now" = "$(printf 123456 | credkit hash legacy timestamp --key-phrase k --at "$at")" ] && exit 0
            done
            exit 1
            """
        XCTAssertEqual(try run(local).status, 0)
    }

    func testHMACsMatchOpenSSL() throws {
        try expect("printf hashcat | credkit hash hmac-md5 --key 84143", "7f51edecfa6fb401a0b5e63d33fc8c0e")
        for name in ["md5", "sha256", "sha512"] {
            let outcome = try run(
                """
                head -c 100000 /dev/urandom > f; head -c 200 /dev/urandom > k
                hex=$(od -An -tx1 -v k | tr -d ' \\n')
                [ "$(credkit hash hmac-\(name) --key-file k f f)" = "$(for i in 1 2; do openssl dgst -\(name) -mac HMAC \
                    -macopt hexkey:$hex -r f | cut -d ' ' -f 1; done)" ] && credkit hash hmac-\(name) --key-fd 3 3< k < f
                """
            )
            XCTAssertEqual(outcome.status, 0, name)
        }
        try expect(
            "printf hashcat > f; credkit hash hmac-md5 --key 84143 --json f",
            #"{"algorithm":"HMAC-MD5","code":"7f51edecfa6fb401a0b5e63d33fc8c0e","file":"f"}"#
        )
    }

    func testHMACsInBase64MatchOpenSSL() throws {
        for name in ["md5", "sha256", "sha512"] {
            let outcome = try run(
                """
                for key in a b c d e f g h; do
                    code=$(printf text | openssl dgst -\(name) -hmac $key -binary | base64 -w 0)
                    url=$(printf %s "$code" | tr +/ -_ | tr -d =)
                    [ "$(printf text | credkit hash hmac-\(name) --key $key --base64)" = "$code" ] || exit 2
                    [ "$(printf text | credkit hash hmac-\(name) --key $key --base64url)" = "$url" ] || exit 3
                    hex=$(printf text | credkit hash hmac-\(name) --key $key)
                    for form in $hex ${hex^^} $code ${code%%=*} $url; do
                        printf text | credkit hash hmac-\(name) --key $key -c "$form" > answer || exit 4
                        [ "$(cat answer)" = "-: OK" ] || exit 5
                    done
                    printf texts | credkit hash hmac-\(name) --key $key --check "$url" > answer
                    [ $? = 1 ] && [ "$(cat answer)" = "-: FAILED" ] || exit 6
                done
                """
            )
            XCTAssertEqual(outcome.status, 0, "\(name): \(outcome.errors)")
            XCTAssertEqual(outcome.errors, "")
        }
    }

    func testHMACIsChecked() throws {
        let code = "7f51edecfa6fb401a0b5e63d33fc8c0e"
        let command = "printf hashcat > f; credkit hash hmac-md5 --key 84143"
        try expect("\(command) --check \(code) f", "f: OK")
        try expect("\(command) --json f -c \(code)", #"{"file":"f","status":"ok"}"#)
        let same = try run("\(command) -q -c \(code) f")
        XCTAssertEqual([same.text, same.errors, "\(same.status)"], ["", "", "0"])
        for index in [0, 15, 31] {
            var digits = Array(code)
            digits[index] = digits[index] == "0" ? "1" : "0"
            let outcome = try run("\(command) f -c \(String(digits))")
            XCTAssertEqual([outcome.text, outcome.errors, "\(outcome.status)"], ["f: FAILED\n", "", "1"])
            let quiet = try run("\(command) -q f -c \(String(digits))")
            XCTAssertEqual([quiet.text, quiet.errors, "\(quiet.status)"], ["", "", "1"])
        }
        // A name is no second result.
        let name = "$'f: OK\\nevil'"
        let check = "credkit hash hmac-md5 --key 84143 -c \(code)"
        try expect("\(command) -q -c \(code) f; mv f \(name); \(check) \(name)", "\\f: OK\\nevil: OK")
        for wrong in [
            "''", "7f51", String(repeating: "g", count: 32), "f1Ht7PpvtAGgteY9M/yMDg===", "x" + code,
            code + code,
        ] {
            try expectFailure("\(command) f --check \(wrong)", 64, "--check takes a code of 16 bytes")
        }
        try expectFailure("\(command) missing --check \(code)", 74, "missing: No such file or directory")
    }

    /// `credkit hash` without a scheme is Argon2id, and takes no file for a password or a password for a file.
    func testHashWithoutASchemeIsArgon2id() throws {
        for (arguments, start) in [
            ("", "$argon2id$v=19$m="), ("--memory 64KiB --passes 1", "$argon2id$v=19$m=64,t=1,p=1$"),
            ("--memory 64KiB --passes 1 --password-file p", "$argon2id$v=19$m=64,t=1,p=1$"),
            ("--memory 64KiB --json", #"{"hash":"$argon2id$v=19$m=64,"#),
        ] {
            let outcome = try run("printf secret > p; printf secret | credkit hash \(arguments) | tee record")
            XCTAssertTrue(outcome.text.hasPrefix(start), "\(arguments): \(outcome.text) \(outcome.errors)")
            XCTAssertEqual(outcome.errors, "")
            guard !arguments.contains("--json") else { continue }
            try expect("printf secret | credkit verify --hash-file record", "match")
        }
        for arguments in ["p", "./p", "-", "p --memory 64KiB", "--memory 64KiB p", "-z p", "-c p"] {
            let outcome = try run("printf secret > p; printf secret | credkit hash \(arguments)")
            XCTAssertEqual(outcome.status, 64, arguments)
            XCTAssertEqual(outcome.text, "", arguments)
        }
        try expectFailure("printf x > p; credkit hash p", 64, "'credkit hash sha256 FILE'")
        XCTAssertTrue(try run("credkit hash --help").text.contains("argon2id (default)"))
    }

    func testKeyFileIsReadWithAllOfItsBytes() throws {
        let outcome = try run(
            "printf 'k\\n' > k; [ $(printf m | credkit hash hmac-md5 --key-file k) = $(printf m | credkit hash hmac-md5 --key $'k\\n') ]"
        )
        XCTAssertEqual(outcome.status, 0)
    }

    func testSaltedMD5() throws {
        try expect(
            "printf secret | credkit hash legacy salted-md5 --salt shop",
            "f433c50293bc7afbe20b67ceb15a1e55"
        )
        try expect(
            "printf secret | credkit hash legacy salted-md5 --salt shop --position prefix",
            "f2168be713eb9429b4d9c3a7c574daac"
        )
        try expect(
            "printf secret | credkit hash legacy salted-md5 --salt shop --rounds 3",
            "7f52ed476fb5a6fdd953dfc87046fe42"
        )
        try expect(
            "printf 'sec\\0ret' | credkit hash legacy salted-md5 --salt ''",
            "4e60a1390bac7d69eabbeaefc90d4044"
        )
        try expect(
            "printf '\\xff' | credkit hash legacy salted-md5 --salt $'\\xfe'",
            "f3b25701fe362ec84616a93a45ce9998"
        )
        try expect(
            "printf secret | credkit hash legacy salted-md5 --salt shop --json",
            #"{"hash":"f433c50293bc7afbe20b67ceb15a1e55","scheme":"salted-md5"}"#
        )
    }

    func testPasswordSources() throws {
        let command = "credkit hash legacy salted-md5 --salt shop"
        let expected = "f433c50293bc7afbe20b67ceb15a1e55"
        try expect("echo secret > p; \(command) --password-file p", expected)
        try expect("echo secret | \(command) --password-file -", expected)
        try expect("\(command) --password-fd 3 3< <(echo secret)", expected)
        try expect("printf 'secret\\n\\n' | \(command)", "cdd68aaa872b67c6dc259dc2660644c7")
        try expect("echo secret | \(command) --raw", "cdd68aaa872b67c6dc259dc2660644c7")
        try expect("head -c 100000 /dev/zero | \(command)", "67283f23178c89593f6bd5ffd632b40c")
    }

    func testSecretSizeLimitIsExact() throws {
        let command = "credkit hash legacy salted-md5 --salt '' --raw"
        try expect("head -c 1048576 /dev/zero | \(command)", "b6d81b360a5672d80c27430f39153e2c")
        for count in [1_048_577, 2_000_000, 4_194_304, 5_000_000] {
            try expectFailure("head -c \(count) /dev/zero | \(command)", 65, "longer than the 1048576 bytes")
        }
    }

    func testInvalidInputHasAMessageAndTheDocumentedStatus() throws {
        let timestamp = "printf x | credkit hash legacy timestamp"
        for (script, message) in [
            ("\(timestamp) --at '2026-01-02 03:04'", "--key-phrase"),
            ("\(timestamp) --key-phrase k", "--at"),
            ("\(timestamp) --key-phrase k --key-phrase-file f --now", "one of --key-phrase"),
            ("\(timestamp) --key-phrase k --now --at '2026-01-02 03:04'", "one of --at"),
            ("\(timestamp) --key-phrase k --at '2026-02-30 03:04'", "yyyy-MM-dd HH:mm"),
            ("\(timestamp) --key-phrase k --at '2026-01-02 03:04' --time-zone UTC", "--time-zone"),
            ("\(timestamp) --key-phrase k --now --time-zone Mars/Olympus", "no time zone 'Mars/Olympus'"),
            ("\(timestamp) --key-phrase k --now --time-zone ../../../etc/passwd", "no time zone"),
            ("\(timestamp) --key-phrase k --now --time-zone ''", "no time zone"),
            ("\(timestamp) --key-phrase-fd 0 --now", "the same input"),
            ("\(timestamp) --key-phrase-file - --now", "the same input"),
            ("\(timestamp) --key-phrase-file /dev/stdin --now", "the same input"),
            ("\(timestamp) --key-phrase-file - --password-file - --now", "the same input"),
            ("\(timestamp) --key-phrase-fd 3 --password-fd 3 --now 3< <(echo x)", "the same input"),
            ("\(timestamp) --key-phrase-fd 3 --password-file /dev/fd/3 --now 3< <(echo x)", "the same input"),
            ("\(timestamp) --key-phrase k --now --time-zone leapseconds", "no time zone"),
            ("\(timestamp) --key-phrase k --now --password-fd=-1", "--password-fd"),
            ("\(timestamp) --key-phrase-fd=-1 --now", "--key-phrase-fd"),
            ("printf x | credkit hash legacy salted-md5", "--salt"),
            ("printf x | credkit hash legacy salted-md5 --salt s --rounds 0", "must be from 1 to"),
            (
                "printf x | credkit hash legacy salted-md5 --salt s --rounds 9223372036854775807",
                "must be from 1 to"
            ),
            (
                "printf x | credkit hash legacy salted-md5 --salt s --password-fd 0 --password-file p",
                "one of --password-fd"
            ),
            ("printf x | credkit hash hmac-md5", "--key"),
            ("printf x | credkit hash hmac-md5 --key-fd 0", "the same input"),
            ("printf x | credkit hash hmac-md5 --key-file -", "the same input"),
            ("printf x | credkit hash hmac-md5 --key-file - p -", "the same input"),
            ("printf x | credkit hash hmac-md5 --key-fd 0 /dev/stdin", "the same input"),
            ("printf x | credkit hash hmac-md5 --key-fd 3 /proc/self/fd/3 3< <(echo x)", "the same input"),
            ("printf x | credkit hash md5 --quiet", "--check"),
            ("printf x | credkit hash md5 -c --tag", "--tag"),
            ("printf x | credkit hash md5 --json --tag", "--json"), ("printf x | credkit base64 -w x", "-w"),
            ("printf x | credkit base64 -w -1", "-w"),
            ("printf x | credkit nothing", "There are hash, verify"),
            ("printf x | credkit hash md5 --nothing", "--nothing"), ("credkit base64 a b", "b"),
        ] {
            try expectFailure(script, 64, message)
        }
        try expectFailure(
            "credkit hash legacy salted-md5 --salt s --password-file missing",
            74,
            "missing: No such file or directory"
        )
        try expectFailure("credkit hash legacy salted-md5 --salt s --password-file /", 74, "Is a directory")
        try expectFailure(
            "credkit hash legacy salted-md5 --salt s --password-fd 9",
            74,
            "--password-fd 9: Bad file descriptor"
        )
        try expectFailure(
            "printf x | credkit hash hmac-md5 --key-file missing",
            74,
            "missing: No such file or directory"
        )
        try expectFailure("credkit hash hmac-md5 --key k missing", 74, "missing: No such file or directory")
        try expectFailure(
            "credkit hash legacy salted-md5 --salt s --password-file /dev/zero",
            65,
            "longer than"
        )
        try expectFailure("printf x | credkit hash legacy salted-md5 --salt s >/dev/full", 74, "write error")
    }

    func testPasswordOnTheCommandLineIsRefusedAndNotRepeated() throws {
        for command in ["legacy salted-md5 --salt s", "legacy timestamp --key-phrase k --now"] {
            let outcome = try run("printf x | credkit hash \(command) hunter2")
            XCTAssertEqual(outcome.status, 64)
            XCTAssertTrue(outcome.errors.contains("never given on the command line"), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
            XCTAssertFalse(try run("credkit hash \(command) --help").text.contains("stray"))
        }
    }

    func testArgumentsInHashMessagesAreTerminalSafe() throws {
        for script in [
            #"credkit hash legacy timestamp --key-phrase k --now --time-zone $'\e[31m\xff'"#,
            #"credkit base64 a $'\n\e[31m'"#,
            #"credkit hash md5 --nothing-$'\e[31m\n'"#, #"credkit $'\x9b31m\e'"#, #"credkit base64 -w $'\e'"#,
        ] {
            let outcome = try run(script)
            XCTAssertEqual(outcome.status, 64, script)
            XCTAssertTrue(
                outcome.errors.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.properties.generalCategory != .control
                },
                outcome.errors
            )
            XCTAssertFalse(outcome.errors.contains("\u{10FFFF}"))
        }
    }

    func testCheckedTimeZoneIsTheOneUsed() throws {
        let command =
            "credkit hash legacy timestamp --key-phrase k --now --time-zone Asia/Tokyo --json --password-file /dev/null"
        // Two tries, in case a minute ends in between.
        let outcome = try run(
            "for i in 1 2; do [ \"$(\(command))\" = \"$(TZDIR=/nowhere \(command))\" ] && exit 0; done; exit 1"
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    func testTenThousandArgumentsParseInLinearTime() throws {
        // A parser with quadratic time needs minutes for this in a debug build.
        let outcome = try run(
            "printf a > a; timeout 30 credkit hash md5 -- $(yes a | head -n 10000) | sort -u"
        )
        XCTAssertEqual(outcome.text, "0cc175b9c0f1b6a831c399e269772661  a\n")
    }

    func testHelpReportsWriteErrors() throws {
        try expectFailure("credkit --help >/dev/full", 74, "write error")
    }

    func testCrashPrintsNothing() throws {
        // The runtime would print its crash report to standard error; 139 means SIGSEGV.
        let outcome = try run(
            """
            ulimit -c unlimited; export SWIFT_BACKTRACE=enable=yes; mkfifo fifo; credkit hash md5 fifo & child=$!
            # Opening the pipe succeeds once the command has opened it; the command reads until this shell exits.
            timeout 60 bash -c '
                exec 3> fifo; grep -c "Max core file size *0 " /proc/$0/limits; kill -SEGV $0
            ' $child || kill -KILL $child
            wait $child; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "1\n139\n")
        XCTAssertFalse(outcome.errors.contains("Thread 0"), outcome.errors)
    }

    func testUnreadableFileDoesNotStopTheOthers() throws {
        let outcome = try run("printf a > f; credkit hash hmac-md5 --key k f missing f")
        XCTAssertEqual(outcome.text.split(separator: "\n").count, 2)
        XCTAssertEqual(outcome.status, 74)
    }

    func testClosedStandardInputIsNotMistakenForAnotherFile() throws {
        // Otherwise the list would get descriptor 0, and "-" in it would read the list itself.
        let outcome = try run("printf '%032d  -\\n' 0 > list; credkit hash md5 -c list <&-")
        XCTAssertEqual(outcome.text, "-: FAILED open or read\n")
        XCTAssertTrue(outcome.errors.hasPrefix("credkit: -: Bad file descriptor\n"), outcome.errors)
    }

    func testChecksumsAsJSON() throws {
        try expect(
            #"printf abc > $'a "b"\n'; credkit hash md5 --json $'a "b"\n'"#,
            #"{"algorithm":"MD5","digest":"900150983cd24fb0d6963f7d28e17f72","file":"a \"b\"\n"}"#
        )
        let outcome = try run(
            "printf abc > a; { md5sum a; printf '%032d  a\\n%032d  gone\\n' 0 0; } | credkit hash md5 -c --json"
        )
        XCTAssertEqual(
            outcome.text,
            """
            {"file":"a","status":"ok"}
            {"file":"a","status":"failed"}
            {"file":"gone","status":"unreadable"}

            """
        )
        XCTAssertEqual(outcome.status, 1)
    }

    func testURLAlphabetAndPadding() throws {
        try expect("printf '\\xfb\\xff' | credkit base64 --url", "-_8=")
        try expect("printf '\\xfb\\xff' | credkit base64 --url --no-padding", "-_8")
        try expect("printf 'aGVsbG8K' | credkit base64 -d --url", "hello")
        try expect("printf 'aGkK' | credkit base64 -d --no-padding", "hi")
        try expect("printf 'aGVsbG8hCg' | credkit base64 -d --no-padding", "hello!")
        let outcome = try run("printf '+/8=' | credkit base64 -d --url")
        XCTAssertEqual(outcome.status, 1)
        XCTAssertEqual(outcome.errors, "credkit: invalid input\n")
    }

    func testHelpExamplesWorkAsPrinted() throws {
        // The inputs of the examples.
        _ = try run(
            """
            printf 'alice:$1$abc$iCQ2D3nhptRYi27fDYv2s1\\n' > htpasswd
            printf 'alice:5ebe2294ecd0e0f08eab7690d2a6ee69\\n' > users; printf 'password\\nletmein\\n' > common.txt
            printf '%032d' 0 > signing.key; printf 'GET /list?id=7 HTTP/1.1\\nHost: example.com\\n\\n' > request.http
            credkit sign --with hmac-sha256:k1=signing.key request.http > signed.http
            printf '{"id": 7}' > body.json; printf secret > webhook.secret
            { printf 'POST /hook HTTP/1.1\\nHost: example.com\\n'
              credkit sign webhook github --key-file webhook.secret body.json; echo; cat body.json; } > hook.http
            for name in md5 sha1 sha256 sha384 sha512; do ${name}sum users > ${name^^}SUMS; done
            printf 'name,password,salt\\nalice,f433c50293bc7afbe20b67ceb15a1e55,shop\\n' > users.csv
            { printf password | sha1sum | cut -c1-40; printf letmein | sha1sum | cut -c1-40; } | sort > pwned-passwords-sha1.txt
            """
        )
        let server = try LoginServer(XCTUnwrap(shell))
        defer { server.stop() }
        let silent: Set = [
            "login", "logout", "upgrade", "keychain set", "keychain export",
            "keychain import",
            "keychain delete", "keychain unlock", "keychain lock", "keychain passphrase",
            "keychain slot remove", "blocklist build", "otp", "otp add", "otp delete", "users",
        ]
        // Their first example stores what the second one prints.
        let storing: Set = ["keychain", "git-credential", "docker-credential", "keychain slot remove", "run"]
        var count = 0
        func check(_ command: String) throws {
            let all = try XCTUnwrap(CommandTree.shared.help[command]).components(separatedBy: "\n")
            if let index = all.firstIndex(where: { $0.contains("For instance:") }) {
                let lines = all[(index + 1)...].prefix { $0.hasPrefix("  ") }.joined(separator: "\n")
                // The server of the examples listens on a free port here.
                let examples = lines.replacingOccurrences(of: ":8080", with: ":\(server.port)")
                    .replacingOccurrences(of: "\\\n", with: "").components(separatedBy: "\n")
                for (number, example) in examples.enumerated() where !example.contains("data.school.example")
                {
                    let outcome = try run(example)
                    XCTAssertEqual(outcome.status, 0, "\(example): \(outcome.errors)")
                    if number == (storing.contains(command) ? 1 : 0) {
                        XCTAssertEqual(outcome.text.isEmpty, silent.contains(command), example)
                    }
                }
                count += examples.count
                if command == "keychain passphrase" {
                    _ = try run(
                        "printf tests | CREDKIT_PASSPHRASE='correct horse' \(examples[0].split(separator: "|")[1])"
                    )
                }
            }
        }
        // Examples that log out run last, whatever the order of the list.
        let all = CommandTree.shared.commands.filter { !$0.isEmpty && $0 != "logout" }
        for command in all + ["logout"] { try check(command) }
        XCTAssertGreaterThan(count, 90)
    }
}
