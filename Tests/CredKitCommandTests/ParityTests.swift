// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs the same script with coreutils and with credkit: standard output, exit status and messages must be equal.
final class ParityTests: XCTestCase {
    private enum Messages {
        /// Equal after replacing the tool's name.
        case equal
        /// coreutils' wording varies between versions or is less precise; credkit's message begins with this text.
        case own(String)
    }

    private struct Case {
        let script: String
        let messages: Messages

        init(_ script: String, _ messages: Messages = .equal) {
            self.script = script
            self.messages = messages
        }
    }

    private func compare(_ cases: [Case], and more: [Case] = [], reference: String, ours: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let fixtures = try shell.run(Self.fixtures)
        XCTAssertEqual(fixtures.status, 0, fixtures.errors)
        XCTAssertGreaterThanOrEqual(cases.count, 60)
        XCTAssertEqual(Set(cases.map(\.script)).count, cases.count, "a case is listed twice")
        for test in cases + more {
            let expected = try shell.run(test.script, tool: reference)
            let actual = try shell.run(test.script, tool: ours)
            XCTAssertEqual(actual.status, expected.status, test.script)
            XCTAssertEqual(
                actual.output,
                expected.output,
                "\(test.script): \(actual.text) / \(expected.text)"
            )
            switch test.messages {
            case .equal:
                let name = reference.prefix { $0 != " " }
                let errors = expected.errors.replacingOccurrences(of: "\(name): ", with: "credkit: ")
                XCTAssertEqual(actual.errors, errors, test.script)
            case .own(let start):
                XCTAssertTrue(
                    actual.errors.hasPrefix("credkit: \(start)"),
                    "\(test.script): \(actual.errors)"
                )
            }
        }
    }

