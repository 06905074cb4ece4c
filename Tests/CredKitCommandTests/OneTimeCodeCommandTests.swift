// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit otp` with a real vault in a separate home, beside oathtool.
final class OneTimeCodeCommandTests: XCTestCase {
    private static let seed = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell.remove() }

    @discardableResult
    private func run(
        _ script: String,
        _ status: Int32 = 0,
        line: UInt = #line
    ) throws -> Shell.Outcome {
        let outcome = try shell.run(script)
        XCTAssertEqual(outcome.status, status, "\(script): \(outcome.errors)", line: line)
        return outcome
    }

    private func add(_ uri: String, _ names: String = "s a", _ status: Int32 = 0, line: UInt = #line) throws {
        try run("printf '%s\\n' '\(uri)' | credkit otp add \(names)", status, line: line)
    }

    func testPrintsTheCodesOfOathtool() throws {
        for (options, mode) in [
            ("", "--totp"), ("--algorithm sha256 --digits 8", "--totp=SHA256 --digits=8"),
            ("--algorithm sha512 --period 60s", "--totp=SHA512 --time-step-size=60s"),
        ] {
            try run("echo \(Self.seed) | credkit otp add --replace s a \(options)")
            // The period may end between both programs.
            let code = "oathtool \(mode) --base32 \(Self.seed)"
            try run("a=$(\(code)); b=$(credkit otp code s a); c=$(\(code)); [ $a = $b ] || [ $c = $b ]")
        }
        try run("echo \(Self.seed) | credkit otp add --replace s a --counter 3")
        for counter in 3...6 {
            let expected = try run("oathtool --hotp --counter=\(counter) --base32 \(Self.seed)").text
            XCTAssertEqual(try run("credkit otp code s a").text, expected)
        }
        XCTAssertTrue(try run("credkit otp uri s a").text.hasSuffix("&counter=7"))
    }

    func testMissingItemNamesASimilarOne() throws {
        try run(
            "echo \(Self.seed) | credkit otp add GitLab me@x.org; echo \(Self.seed) | credkit otp add GitLab ci"
        )
        try run("printf a | credkit keychain set GitHub me@x.org")
        for (names, near) in [
            ("gitlab me@x.org", "GitLab me@x.org"), ("gitlab ci", "GitLab ci"),
            ("Gitlabb me@x.org", "GitLab me@x.org"),
            ("github me@x.org", ""), ("example me@x.org", ""),
        ] {
            let errors = try run("credkit otp code \(names)", 1).errors
            XCTAssertTrue(errors.hasPrefix("credkit: there is no item "), errors)
            XCTAssertEqual(errors.contains("(there is "), !near.isEmpty, errors)
            for name in near.split(separator: " ") { XCTAssertTrue(errors.contains(name), errors) }
        }
        let other = try run("credkit keychain get github me@x.org", 1).errors
        XCTAssertTrue(other.contains("(there is ") && other.contains("GitHub"), other)
    }

    func testURIsAreKept() throws {
        let uri =
            "otpauth://totp/ACME%20Co:a%40b.example?secret=\(Self.seed)&issuer=ACME%20Co&algorithm=SHA256"
            + "&digits=8&period=60"
        try add(uri)
        XCTAssertEqual(try run("credkit otp uri s a").text, uri)
        XCTAssertEqual(try run("credkit otp uri --json s a").text.contains("\"period\":60"), true)
        try run("credkit otp uri s a | credkit otp add t")
        XCTAssertEqual(try run("credkit otp uri t").text, uri)
        XCTAssertEqual(
            try run("credkit keychain list").text,
            "otp:s\ta\tcredkit-purpose=one-time-code\notp:t\tcredkit-purpose=one-time-code\n"
        )
    }

    func testNewKeysAreRandomAndHaveTheNames() throws {
        try run(
            "credkit otp add --generate example.com alice; credkit otp add --generate https://h:1 a:b --algorithm sha512"
        )
        let uri = try run("credkit otp uri example.com alice").text
        XCTAssertNotNil(
            uri.wholeMatch(
                of:
                    /otpauth:..totp.example.com:alice\?secret=[A-Z2-7]{32}&issuer=example.com&algorithm=SHA1&digits=6&period=30/
            ),
            uri
        )
        let other = try run("credkit otp uri https://h:1 a:b").text
        XCTAssertNotNil(other.firstMatch(of: /totp.\?secret=[A-Z2-7]{103}&algorithm=SHA512/), other)
        try run("credkit otp add --generate example.com alice", 73)
        XCTAssertEqual(try run("credkit otp uri example.com alice").text, uri)
        try run("credkit otp add --generate --replace example.com alice")
        XCTAssertNotEqual(try run("credkit otp uri example.com alice").text, uri)
    }

    func testOneOfSeveralProgramsAddsAKey() throws {
        // So that none of them has to create the vault.
        try add(Self.seed, "other")
        let statuses = try run(
            """
            for i in 1 2 3 4 5 6; do (credkit otp add --generate race acct; echo $? > status-$i) & done; wait
            sort status-? | uniq -c | tr -s ' '
            """
        )
        XCTAssertEqual(statuses.text, " 1 0\n 5 73\n", statuses.errors)
    }

    func testKeysAreApartFromPasswords() throws {
        try add(Self.seed)
        try run("credkit keychain get s a", 1)
        try run(
            "printf hunter2 | credkit keychain set s a; printf hunter2 | credkit keychain set otp:b a --attribute credkit-purpose=one-time-code"
        )
        XCTAssertTrue(try run("credkit otp code s a").text.count == 7)
        XCTAssertEqual(try run("credkit keychain get s a").text, "hunter2")
        try run("credkit otp delete s a")
        XCTAssertEqual(try run("credkit keychain get s a").text, "hunter2")
        // An item that someone else wrote is not printed.
        let errors = try run("credkit otp code b a", 65).errors
        XCTAssertTrue(
            errors.contains("cannot read the item service=b account=a: not an otpauth"),
            errors
        )
        XCTAssertFalse(errors.contains("hunter2"))
    }

    func testMissingItemsHaveStatusOne() throws {
        for command in ["code", "uri", "delete", "verify"] {
            let outcome = try run("echo 123456 | credkit otp \(command) s a", 1)
            XCTAssertEqual(outcome.errors, "credkit: there is no item service=s account=a\n")
        }
        XCTAssertEqual(try run("credkit otp delete --quiet s a", 1).errors, "")
    }

    func testMalformedInputHasStatus65() throws {
        for (text, message) in [
            ("", "the seed is empty"), ("x1", "not Base32"), ("otpauth://totp/a", "no 'secret'"),
            ("https://example.com", "not an otpauth:// URI"),
            ("otpauth://hotp/a?secret=\(Self.seed)", "no 'counter'"),
            ("otpauth://totp/a?secret=\(Self.seed)&digits=9", "6 to 8 digits"),
        ] {
            let outcome = try run("printf %s '\(text)' | credkit otp add s a", 65)
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
            XCTAssertFalse(outcome.errors.contains(Self.seed))
        }
        try run("head -c 6250 /dev/zero | base32 -w 0 | credkit otp add s a", 65)
        for line in [
            "--digits 5", "--digits x", "--algorithm md5", "--period 0", "--period 1500ms", "--period 2h",
            "--counter -1", "--counter 1 --period 30s", "--generate --secret-file /dev/null",
        ] {
            try run("echo \(Self.seed) | credkit otp add s a \(line)", 64)
        }
        try run("echo 'otpauth://totp/a?secret=\(Self.seed)' | credkit otp add s a --digits 8", 64)
        try run("credkit otp code s a", 1)
    }

    func testVerifiesTheCodesOfTheWindow() throws {
        try run("echo \(Self.seed) | credkit otp add --period 1h s a")
        func code(_ hours: Int) -> String {
            "oathtool --totp --time-step-size=3600s --now='\(hours) hours' --base32 \(Self.seed)"
        }
        XCTAssertEqual(try run("\(code(0)) | credkit otp verify s a").text, "match\n")
        XCTAssertEqual(try run("\(code(-1)) | credkit otp verify --quiet s a").text, "")
        try run("\(code(1)) | credkit otp verify s a --json")
        // The only account.
        XCTAssertEqual(try run("\(code(0)) | credkit otp verify s").text, "match\n")
        XCTAssertEqual(try run("credkit otp uri s").text, try run("credkit otp uri s a").text)
        XCTAssertEqual(try run("\(code(-3)) | credkit otp verify s a", 1).text, "mismatch\n")
        try run("\(code(-3)) | credkit otp verify s a --window 4")
        try run("\(code(1)) | credkit otp verify s a --window 0", 1)
        for text in ["", "12345", "1234567", "12 456", "١٢٣٤٥٦", "\\0\\0\\0\\0\\0\\0"] {
            let outcome = try run("printf '\(text)' | credkit otp verify s a", 1)
            XCTAssertEqual(outcome.text, "mismatch\n")
            XCTAssertEqual(outcome.errors, "")
        }
        try run("\(code(0)) | credkit otp verify s a --window 11", 64)
    }

    func testACodeWithACounterCountsOnce() throws {
        try run("echo \(Self.seed) | credkit otp add --counter 0 s a")
        func verify(_ counter: Int, _ options: String, _ status: Int32) throws {
            let code = "oathtool --hotp --counter=\(counter) --base32 \(Self.seed)"
            try run("\(code) | credkit otp verify s a \(options)", status)
        }
        try verify(0, "", 0)
        try verify(0, "", 1)
        try verify(5, "--window 3", 1)
        try verify(5, "", 0)
        try verify(4, "", 1)
        try verify(90, "--window 100", 0)
        XCTAssertTrue(try run("credkit otp uri s a").text.hasSuffix("&counter=91"))
    }

    func testNoCodeWithACounterIsPrintedTwice() throws {
        try run("echo \(Self.seed) | credkit otp add --counter 0 s a")
        // Output fails after the counter was stored.
        try run("credkit otp code s a > /dev/full", 74)
        XCTAssertEqual(try run("credkit otp code s a --json").text.contains("\"counter\":1"), true)
        // Killed between storing and printing: when it writes to standard output.
        try run(
            """
            CREDKIT_ALLOW_CORE_DUMPS=1 strace -f -qq -o trace -e trace=write -P /dev/null -e inject=write:signal=KILL \
            credkit otp code s a > /dev/null
            """,
            137
        )
        XCTAssertEqual(try run("credkit otp code s a --json").text.contains("\"counter\":3"), true)
        let codes = try run("for i in 1 2 3 4 5 6 7 8; do credkit otp code s a & done; wait").text
        XCTAssertEqual(Set(codes.split(separator: "\n")).count, 8)
        XCTAssertTrue(try run("credkit otp uri s a").text.hasSuffix("&counter=12"))
    }

    // MARK: Names

    func testAURINamesItsItem() throws {
        let uri = "otpauth://totp/ACME%20Co:alice?secret=\(Self.seed)&issuer=ACME%20Co"
        let added = try run("printf %s '\(uri)' | credkit otp add")
        XCTAssertEqual(added.errors, "credkit: added service=ACME Co account=alice\n")
        XCTAssertEqual(try run("credkit otp code 'ACME Co' alice").text.count, 7)
        try run("printf %s '\(uri)' | credkit otp add", 73)
        try run("printf %s '\(uri)' | credkit otp add --replace")
        try run("printf 'otpauth://totp/bob?secret=\(Self.seed)' | credkit otp add")
        XCTAssertEqual(try run("credkit otp code bob").text.count, 7)
        for input in [Self.seed, "otpauth://totp/?secret=\(Self.seed)"] {
            try run("printf '\(input)' | credkit otp add", 64)
        }
        try run("credkit otp add --generate", 64)
    }

    func testTheOnlyItemNeedsNoName() throws {
        try run("credkit otp code", 1)
        try run("echo \(Self.seed) | credkit otp add s a --counter 7")
        let code = "oathtool --hotp --base32 \(Self.seed) --counter"
        XCTAssertEqual(try run("credkit otp code").text, try run("\(code)=7").text)
        XCTAssertEqual(try run("credkit otp code s").text, try run("\(code)=8").text)
        try run("credkit otp code --watch", 64)
        XCTAssertEqual(
            try run("credkit otp code s b", 1).errors,
            "credkit: there is no item service=s account=b (there is one with the account 'a')\n"
        )
        try run("printf x | credkit keychain set other; echo \(Self.seed) | credkit otp add s b")
        for names in ["", "s"] {
            let several = try run("credkit otp code \(names)", 64).errors
            XCTAssertTrue(several.contains("service=s account=a; service=s account=b"), several)
        }
        // The item without an account has the service alone as its name.
        try run("echo \(Self.seed) | credkit otp add s --counter 1")
        XCTAssertEqual(try run("credkit otp code s").text, try run("\(code)=1").text)
    }

    func testListHasTheParametersWithoutSeeds() throws {
        XCTAssertEqual(try run("credkit otp list").text, "")
        try run("echo \(Self.seed) | credkit otp add s a --digits 8 --algorithm sha256 --period 60s")
        try run("echo \(Self.seed) | credkit otp add t --counter 41 --attribute env=prod")
        XCTAssertEqual(
            try run("credkit otp list").text,
            "s\ta\ttotp\tsha256\t8\t60\nt\t\thotp\tsha1\t6\t41\tenv=prod\n"
        )
        XCTAssertEqual(
            try run("credkit otp list --json | jq -c '[.service, .account, .issuer, .period, .counter]'")
                .text,
            #"["s","a","s",60,null]"# + "\n" + #"["t",null,"t",null,41]"# + "\n"
        )
        // One that someone else wrote is reported, and the others are listed.
        try run("printf hunter2 | credkit keychain set otp:b a --attribute credkit-purpose=one-time-code")
        let outcome = try run("credkit otp list", 65)
        XCTAssertEqual(outcome.text.split(separator: "\n").count, 2)
        XCTAssertTrue(outcome.errors.contains("cannot read the item service=b account=a"), outcome.errors)
        XCTAssertFalse((outcome.text + outcome.errors).contains("hunter2"))
    }

    func testEachNewCodeIsPrinted() throws {
        try run("echo \(Self.seed) | credkit otp add s a --period 1s")
        // The pipe is closed after the third code.
        let codes = try run("credkit otp code --watch | head -n 3").text.split(separator: "\n")
        XCTAssertEqual(codes.count, 3)
        XCTAssertTrue(codes.allSatisfy { $0.count == 6 })
    }

    // MARK: Exports

    /// Three accounts: with the time, with a counter, and with MD5.
    private static let export =
        "otpauth-migration://offline?data="
        + "CjUKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZSABKAEwAgohCgpIZWxsbyHerb7v"
        + "EgV0b2tlbhoEQmFuayABKAIwATgpCh8KCkhlbGxvId6tvu8SA29sZBoGTGVnYWN5IAQoATACEAEYASAAKPn%2F%2F%2F%2F"
        + "%2F%2F%2F%2F%2F%2FwE%3D"

    func testExportsAreAdded() throws {
        let added = try run("echo '\(Self.export)' | credkit otp add", 1)
        XCTAssertEqual(
            added.errors,
            """
            credkit: added service=Example account=alice@google.com
            credkit: added service=Bank account=token
            credkit: not added: Legacy:old: unsupported one-time codes: the hash function is MD5
            credkit: 1 of 3 accounts were not added

            """
        )
        XCTAssertEqual(
            try run("credkit otp list").text,
            "Bank\ttoken\thotp\tsha1\t8\t41\nExample\talice@google.com\ttotp\tsha1\t6\t30\n"
        )
        XCTAssertEqual(
            try run("credkit otp code Bank").text,
            try run("oathtool --hotp --counter=41 --digits=8 --base32 JBSWY3DPEHPK3PXP").text
        )
        // The counter has moved on, and is not set back.
        let again = try run("echo '\(Self.export)' | credkit otp add", 1).errors
        XCTAssertTrue(again.contains("kept service=Example account=alice@google.com"), again)
        XCTAssertTrue(again.contains("kept service=Bank account=token"), again)
        XCTAssertTrue(again.contains("1 of 3 accounts"), again)
        try run("echo '\(Self.export)' | credkit otp add --replace", 1)
        XCTAssertTrue(try run("credkit otp uri Bank token").text.hasSuffix("&counter=42"))
        // Another key is replaced, but only on request.
        try run("echo \(Self.seed) | credkit otp add --replace Bank token --counter 50")
        let refused = try run("echo '\(Self.export)' | credkit otp add", 1).errors
        XCTAssertTrue(
            refused.contains("not added: service=Bank account=token: there is such an item"),
            refused
        )
        let replaced = try run("echo '\(Self.export)' | credkit otp add --replace", 1).errors
        XCTAssertTrue(replaced.contains("replaced service=Bank account=token"), replaced)
        XCTAssertTrue(try run("credkit otp uri Bank token").text.hasSuffix("&counter=41"))
        for line in ["s a", "--digits 8"] { try run("echo '\(Self.export)' | credkit otp add \(line)", 64) }
    }

    func testPartsOfExportsAreNamed() throws {
        let part = "otpauth-migration://offline?data=ChIKCkhlbGxvId6tvu8SBHNvbG8YAiAB"
        let errors = try run("echo '\(part)' | credkit otp add").errors
        XCTAssertTrue(errors.contains("added service=solo"), errors)
        XCTAssertTrue(errors.contains("this is part 2 of 2"), errors)
        try run("echo 'otpauth-migration://offline?data=CgI' | credkit otp add", 65)
        let empty = try run("echo 'otpauth-migration://offline?data=' | credkit otp add", 65)
        XCTAssertTrue(empty.errors.contains("the export has no accounts"), empty.errors)
    }

    func testNoSeedOrCodeStandsInArguments() throws {
        // What `add` and `verify` were given as arguments is refused and not repeated.
        let uri = "otpauth://totp/X:y?secret=\(Self.seed)"
        for line in [
            "otp add s a \(Self.seed)", "otp verify s a 123456", "otp add '\(uri)'", "otp add s '\(uri)'",
            "otp code '\(uri)'", "otp add --generate 'OtpAuth-Migration://offline?data=\(Self.seed)'",
        ] {
            let outcome = try run("credkit \(line) < /dev/null", 64)
            XCTAssertFalse(outcome.errors.contains(Self.seed), outcome.errors)
        }
    }
}
