// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

final class UpgradeCommandTests: XCTestCase {
    private var shell: Shell?

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell?.remove() }

    /// Runs a script whose own files are writable by this user only, like those of `upgrade`.
    private func run(_ script: String) throws -> Shell.Outcome {
        try XCTUnwrap(shell).run("umask 022; \(UpgradeNote.function); \(script)")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: try XCTUnwrap(shell).folder.appendingPathComponent(name), encoding: .utf8)
    }

    private let cheap = "--memory 64KiB --passes 1"
    /// Hashes of "secret".
    private let md5Crypt = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"
    /// The same hashes, with dollar signs escaped for the shell.
    private let sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="

    // MARK: Complete tables

    /// 10,000 users with salted MD5: the run is killed, then resumed, and all users can log in.
    ///
    /// `CREDKIT_FULL_COST=1` uses the recommended cost, and takes minutes.
    /// A table of 10,000 hashes; in the short form, of 2,000.
    func testLargeTableIsUpgradedAcrossAKill() throws {
        let isFull = ProcessInfo.processInfo.environment["CREDKIT_FULL_COST"] == "1"
        let count = isFull || TestForm.isDeep ? 10_000 : 2000
        let cost = isFull ? "" : "--memory 512KiB --passes 1"
        let outcome = try run(
            """
            python3 - <<'PYTHON'
            import hashlib
            with open("users.csv", "w") as table:
                table.write("id,name,password,salt\\n")
                for number in range(\(count)):
                    salt = hashlib.md5(b"salt %d" % number).hexdigest()[:8]
                    digest = hashlib.md5(b"password %d" % number + salt.encode()).hexdigest()
                    table.write(f'{number},"User, {number}",{digest},{salt}\\n')
            PYTHON
            cp users.csv before.csv
            upgrade="credkit upgrade --allow-incompatible --input users.csv --output new.csv --hash-column password --salt-column salt --as salted-md5 \(cost)"
            $upgrade & child=$!
            while kill -0 $child && [ "$(wc -l < new.csv.partial 2>/dev/null || echo 0)" -lt 500 ]; do sleep 0.01; done
            kill -9 $child; wait $child 2>/dev/null
            [ ! -e new.csv ] || { echo "the output is there too early"; exit 1; }
            done=$(wc -l < new.csv.partial)
            [ "$done" -lt \(count) ] || { echo "it was not killed on the way"; exit 1; }
            # A truncated record is rewritten.
            truncate -s -20 new.csv.partial
            head -n 300 new.csv.partial > first.csv
            $upgrade --resume || exit
            head -n 300 new.csv | cmp - first.csv || exit
            cmp users.csv before.csv || exit
            [ ! -e new.csv.partial ] || exit
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.text + outcome.errors)
        XCTAssertTrue(
            outcome.errors.contains("\(count) hashes layered, 0 records kept, 0 not verifiable"),
            outcome.errors
        )

        let lines = try text("new.csv").split(separator: "\n")
        let old = try text("users.csv").split(separator: "\n")
        XCTAssertEqual(lines.count, count + 1)
        XCTAssertEqual(lines[0], old[0])
        var policy = PasswordPolicy.recommended
        if !isFull { policy.preferred = try .argon2id(memory: .kibibytes(512), passes: 1) }
        let context = try PasswordContext(policy: policy)
        let failures = Failures()
        DispatchQueue.concurrentPerform(iterations: count) { number in
            // id,"User, n","record",salt and id,"User, n",digest,salt
            let record = String(lines[number + 1].split(separator: "\"")[3])
            let digest = String(old[number + 1].split(separator: ",")[3])
            let isRight = (try? context.verify("password \(number)", against: record)).map { answer in
                guard case .match(let upgraded?) = answer, upgraded.hasPrefix("$argon2id$") else {
                    return false
                }
                return (try? context.verify("password \(number)", against: upgraded)) == .match(rehashed: nil)
            }
            let isRefused = ["password \(number + 1)", digest].allSatisfy {
                (try? context.verify($0, against: record)) == .mismatch
            }
            let holdsDigest = lines[number + 1].contains(digest)
            if isRight != true || !isRefused || holdsDigest { failures.note(number) }
        }
        XCTAssertEqual(failures.numbers, [])
    }

    private final class Failures: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [Int] = []
        var numbers: [Int] { lock.withLock { all } }
        func note(_ number: Int) { lock.withLock { all.append(number) } }
    }

    // MARK: Formats

    func testUnlayeredRecordsStayByteForByte() throws {
        let strong = try PasswordContext().hash("secret")
        let table = """
            # comment
            alice:\(md5Crypt)
            bob:\(strong):1:2\r

            locked:!\(md5Crypt):19000::::::
            nologin:*:19000::::::
            shadowed:x:0:0:root:/root:/bin/bash
            empty::19000
            carol:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\r
            last:\(md5Crypt)
            """
        try table.write(
            to: try XCTUnwrap(shell).folder.appendingPathComponent("in"),
            atomically: true,
            encoding: .utf8
        )
        let outcome = try run(
            "umask 0; credkit upgrade --allow-incompatible --input in --output out \(cheap); stat -c %a out"
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(outcome.text, "600\n")
        let messages = outcome.errors.split(separator: "\n")
        XCTAssertEqual(messages.last, "credkit: 4 hashes layered, 6 records kept, 0 not verifiable")
        XCTAssertTrue(outcome.errors.contains("htpasswd, nginx, PHP, Dovecot"), outcome.errors)
        XCTAssertEqual(messages.count, 3, outcome.errors)
        let before = table.components(separatedBy: "\n")
        let after = try text("out").components(separatedBy: "\n")
        XCTAssertEqual(after.count, before.count)
        for (old, new) in zip(before, after) where old != new {
            let fields = (old.split(separator: ":", maxSplits: 1), new.split(separator: ":", maxSplits: 1))
            XCTAssertEqual(fields.0[0], fields.1[0])
            XCTAssertTrue(["alice", "carol", "last", "locked"].contains(fields.1[0]))
            let lock = fields.0[0] == "locked" ? "!" : ""
            XCTAssertTrue(fields.1[1].hasPrefix("\(lock)$layered-argon2id$v=19$m=64,t=1,p=1,inner="))
            XCTAssertEqual(old.hasSuffix("\r"), new.hasSuffix("\r"))
        }
        // A second run changes nothing.
        XCTAssertEqual(
            try run("credkit upgrade --allow-incompatible --input out --output again \(cheap); cmp out again")
                .text,
            ""
        )
    }

    /// A table of Django and Werkzeug: what can be layered is, and the rest is named, or left alone without a password.
    func testTableOfFrameworksIsUpgraded() throws {
        let unusable = "!" + String(repeating: "xB3dE", count: 8)
        let table = """
            name,password
            md5,md5$seasalt12345$0bdb984ba90ae2651e51f5e3a1f27250
            sha1,sha1$$e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4
            werkzeug,pbkdf2:sha256:1000$saltSALT$\(String(repeating: "a", count: 64))
            either,sha1$saltSALT$\(String(repeating: "a", count: 40))
            none,\(unusable)
            plain,plain$$secret
            bcrypt,bcrypt_sha256$$2b$04$abcdefghijklmnopqrstuu\(String(repeating: ".", count: 31))
            aspnet,ANXrDknc7fGPpigibZXXZFMX4aoqz44JveK6jQuwY3eH/UyPhvr5xTPeGYEckLxz9A==
            web2py,sha256$saltSALT$\(String(repeating: "a", count: 64))
            postgres,md508c2f48146eb33de2161c607c5a2d456

            """
        try table.write(
            to: try XCTUnwrap(shell).folder.appendingPathComponent("in.csv"),
            atomically: true,
            encoding: .utf8
        )
        let outcome = try run(
            "credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column password \(cheap)"
        )
        XCTAssertEqual(outcome.status, 65, outcome.errors)
        for message in [
            "record 5: to rehash at the next login: unsupported hash: hashes with such a salt cannot be layered: they can be Django's",
            "record 7: unsupported hash: the password itself is stored",
            "record 10: to rehash at the next login: unsupported hash: hashes with such a salt cannot be layered: they can be Werkzeug's",
            "record 11: unsupported hash: PostgreSQL's md5 hashes contain the user name",
            "5 hashes layered, 1 records kept, 2 to rehash at the next login, 2 not verifiable",
        ] {
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        }
        let after = try text("out.csv").split(separator: "\n").map(String.init)
        for name in [
            "either,sha1$", "web2py,sha256$", "postgres,md508", "none,\(unusable)", "plain,plain$$secret",
        ] {
            XCTAssertTrue(after.contains { $0.hasPrefix(name) }, name)
        }
        for name in ["md5", "sha1", "werkzeug", "bcrypt", "aspnet"] {
            XCTAssertTrue(after.contains { $0.hasPrefix("\(name),\"$layered-argon2id$") }, name)
        }
        let hash = try XCTUnwrap(after.first { $0.hasPrefix("sha1,") }).dropFirst(6).dropLast()
        XCTAssertEqual(try run("printf secret | credkit verify '\(hash)'").text, "match\n")
    }

    func testCSVWithQuotesAndLineBreaksInFields() throws {
        let outcome = try run(
            #"""
            printf '\xef\xbb\xbfhash,"na""me",note\r\n"$1$abc$iCQ2D3nhptRYi27fDYv2s1","a ""b""\nc","x,y"\r\n,no hash,\r\n' > in.csv
            credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column hash --memory 64KiB --passes 1 || exit
            python3 - <<'PYTHON'
            import csv
            old, new = ([row for row in csv.reader(open(n, newline="", encoding="utf-8-sig"))] for n in ("in.csv", "out.csv"))
            assert len(old) == len(new) == 3 and old[0] == new[0] and old[2] == new[2] and old[1][1:] == new[1][1:], new
            print(new[1][0])
            PYTHON
            """#
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let record = outcome.text.trimmingCharacters(in: .newlines)
        XCTAssertTrue(try PasswordContext().verify("secret", against: record).isMatch, record)
    }

    func testBareDigestsAreLayeredOnlyIfDeclared() throws {
        let digest = "f433c50293bc7afbe20b67ceb15a1e55"
        let unsaid = try run(
            "echo 'u:\(digest)' > in; credkit upgrade --allow-incompatible --input in --output out \(cheap); echo $?; cmp in out"
        )
        XCTAssertEqual(unsaid.text, "65\n")
        XCTAssertTrue(
            unsaid.errors.contains("in: record 1: 32 hexadecimal digits may be of several schemes"),
            unsaid.errors
        )
        for options in ["--as salted-md5 --salt shop", "--as salted-md5 --salt-column 3"] {
            let outcome = try run(
                "echo 'u:\(digest):shop' > in; rm -f out; credkit upgrade --allow-incompatible --input in --output out \(options) \(cheap); cut -d: -f2 out > h; "
                    + "printf secret | credkit verify --hash-file h"
            )
            XCTAssertEqual(outcome.text, "match\n", outcome.errors)
        }
        let hmac = try run(
            "echo u:7f51edecfa6fb401a0b5e63d33fc8c0e > in; rm -f out; "
                + "credkit upgrade --allow-incompatible --input in --output out --as hmac-md5 --key-id app \(cheap); cut -d: -f2 out > h; "
                + "printf hashcat | credkit verify --hash-file h --legacy-key app=<(printf 84143)"
        )
        XCTAssertEqual(hmac.text, "match\n", hmac.errors)
    }

    /// The asterisk of a hash of MySQL does not lock the account.
    func testHashesOfMySQLAreLayeredWhole() throws {
        let hash = "*0E8F21E4240F5AD5A07D088F9C93890D13D78A4E"
        let locked = try run(
            """
            printf 'a:%s\\nb:!%s\\n' '\(hash)' '\(hash)' > in
            credkit upgrade --allow-incompatible --input in --output out \(cheap)
            cut -d: -f2 out | cut -c1-2
            cut -d: -f2 out | sed 's/^[!*]//' | while read -r line; do
                printf '%s\\n' "$line" > h
                printf 'correct horse' | credkit verify --hash-file h
            done
            """
        )
        XCTAssertEqual(locked.text, "$l\n!$\nmatch\nmatch\n", locked.errors)
    }

    /// In a table of bare SHA-1, an asterisk before uppercase digits can be MySQL's or lock the account: a wrong guess
    /// would lose the digest.
    func testAsteriskBeforeUppercaseDigitsIsAmbiguousAmongBareDigests() throws {
        let (upper, lower) = (
            "*0E8F21E4240F5AD5A07D088F9C93890D13D78A4E", "*2f9e53523b62abc141a2b4d6019d23cba835dbd0"
        )
        let fields = "'\(upper)' '!\(upper)' '\(lower)'"
        for options in ["--as sha1", "--as salted-sha1 --salt x", "--as salted-sha1 --salt-column 3"] {
            let outcome = try run(
                """
                printf 'a:%s:x\\nb:%s:x\\nc:%s:x\\n' \(fields) > in; rm -f out
                credkit upgrade --allow-incompatible --input in --output out \(options) \(cheap); echo $?
                credkit audit --json \(options) in | grep -o '"ambiguousRows":\\[[0-9,]*\\]'
                head -n 2 in > before; head -n 2 out | cmp - before; tail -n 1 out | cut -c1-19
                """
            )
            XCTAssertEqual(
                outcome.text,
                "65\n\"ambiguousRows\":[1,2]\nc:*$layered-argon2i\n",
                "\(options): \(outcome.errors)"
            )
            for record in [1, 2] {
                let message = "record \(record): * and 40 hexadecimal digits may be a hash of MySQL"
                XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
            }
        }
        // Bare hashes of another length are no reason for doubt.
        let other = try run(
            "printf 'a:\(upper)\\n' > in; rm -f out; credkit upgrade --allow-incompatible --input in --output out --as md5 \(cheap); cut -c1-10 out"
        )
        XCTAssertEqual(other.text, "a:$layered\n", other.errors)
    }

    func testOnlyNamedSchemesAreLayered() throws {
        let outcome = try run(
            "printf 'a:\(md5Crypt)\\nb:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\\nc:!\\nd:\\n' > in; "
                + "credkit upgrade --allow-incompatible --json --input in --output out --only md5-crypt \(cheap); echo $?; cut -c 1-9 out"
        )
        let counts = UpgradeCountsText.json([
            "layered": 1, "notSelected": 1, "locked": 1, "withoutPassword": 1,
        ])
        XCTAssertEqual(outcome.text, "\(counts)\n0\na:$layere\nb:{SHA}5e\nc:!\nd:\n", outcome.errors)
    }

    func testLayersUnderAPepper() throws {
        let outcome = try run(
            "head -c 32 /dev/urandom > key; echo 'a:\(md5Crypt)' > in; credkit upgrade --allow-incompatible --input in --output out --pepper k=key \(cheap); "
                + "cut -d: -f2 out > h; cut -c 1-40 h; printf secret | credkit verify --hash-file h --pepper k=key"
        )
        XCTAssertEqual(outcome.text, "$pepper-hmac-sha256$keyid=k$layered-argo\nmatch\n", outcome.errors)
    }

    // MARK: Refusals

    func testExistingFilesAreNotOverwritten() throws {
        let prepare = "echo 'a:\(md5Crypt)' > in; echo precious > out; "
        for (script, status, message) in [
            (prepare + "credkit upgrade --allow-incompatible --input in --output out", 73, "already exists"),
            (prepare + "credkit upgrade --allow-incompatible --input in --output in", 73, "already exists"),
            (
                prepare + "ln -s nothing link; credkit upgrade --allow-incompatible --input in --output link",
                73,
                "already exists"
            ),
            (
                "ln -s precious new.partial; credkit upgrade --allow-incompatible --input in --output new",
                73,
                "an earlier run was interrupted"
            ),
            ("credkit upgrade --allow-incompatible --input in --output new --resume", 73, "symbolic links"),
            (
                "credkit upgrade --allow-incompatible --input in --output other --resume", 73,
                "nothing to resume"
            ),
            ("credkit upgrade --allow-incompatible --input in --output no/where", 73, "No such file"),
            (
                "credkit upgrade --allow-incompatible --input nothing --output new", 74,
                "nothing: No such file"
            ),
            ("credkit upgrade --allow-incompatible --input /dev/null --output new", 74, "not a regular file"),
            (
                "credkit upgrade --allow-incompatible --input - --output new", 64,
                "--input and --output take files"
            ),
        ] as [(String, Int32, String)] {
            let outcome = try run(script)
            XCTAssertEqual(outcome.status, status, script + outcome.errors)
            XCTAssertTrue(outcome.errors.contains(message), script + outcome.errors)
        }
        XCTAssertEqual(try text("out"), "precious\n")
    }

    func testPartialTableWithAnotherNameIsLeftAlone() throws {
        let outcome = try run(
            """
            echo "a:\(sha)" > in; echo "a:\(sha)" > precious; ln precious out.partial
            credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?; cat precious
            """
        )
        XCTAssertEqual(outcome.text, "77\na:\(sha)\n", outcome.errors)
    }

    func testPartialTableThatOthersCanChangeIsRefused() throws {
        let outcome = try run(
            """
            printf 'a:\(sha)\nb:\(sha)\n' > in; echo 'a:$hash-of-another' > out.partial; chmod 602 out.partial
            credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?; cat out.partial; ls out
            """
        )
        XCTAssertEqual(outcome.text, "77\na:$hash-of-another\n", outcome.errors)
    }

    func testMissingSaltIsReported() throws {
        let outcome = try run(
            """
            printf 'id,pw,salt\n1,f433c50293bc7afbe20b67ceb15a1e55,shop\n2,f433c50293bc7afbe20b67ceb15a1e55\n' > in.csv
            printf '3,f433c50293bc7afbe20b67ceb15a1e55,\n' >> in.csv
            credkit upgrade --allow-incompatible --input in.csv --output out.csv --as salted-md5 --hash-column pw --salt-column salt \(cheap)
            echo $?; sed -n 3,4p out.csv
            """
        )
        XCTAssertTrue(outcome.text.hasPrefix("65\n2,f433"), outcome.text)
        XCTAssertTrue(outcome.errors.contains("record 3: the record has no salt field"), outcome.errors)
        // An empty salt is a salt.
        XCTAssertTrue(outcome.text.contains("3,\"$layered-argon2id$"), outcome.text)
        XCTAssertFalse(outcome.errors.contains("record 4"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("2 hashes layered"), outcome.errors)
    }

    func testQuoteWithinAnUnquotedFieldIsLiteral() throws {
        let outcome = try run(
            """
            printf '1,5" nail,\(sha)\n2,6" nail,\(sha)\n3,c,\(sha)\n' > in.csv
            credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column 3 \(cheap); echo $?; cut -c 1-10 out.csv
            printf '\\xef\\xbb\\xbf"pw",n\n\(sha),"a"\n' > bom.csv
            credkit upgrade --allow-incompatible --input bom.csv --output bom.out --hash-column pw \(cheap); echo $?
            """
        )
        XCTAssertEqual(outcome.text, "0\n1,5\" nail,\n2,6\" nail,\n3,c,\"$laye\n0\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("3 hashes layered, 0 records kept"), outcome.errors)
    }

    func testLockedAccountsStayLockedAndAreLayered() throws {
        let outcome = try run(
            """
            printf 'a:!{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\nb:!!\nc:*\nd:*LK*\ne:!*:1\nf:*NP-and-more-of-it*\n#g: comment\n' > in
            credkit upgrade --allow-incompatible --input in --output out \(cheap); echo $?; head -n 1 out | cut -c 1-16; tail -n 6 out > rest
            tail -n 6 in | cmp - rest; head -n 1 out | cut -d '!' -f 2 > h; printf secret | credkit verify --hash-file h
            """
        )
        XCTAssertEqual(outcome.text, "0\na:!$layered-argo\nmatch\n", outcome.errors)
    }

    func testRunIsResumedOnlyWithItsOwnOptions() throws {
        let outcome = try run(
            """
            for i in 1 2 3; do echo "u$i:\(sha)"; done > in; head -c 32 /dev/urandom > key
            credkit upgrade --allow-incompatible --input in --output out \(cheap); head -n 2 out > first
            for options in '--memory 8KiB' '\(cheap) --pepper k=key' '\(cheap) --only md5-crypt'; do
                rm -f out; cp first out.partial; note in 2 out
                credkit upgrade --allow-incompatible --input in --output out --resume $options; echo $?; cmp first out.partial
            done
            credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?
            """
        )
        XCTAssertEqual(outcome.text, "65\n65\n65\n0\n", outcome.errors)
    }

    /// A run that is killed at once leaves an empty table, and no note or an empty one.
    func testRunThatWroteNothingIsResumed() throws {
        let outcome = try run(
            """
            for i in 1 2; do echo "u$i:\(sha)"; done > in; umask 077
            for note in 'rm -f out.partial.note' ': > out.partial.note'; do
                : > out.partial; eval "$note"
                credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?
                wc -l < out; ls; rm out
            done
            """
        )
        let expected = "0\n2\nbin\nin\nout\n"
        XCTAssertEqual(outcome.text, expected + expected, outcome.errors)
    }

    func testOutputPathIsTheFileThatWasWritten() throws {
        let outcome = try run(
            """
            echo "u:\(sha)" > in; mkfifo pipe.partial
            timeout 10 credkit upgrade --allow-incompatible --input in --output pipe --resume; echo $?
            # Retry with more records if the run ended before its file was replaced.
            for count in 300 1200 3000; do
                for i in $(seq $count); do echo "u$i:\(sha)"; done > in
                rm -f out out.partial; echo evil > evil
                credkit upgrade --allow-incompatible --input in --output out --memory 2MiB & child=$!
                while kill -0 $child && [ ! -s out.partial ]; do sleep 0.01; done
                mv -f evil out.partial; [ -e out ] || break
                wait $child
            done
            wait $child; echo $?; cat out.partial; ls out
            """
        )
        XCTAssertEqual(outcome.text, "77\n73\nevil\n", outcome.errors)
    }

    func testIgnoredSignalStaysIgnored() throws {
        let outcome = try run(
            """
            # Retry with more records if the run ended before the signal arrived.
            for count in 300 1200 3000; do
                for i in $(seq $count); do echo "u$i:\(sha)"; done > in
                rm -f out
                (trap '' HUP; exec credkit upgrade --allow-incompatible --input in --output out --memory 2MiB) & child=$!
                while kill -0 $child && [ ! -s out.partial ]; do sleep 0.01; done
                kill -HUP $child; [ ! -e out.partial ] || { echo on the way; break; }
                wait $child
            done
            wait $child; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "on the way\n0\n", outcome.errors)
        XCTAssertFalse(outcome.errors.contains("stopped"), outcome.errors)
    }

    func testPepperedHashesAreNotLayered() throws {
        let outcome = try run(
            """
            head -c 32 /dev/urandom > key
            printf p | credkit hash argon2id --memory 64KiB --passes 1 --pepper k=key > h
            echo "a:$(cat h)" > in
            credkit upgrade --allow-incompatible --input in --output out --memory 1MiB; echo $?; cmp in out
            """
        )
        XCTAssertEqual(outcome.text, "65\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("hashes with a pepper cannot be layered"), outcome.errors)
    }

    func testResumedRunNeedsTheSameHeader() throws {
        let outcome = try run(
            """
            printf 'name,hash\nu,\(sha)\n' > in.csv; printf 'Name,hash\n' > out.csv.partial; note in.csv 1 out.csv
            credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column hash --resume \(cheap); echo $?
            """
        )
        XCTAssertEqual(outcome.text, "65\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("record 1 is not"), outcome.errors)
    }

    func testResumedRunNeedsTheSameTable() throws {
        let outcome = try run(
            """
            for i in 1 2 3; do echo "u$i:\(sha)"; done > in
            credkit upgrade --allow-incompatible --input in --output out \(cheap) 2>/dev/null; mv out out.partial
            sed -i s/u2/v2/ in; cp out.partial before; note in 3 out
            credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?; cmp out.partial before
            sed -i s/v2/u2/ in; echo "u4:\(sha)" >> in; head -n 2 in > out.partial; note in 2 out
            credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?
            cp before out.partial; note in 3 out
            credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?; wc -l < out
            """
        )
        XCTAssertEqual(outcome.text, "65\n65\n0\n4\n", outcome.errors)
        XCTAssertTrue(
            outcome.errors.contains("record 2 is not what this input and these options produce"),
            outcome.errors
        )
    }

    /// A new hash does not show of which old one it was made: a password that was changed meanwhile would be valid again.
    func testChangesOfTheInputAreNoticedOnResume() throws {
        let rounds = TestForm.isDeep ? 100 : 4
        let outcome = try run(
            """
            cat > change.py <<'PYTHON'
            import os, random, subprocess, sys
            kind, seed = sys.argv[1], int(sys.argv[2])
            random.seed(seed)
            upgrade = {
                "layer": "credkit upgrade --allow-incompatible --as md5 --memory 8KiB --passes 1 --input in --output out".split(),
                "scram": "credkit upgrade --as timestamp --to scram-sha-256 --iterations 4096 --input in --output out".split(),
            }[kind]
            for round in range(\(rounds)):
                subprocess.run("rm -f out out.*", shell=True)
                lines = ["u%d:%s\\n" % (i, random.randbytes(16).hex()) for i in range(600)]
                open("in", "w").write("".join(lines))
                run = subprocess.Popen(upgrade, stderr=subprocess.DEVNULL)
                done = 0
                while run.poll() is None and done == 0:
                    try: done = open("out.partial").read().count("\\n")
                    except FileNotFoundError: pass
                run.kill(); run.wait()
                if os.path.exists("out"): continue
                done = open("out.partial").read().count("\\n")
                place = random.randrange(min(600, done * 3 // 2 + 1))
                changed = list(lines)
                what = random.choice(["hash", "swap", "drop", "add", "name"])
                # What resuming must never keep, in each run of this test.
                if round == 0: place, what = 0, "hash"
                if what == "hash": changed[place] = "u%d:%s\\n" % (place, random.randbytes(16).hex())
                if what == "name": changed[place] = "v" + changed[place][1:]
                if what == "swap": changed[place], changed[-1] = changed[-1], changed[place]
                if what == "drop": del changed[place]
                if what == "add": changed.insert(place, "new:%s\\n" % random.randbytes(16).hex())
                before = open("out.partial").read()
                open("in", "w").write("".join(changed))
                resumed = subprocess.run(upgrade + ["--resume"], capture_output=True, text=True)
                if resumed.returncode == 65:
                    assert open("out.partial").read() == before, "the partial output was changed"
                    assert place < done + 4096
                    continue
                assert resumed.returncode == 0, resumed.stderr
                new = open("out").read().splitlines()
                assert len(new) == len(changed), (what, place, done, len(new))
                # Taken over rightly: what was written before is of unchanged records only.
                kept = 0
                for old, line in zip(before.splitlines(), new):
                    if old != line: break
                    kept += 1
                assert changed[:kept] == lines[:kept], (what, place, done, kept)
                assert [l.split(":")[0] for l in new] == [l.split(":")[0] for l in changed]
            PYTHON
            python3 change.py layer 1 && python3 change.py scram 2 && echo right
            """
        )
        XCTAssertEqual(outcome.text, "right\n", outcome.errors)
    }

    func testANoteThatIsMissingOrOfOthersIsRefused() throws {
        let outcome = try run(
            """
            for i in 1 2 3; do echo "u$i:\(sha)"; done > in
            credkit upgrade --allow-incompatible --input in --output out \(cheap) 2>/dev/null; head -n 2 out > out.partial; rm out
            again() { credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?; }
            again; note in 2 out; chmod 622 out.partial.note; again; mv out.partial.note n; ln -s n out.partial.note; again
            rm out.partial.note; : > out.partial.note; again; note in 2 out; again; ls
            """
        )
        XCTAssertEqual(outcome.text, "73\n77\n73\n65\n0\nbin\nin\nn\nout\n", outcome.errors)
    }

    func testTruncatedRecordIsRewrittenOnResume() throws {
        let outcome = try run(
            """
            printf 'hash,note\n{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=,"a\nb"\n' > in.csv
            printf 'hash,note\nwhatever,"a\n' > out.csv.partial; note in.csv 3 out.csv; sed -i s/3/2/ out.csv.partial.note
            credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column hash \(cheap) --resume && tail -n 1 out.csv
            """
        )
        XCTAssertEqual(outcome.text, "b\"\n", outcome.errors)
    }

    func testFullyQuotedTableIsResumed() throws {
        let outcome = try run(
            """
            for i in 1 2 3; do printf '"u%s","\(sha)","x"\\r\\n' $i; done > in.csv
            upgrade="credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column 2 \(cheap)"
            $upgrade 2>/dev/null; head -n 2 out.csv > out.csv.partial; rm out.csv; note in.csv 2 out.csv
            $upgrade --resume; echo $?; wc -l < out.csv
            head -n 2 out.csv | sed 's/"x"/"y"/' > out.csv.partial; rm out.csv; note in.csv 2 out.csv
            $upgrade --resume; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "0\n3\n65\n", outcome.errors)
    }

    func testTimestampedLoginsAreNotLayered() throws {
        let outcome = try run("credkit upgrade --input in --output out --as timestamp")
        XCTAssertEqual(outcome.status, 64)
        XCTAssertTrue(
            outcome.errors.contains("Password-equivalents of a timestamped login cannot be layered"),
            outcome.errors
        )
    }

    func testConflictingUpgradeOptionsAreRefused() throws {
        for options in [
            "--salt x", "--salt-column 3", "--as salted-md5 --salt x --salt-column 3",
            "--as md5 --as hmac-md5 --key-id a", "--as salted-md5", "--as md5 --salt x",
            "--only md5 --key-id a",
            "--as hmac-md5", "--as nonsense", "--only nonsense", "--hash-column name", "--format csv",
            "--rounds 3",
            "--hash-column 0",
            "--memory-budget x", "stray", "--as md5 --rounds 0", "--as hmac-md5 --key-id a\\ b",
            "--passes 3KiB",
        ] {
            let outcome = try run(
                "touch in; credkit upgrade --allow-incompatible --input in --output out \(options)"
            )
            XCTAssertEqual(outcome.status, 64, options + outcome.errors)
        }
    }

    // MARK: Interruptions and failures

    func testInterruptStopsBetweenTwoRecords() throws {
        for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
            let outcome = try run(
                """
                # More records than the command can process before the signal arrives.
                seq -f 'u%.0f:\(sha)' 100000 > in; rm -f out
                # A process in the background would ignore the signal.
                env --default-signal=\(signal) credkit upgrade --allow-incompatible --input in --output out --memory 4MiB & child=$!
                while kill -0 $child && [ "$(wc -l < out.partial 2>/dev/null || echo 0)" -lt 20 ]; do sleep 0.01; done
                kill -\(signal) $child; wait $child; echo $?
                tail -c 1 out.partial | od -An -c
                # A few of the remaining records prove as much as all of them.
                head -n $(($(wc -l < out.partial) + 30)) in > start; mv start in
                credkit upgrade --allow-incompatible --input in --output out --resume --memory 4MiB; echo $?; wc -l < in | cmp - <(wc -l < out)
                """
            )
            XCTAssertTrue(outcome.text.hasPrefix("\(status)\n  \\n\n"), outcome.text + outcome.errors)
            XCTAssertTrue(outcome.errors.contains("continue with --resume"), outcome.errors)
            XCTAssertTrue(outcome.text.hasSuffix("0\n"), outcome.text + outcome.errors)
        }
    }

    func testFullDiskIsReportedAndResumed() throws {
        let outcome = try run(
            """
            for i in $(seq 1000); do echo "u$i:\(sha)"; done > in
            (ulimit -f 64; trap '' XFSZ; credkit upgrade --allow-incompatible --input in --output out \(cheap)); echo $?
            credkit upgrade --allow-incompatible --input in --output out --resume \(cheap); echo $?; wc -l < out
            """
        )
        XCTAssertEqual(outcome.text, "74\n0\n1000\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("out.partial: File too large"), outcome.errors)
    }

    func testConcurrentRunsDoNotWriteOneTable() throws {
        let outcome = try run(
            """
            for i in $(seq 3000); do echo "u$i:\(sha)"; done > in
            credkit upgrade --allow-incompatible --input in --output out --memory 16MiB 2>/dev/null & child=$!
            while kill -0 $child && [ ! -s out.partial ]; do sleep 0.01; done
            credkit upgrade --allow-incompatible --input in --output out --resume; echo $?
            kill $child; wait $child 2>/dev/null; true
            """
        )
        XCTAssertEqual(outcome.text, "75\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("another run is writing it"), outcome.errors)
    }

    func testUnterminatedRecordIsRefused() throws {
        let outcome = try run(
            "head -c 70000 /dev/zero | tr '\\0' x > in; credkit upgrade --allow-incompatible --input in --output out; echo $?; "
                + "printf 'h\\n\"unclosed\\n' > in.csv; head -c 70000 /dev/zero | tr '\\0' '\\n' >> in.csv; "
                + "credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column h; echo $?"
        )
        XCTAssertEqual(outcome.text, "65\n65\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("is a quote missing?"), outcome.errors)
    }
}