    /// Files with unusual names and contents, and lists of their digests.
    private static let fixtures = #"""
        set -e
        printf abc > a; printf 'two\nlines\n' > b; : > empty; mkdir folder; printf x > 'sp ace'
        printf y > $'new\nline'; printf z > 'back\slash'; printf q > $'carriage\rreturn'; printf t > "it's"
        printf u > -dash; printf u > -dw0; printf v > $'\xff\xfe'; printf w > 'café'; printf p > '(x) = y'; printf s > ' lead'
        printf r > '*star'; printf g > $'tab\there'; printf h > $'\e[31mred'
        printf secret > locked; chmod 000 locked; chmod 755 .
        head -c 300000 /dev/zero > zeros; ln -s nowhere dangling; ln -s a link
        md5sum a b empty 'sp ace' > good; md5sum $'new\nline' 'back\slash' $'carriage\rreturn' > escaped
        sed 's/$/\r/' good > crlf; md5sum --tag a b $'new\nline' > tagged; md5sum -b a b > binary
        { echo 'not a line'; cat good; } > partly; printf '%032d  a\n' 0 > wrong; printf '%032d  missing\n' 0 > missing
        { cat good wrong missing; echo junk; } > mixed; echo junk > junk; printf '# comment\n\n' > comments
        printf '%s' "$(md5sum a)" > unterminated; tr a-f A-F < <(md5sum empty) | sed 's/EMpty/empty/; s/ .*/  empty/' > upper
        H=$(md5sum a | cut -c 1-32); echo "$H a" > reversed; printf '%s  a\n%s a\n' $H $H > both
        printf '%s a\n%s  a\n' $H $H > bothreversed; echo "${H}0  a" > long; echo "${H%?}  a" > short
        printf '%s  a\0b\n' $H > nul; printf '\\%s  a\\q\n' $H > unknownescape; printf '  \t%s  a\n' $H > indented
        printf '%s  -\n' $H > dash; printf '%s  folder\n' $H > listsfolder; printf 'MD5(a)= %s\n' $H > openssl
        printf 'md5 (a) = %s\n' $H > lowertag; printf 'MD5 (a) = %s x\n' $H > tagjunk; printf 'MD5 ((x) = y) = %s\n' $H > tagparens
        head -c 100000 /dev/zero | tr '\0' x > longline; { cat longline; echo; cat good; } > longfirst
        { printf '#%070000d\n' 0; cat good; } > longcomment; printf 'MD5 (a) = %s\0x\n' $H > tagnul
        printf '%s\t a\n' $H > tabbed; printf 'SHA1 (a) = %s\n' $(sha1sum a | cut -c 1-40) > sha1tag
        { printf '%s  locked\n' $H; cat good; } > listslocked; yes "$(md5sum a)" | head -n 2000 > thousands
        base64 zeros > zeros.b64; base64 -w 0 zeros > zeros.line
        """#

    /// Whether base64 needs padding. Debian 12 has such coreutils, Debian 13 has newer ones.
    private static func hasOlderCoreutils() throws -> Bool {
        let shell = try Shell()
        defer { shell.remove() }
        return try shell.run("printf QQ | base64 -d").status != 0
    }

    func testChecksumsMatchMD5sum() throws {
        let isOlder = try Self.hasOlderCoreutils()
        // Newer ones quote escaped names in what they print, and refuse a NUL behind a digest.
        let older = [Case("$T -c tagnul"), Case("$T -c good escaped binary"), Case("$T -c escaped")]
        try compare(
            [
                Case("$T a"), Case("$T a b empty"), Case("$T < a"), Case("$T - < a"), Case("$T - - < a"),
                Case("printf abc | $T"), Case("$T empty"), Case("$T /dev/null"), Case("$T zeros"),
                Case("$T link"),
                Case("$T 'sp ace' ' lead' '*star' '(x) = y'"), Case(#"$T $'new\nline'"#),
                Case(#"$T 'back\slash'"#),
                Case(#"$T $'carriage\rreturn'"#), Case(#"$T $'\xff\xfe' café"#), Case("$T -- -dash"),
                Case(#"$T $'tab\there' $'\e[31mred'"#), Case("$T ./-dash"), Case("$T -b a"), Case("$T -t a"),
                Case("$T --binary a"),
                Case("$T -bt a"), Case("$T -tb a"), Case("$T --tag -tb a"), Case("$T -t --tag -b a"),
                Case("$T a -b b"),
                Case("$T -c longcomment"), Case("$T -c --strict longcomment"),
                Case("$T --tag a"), Case(#"$T --tag $'new\nline' 'back\slash'"#),
                Case("$T -z a b"), Case(#"$T -z $'new\nline'"#), Case("$T --tag -z a b"),
                Case("$T -b --tag a"),
                Case("$T missing-file"), Case("$T 'missing file'"), Case(#"$T $'missing\nfile'"#),
                Case("$T \"isn't\""),
                Case(#"$T $'\xff missing'"#), Case("$T ''"), Case("$T dangling"), Case("$T folder"),
                Case("$T a folder b"),
                Case("$T a missing-file b"), Case("$UNPRIVILEGED $T locked"),
                Case("$UNPRIVILEGED $T locked a"),
                Case("$T /proc/self/mem"), Case("$T a/b"), Case("$T a >&-"), Case("$T a b >&-"),
                Case("$T a >/dev/full", .own("write error: No space left on device\n")),
                Case("$T <&-", .own("-: Bad file descriptor\n")),
                Case("$T -c good"), Case("$T -c < good"), Case("$T -c - < good"),
                Case("$T -c crlf"), Case("$T -c tagged"), Case("$T -c binary"),
                Case("$T -c partly"),
                Case("$T -c wrong"), Case("$T -c missing"), Case("$T -c mixed"), Case("$T -c junk"),
                Case("$T -c comments"),
                Case("$T -c empty"), Case("$T -c folder"), Case("$T -c missing-list"),
                Case("$T -c good missing-list wrong"),
                Case("$T -c unterminated"), Case("$T -c upper"), Case("$T -c reversed"), Case("$T -c both"),
                Case("$T -c bothreversed"), Case("$T -c long"), Case("$T -c short"), Case("$T -c nul"),
                Case("$T -c unknownescape"), Case("$T -c indented"), Case("$T -c dash < a"),
                Case("$T -c < dash"),
                Case("$T -c listsfolder"), Case("$T -c openssl"), Case("$T -c lowertag"),
                Case("$T -c tagjunk"),
                Case("$T -c tagparens"), Case("$T -c tabbed"), Case("$T -c longfirst"), Case("$T -c sha1tag"),
                Case("$T -c thousands"), Case("$UNPRIVILEGED $T -c listslocked"),
                Case("$UNPRIVILEGED $T -c locked"),
                Case("$T -c --quiet mixed"), Case("$T -c --status mixed"), Case("$T -c --status good"),
                Case("$T -c --warn mixed"), Case("$T -c -w partly"), Case("$T -c --strict partly"),
                Case("$T -c --strict good"), Case("$T -c --ignore-missing mixed"),
                Case("$T -c --ignore-missing missing"),
                Case("$T -c --ignore-missing --status missing"), Case("$T -c --quiet good"),
                Case("$T -c --quiet --status mixed"), Case("$T -c --status --quiet mixed"),
                Case("$T -c --quiet -w mixed"),
                Case("$T -c --strict --quiet partly"), Case("$T -c --ignore-missing --strict mixed"),
                Case("$T -c /proc/self/mem"), Case("$T -c good >&-"), Case("$T --check good"),
                Case("$T -c good >/dev/full", .own("write error: No space left on device\n")),
            ],
            and: isOlder ? older : [],
            reference: "md5sum",
            ours: "credkit hash md5"
        )
    }

    func testOtherChecksumsMatchTheirTools() throws {
        let shell = try Shell()
        defer { shell.remove() }
        XCTAssertEqual(try shell.run(Self.fixtures).status, 0)
        for name in ["sha1", "sha256", "sha384", "sha512"] {
            for script in [
                "$T a b empty", #"$T --tag $'new\nline' a"#, "$T a b | $T -c", "$T --tag a b | $T -c",
                "$T a | tr -d 0 | $T -c",
                "$T missing-file folder", "$T -c good", "printf x | $T -b",
            ] {
                let expected = try shell.run(script, tool: "\(name)sum")
                var actual = try shell.run(script, tool: "credkit hash \(name)")
                actual.errors = actual.errors.replacingOccurrences(of: "credkit: ", with: "\(name)sum: ")
                XCTAssertEqual(actual, expected, "\(name): \(script)")
            }
        }
    }

    func testBase64MatchesCoreutils() throws {
        var cases = [
            "$T a", "$T < a", "$T - < a", "$T empty", "$T < empty", "$T zeros", "$T -w 0 a", "$T -w 0 empty",
            "$T -w 1 a",
            "$T -w 0 zeros", "$T -w1 b", "$T --wrap=3 b", "$T --wrap 4 b", "$T -w 5 b", "$T -w 76 zeros",
            "$T -w 77 zeros",
            "$T -w 75 zeros", "$T -w 99999999999999999999 a", "$T -w 0 < /dev/null",
            "$T -w 2 zeros | head -c 100",
            #"$T $'new\nline'"#, #"$T $'\xff\xfe'"#, "$T -- -dash", "$T café",
            "$T missing-file", "$T 'missing file'", #"$T $'missing\nfile'"#, "$T ''", "$T folder",
            "$T -d folder",
            "$T -d missing-file", "$UNPRIVILEGED $T locked", "$T /proc/self/mem", "$T -d /proc/self/mem",
            "$T <&-",
            "$T a >&-", "$T a >/dev/full", "printf QUJD | $T -d >/dev/full", "printf QUJD | $T -d >&-",
            "$T dangling",
            "$T -d zeros.b64", "$T -d zeros.line", "$T -d < zeros.b64", "$T --decode zeros.b64",
            "$T -d empty",
            "$T -d -i zeros.b64", "$T -di zeros.line", "$T -d --ignore-garbage zeros.b64",
            "yes QUJD | head -n 30000 | $T -d", "yes '!QUJD' | head -n 30000 | $T -di",
            "yes QUJD | head -n 30000 | tr '\\n' '\\r' | $T -d",
            "$T -dw0 zeros.b64", "$T -diw 3 zeros.b64", "$T -iw3 a", "$T a -w 3", "$T -w 3 -- a",
            "$T -- -dw0",
            "$T -d -w 3 zeros.b64", "$T -w ' 3' a", "$T -w +3 a", "$T -i a",
            "(cat zeros.line; printf '!') | $T -d | md5sum",
        ]
        // Newer coreutils need no padding, and refuse bits that it would hide: credkit's rule is that of the older ones.
        let isOlder = try Self.hasOlderCoreutils()
        if isOlder { cases.append("(cat zeros.b64; printf 'QQ') | $T -d | md5sum") }
        let differing: Set = ["QQ", "QR==", "QUJ=", "QUJDQQ!", "QUJDQUI!", "QUJDQR==QUJD"]
        for text in [
            "QUJD", "QUI=", "QQ==", "QUJ", "QQ", "Q", "QQ=", "=", "==", "====", "Q===", "QUJD=", "QQ===",
            "QQ==QQ==", "QQ==Q",
            "QUI=QUI=", #"QUJD\n"#, #"\nQUJD"#, #"Q\nU\nJ\nD\n"#, #"QQ=\n="#, #"QQ\n==\n"#, #"QUJD\r\n"#,
            "QU JD", "QU!JD", "QU!",
            "QUJDQ!", "QUJDQQ!", "QUJDQUI!", "QR==", "QUJ=", "QUJDQR==QUJD", "-_-_", "+/+/", #"\000QUJD"#,
            #"QUJD\000"#, #"\377QUJD"#,
            "QQ=A", "Q=QQ", "QU=JD", "=QUJ", "QUJD====", "QQ!==", "QQ=!=", "!!!!", "   ",
        ] where isOlder || !differing.contains(text) {
            cases.append("printf '\(text)' | $T -d")
            cases.append("printf '\(text)' | $T -d -i")
        }
        try compare(cases.map { Case($0) }, reference: "base64", ours: "credkit base64")
    }
}
