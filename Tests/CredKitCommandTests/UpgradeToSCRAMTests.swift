// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// `credkit upgrade --as timestamp --to scram-sha-256`: password-equivalents of timestamped logins become SCRAM verifiers.
final class UpgradeToSCRAMTests: XCTestCase {
    private var shell: Shell?

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell?.remove() }

    private func run(_ script: String) throws -> Shell.Outcome {
        try XCTUnwrap(shell).run("umask 022; \(UpgradeNote.function); \(script)")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: try XCTUnwrap(shell).folder.appendingPathComponent(name), encoding: .utf8)
    }

    private func write(_ table: String, _ name: String = "in") throws {
        try table.write(
            to: try XCTUnwrap(shell).folder.appendingPathComponent(name),
            atomically: true,
            encoding: .utf8
        )
    }

    private let upgrade = "credkit upgrade --as timestamp --to scram-sha-256 --iterations 4096"
    private let login = Legacy.TimestampedLogin(keyPhrase: "itheima")

    /// Requires that a password-equivalent, and no password, logs in with the verifier of a record.
    private func checkLogin(_ password: String, _ record: SCRAM.Record) throws {
        let equivalent = login.passwordEquivalent(for: password)
        for (attempt, isRight) in [(equivalent.hex, true), (password, false)] {
            let client = try SCRAM.Client(username: "a")
            let server = try SCRAM.Server(clientFirst: .init(client.firstMessage), verifier: record.verifier)
            let challenge = try client.challenge(from: server.firstMessage)
            let keys = try SCRAM.ClientKeys(password: attempt, for: challenge)
            let answer = try server.verify(client.finalMessage(for: challenge, keys: keys).message)
            if case .accepted = answer {
                XCTAssertTrue(isRight, attempt)
            } else {
                XCTAssertFalse(isRight, attempt)
            }
        }
    }

    // MARK: States

    func testEquivalentsBecomeVerifiersAndAreDropped() throws {
        let (first, second) = (
            login.passwordEquivalent(for: "zhang").hex, login.passwordEquivalent(for: "li").hex
        )
        try write("# comment\nzhang:\(first):1:2\r\n\nli:!\(second.uppercased())\nn:*\nempty:")
        let outcome = try run(
            "\(upgrade) --input in --output out; echo $?; \(upgrade) --input out --output again; cmp out again"
        )
        XCTAssertEqual(outcome.text, "0\n", outcome.errors)
        XCTAssertEqual(
            outcome.errors,
            "credkit: 2 password-equivalents converted, 4 records kept, 0 not readable\n"
                + "credkit: 0 password-equivalents converted, 6 records kept, 0 not readable\n"
        )
        let out = try text("out")
        XCTAssertFalse(out.lowercased().contains(first) || out.lowercased().contains(second))
        // A carriage return and a line feed are one character.
        let lines = out.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        XCTAssertEqual(lines.count, 6)
        XCTAssertTrue(
            lines[1].hasPrefix("zhang:$layered-scram$keyid=timestamped-login${SCRAM-SHA-256}4096,"),
            out
        )
        XCTAssertTrue(lines[1].hasSuffix(":1:2\r"), out)
        XCTAssertTrue(lines[3].hasPrefix("li:!$layered-scram$"), out)
        for (line, password) in [(lines[1], "zhang"), (lines[3], "li")] {
            let field = line.split(separator: ":")[1].drop { $0 == "!" }
            try checkLogin(password, SCRAM.Record(String(field)))
            XCTAssertTrue(
                try PasswordContext(
                    policy: .recommended,
                    legacyKeys: ["timestamped-login": SecretBytes(Legacy.MD5.hash(secret: "itheima").hex)]
                ).verify(password, against: String(field)).isMatch
            )
        }
    }

    /// From state 0 to 1, and from 1 to 2 without computing the verifiers again.
    func testEquivalentsStayWhereOldClientsNeedThem() throws {
        let equivalent = login.passwordEquivalent(for: "zhang").hex
        try write("zhang:\(equivalent)\nli:\(login.passwordEquivalent(for: "li").hex)\n")
        let kept = try run(
            "\(upgrade) --input in --output both --keep-equivalent; echo $?; \(upgrade) --input both --output same --keep-equivalent 2>/dev/null; cmp both same"
        )
        XCTAssertEqual(kept.text, "0\n", kept.errors)
        XCTAssertTrue(kept.errors.contains("2 password-equivalents converted, 0 records kept"), kept.errors)
        XCTAssertTrue(kept.errors.contains("a thief of it still logs in with them"), kept.errors)
        let both = try text("both")
        let parts = both.split(separator: "\n")[0].split(separator: ":")[1].split(
            separator: "+",
            maxSplits: 1
        )
        XCTAssertEqual(String(parts[0]), equivalent)
        try checkLogin("zhang", SCRAM.Record(String(parts[1])))

        try write(both + "wang:\(login.passwordEquivalent(for: "wang").hex)\n", "both")
        let dropped = try run("\(upgrade) --input both --output out --json")
        XCTAssertEqual(dropped.status, 0, dropped.errors)
        XCTAssertEqual(dropped.text, UpgradeCountsText.json(["layered": 1, "removed": 2]) + "\n")
        let out = try text("out")
        XCTAssertTrue(out.hasPrefix("zhang:\(parts[1])\nli:$layered-scram$"), out)
        XCTAssertFalse(out.contains("+$"), out)
    }

    func testTablesOfCSVHaveThePostgreSQLForm() throws {
        let equivalent = login.passwordEquivalent(for: "zhang").hex
        try write("id,name,password\n1,\"z, h\",\(equivalent)\n2,l,\"\(equivalent)\"\n", "in.csv")
        for (target, hash) in [("scram-sha-256", "SHA-256"), ("scram-sha-512", "SHA-512")] {
            let outcome = try run(
                "credkit upgrade --as timestamp --to \(target) --iterations 4096 --input in.csv --hash-column password --output \(target).csv"
            )
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            let lines = try text("\(target).csv").split(separator: "\n")
            XCTAssertEqual(lines[0], "id,name,password")
            XCTAssertTrue(
                lines[1].hasPrefix("1,\"z, h\",$layered-scram$keyid=timestamped-login$SCRAM-\(hash)$4096:"),
                "\(lines)"
            )
            if target == "scram-sha-256" {
                try checkLogin("zhang", SCRAM.Record(String(lines[2].dropFirst(4))))
            }
        }
    }

    func testHashesThatCannotTakePartAreKeptAndReported() throws {
        let argon2id =
            "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$" + String(repeating: "A", count: 43)
        let pbkdf2 = "pbkdf2_sha256$4096$seasalt$pbn4lzoNrSCDYvvh12Dgp6HZ4ZBB8zTBaVSnWJ3DVgU="
        let plain =
            "{SCRAM-SHA-256}4096,W22ZaJ0SNY7soEsUEjb6gQ==,WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=,wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
        try write("a:\(argon2id)\nb:\(pbkdf2)\nc:\(plain)\nd:$layered-scram$keyid=app$\(plain)\n")
        let outcome = try run("\(upgrade) --input in --output out; echo $?; cmp in out")
        XCTAssertEqual(outcome.text, "65\n", outcome.errors)
        for message in [
            "in: record 1: kept: only a login that shows the password can make a SCRAM verifier of a hash of the scheme argon2id",
            "in: record 2: kept: its digest could become a SCRAM verifier, but each old copy of the table would log in",
            "0 password-equivalents converted, 2 records kept, 2 that only a login can convert, 0 not readable",
            "in: 2 records cannot be upgraded before the next login: argon2id 1 (record 1), pbkdf2-sha256 1 (record 2)",
        ] {
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        }
    }

    func testEachKernelMakesTheVerifiersOfItsRows() throws {
        // More than two groups, and a row in each that needs no computation.
        let passwords = (0..<41).map { "password \($0)" }
        let rows = passwords.enumerated().map { index, password in
            let equivalent = login.passwordEquivalent(for: password).hex
            return index % 7 == 3
                ? "user\(index):*" : "user\(index):\(index % 5 == 0 ? "!" : "")\(equivalent)"
        }
        try write(rows.joined(separator: "\n"))
        for kernels in ["", "sha", "avx2", "ssse3", "portable", "reference"] {
            let outcome = try run("rm -f out; CREDKIT_KERNELS=\(kernels) \(upgrade) --input in --output out")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            let lines = try text("out").split(separator: "\n")
            XCTAssertEqual(lines.count, rows.count)
            for (index, (line, row)) in zip(lines, rows).enumerated() {
                guard index % 7 != 3 else {
                    XCTAssertEqual(String(line), row)
                    continue
                }
                let prefix = "user\(index):\(index % 5 == 0 ? "!" : "")"
                XCTAssertTrue(line.hasPrefix(prefix), String(line))
                let verifier = try SCRAM.Record(String(line.dropFirst(prefix.count))).verifier
                let expected = try SCRAM.Verifier(
                    passwordEquivalent: login.passwordEquivalent(for: passwords[index]),
                    iterations: .fewer(4096),
                    salt: verifier.salt
                )
                XCTAssertEqual(verifier.storedKey, expected.storedKey, "row \(index), \(kernels)")
                XCTAssertEqual(verifier.serverKey, expected.serverKey, "row \(index), \(kernels)")
            }
        }
    }

    // MARK: Damaged records

    func testDamagedRecordsAreNumberedAndUnchanged() throws {
        let equivalent = login.passwordEquivalent(for: "zhang").hex
        let verifier =
            "$layered-scram$keyid=timestamped-login${SCRAM-SHA-256}4096,W22ZaJ0SNY7soEsUEjb6gQ==,WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=,wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
        let plain = String(verifier.split(separator: "$")[2])
        let otherKey = verifier.replacing("timestamped-login", with: "app")
        let damaged: [String] = [
            "\(equivalent.dropLast())", "\(equivalent)0", "\(equivalent)\(equivalent.prefix(8))",
            "\(equivalent)+",
            "\(equivalent.dropLast())g", "\(equivalent)+\(equivalent)",
            "\(equivalent)+\(verifier.dropLast())",
            "\(equivalent)+\(verifier)+", "\(equivalent) \(verifier)", "\(equivalent)+\(otherKey)",
            "\(equivalent)+\(plain)", "\(equivalent.dropLast())+\(verifier)", "\(verifier.dropLast(4))",
            verifier.replacing("4096", with: "0"), "\(equivalent)\u{0}", "é\(equivalent)",
            verifier.replacing("{SCRAM-SHA-256}4096,", with: "SCRAM-SHA-256$4096:"),
        ]
        let table = damaged.enumerated().map { "u\($0.offset):\($0.element)\n" }.joined()
        try write(table + "good:\(equivalent)\nno hash\n")
        let outcome = try run(
            "cp in before; \(upgrade) --input in --output out; echo $?; cmp in before; head -n \(damaged.count) out | cmp - <(head -n \(damaged.count) in)"
        )
        XCTAssertEqual(outcome.text, "65\n", outcome.errors)
        for number in Array(1...damaged.count) + [damaged.count + 2] {
            XCTAssertTrue(outcome.errors.contains("in: record \(number): "), "\(number): \(outcome.errors)")
        }
        XCTAssertTrue(outcome.errors.contains("record 17: the verifier is cut off"), outcome.errors)
        XCTAssertFalse(outcome.errors.contains(equivalent), "an equivalent is shown")
        XCTAssertTrue(
            outcome.errors.contains(
                "1 password-equivalents converted, 0 records kept, \(damaged.count + 1) not readable"
            ),
            outcome.errors
        )
        XCTAssertEqual(try text("out").components(separatedBy: "\n").count, damaged.count + 3)
    }

    func testOptionsOfOtherTargetsAreRefused() throws {
        try write("a:\(login.passwordEquivalent(for: "zhang").hex)\n")
        for (options, message) in [
            ("--to scram-sha-256", "requires --as timestamp"),
            ("--to scram-sha-256 --as md5", "requires --as timestamp"),
            ("--to scram-sha-256 --as hmac-md5 --key-id app", "requires --as timestamp"),
            ("--as timestamp", "--to scram-sha-256"), ("--as timestamp --to argon2id", "--to scram-sha-256"),
            ("--to scram-sha-1 --as timestamp", "did you mean 'scram-sha-"),
            ("--to scram-sha-256 --as timestamp --iterations 4095", "from 4,096 to 600,000"),
            ("--to scram-sha-256 --as timestamp --iterations 600001", "from 4,096 to 600,000"),
            ("--to scram-sha-256 --as timestamp --memory 64KiB", "none of the options"),
            ("--to scram-sha-256 --as timestamp --only md5-crypt", "none of the options"),
            ("--to scram-sha-256 --as timestamp --pepper k=in", "none of the options"),
            ("--to scram-sha-256 --as timestamp --salt-column 3", "none of the options"),
            ("--iterations 4096", "require --to scram-sha-256"),
            ("--keep-equivalent", "require --to scram-sha-256"),
        ] {
            let outcome = try run(
                "credkit upgrade --input in --output out \(options); echo $?; ls out* 2>/dev/null"
            )
            XCTAssertEqual(outcome.text, "64\n", options + outcome.errors)
            XCTAssertTrue(outcome.errors.contains(message), options + outcome.errors)
        }
    }

    /// A password-equivalent behind a known mark is converted; one within another text stays, and is reported.
    func testLockedEquivalentsAreNotForgotten() throws {
        let equivalent = login.passwordEquivalent(for: "zhang").hex
        try write("a:!\(equivalent) \nb:*LK*\(equivalent)\nc:!\(equivalent)\nd:*LK*\ne:!\n")
        let outcome = try run("\(upgrade) --input in --output out; echo $?; grep -c \(equivalent) out")
        XCTAssertEqual(outcome.text, "65\n1\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("record 1: unrecognized"), outcome.errors)
        XCTAssertTrue(
            outcome.errors.contains("the text behind the lock mark may contain a hash"),
            outcome.errors
        )
        XCTAssertTrue(
            outcome.errors.contains("2 password-equivalents converted, 2 records kept"),
            outcome.errors
        )
    }

    // MARK: Interrupted runs

    /// The run is killed at random moments, then resumed: no record is lost or there twice.
    func testRunIsResumedAfterKillsAtRandomMoments() throws {
        let rounds = TestForm.isDeep ? 50 : 5
        // Some batches of half a second.
        let (count, iterations) = (60, 100_000)
        let upgrade = "credkit upgrade --as timestamp --to scram-sha-256 --iterations \(iterations)"
        let equivalents = (0..<count).map { login.passwordEquivalent(for: "password \($0)").hex }
        try write(equivalents.enumerated().map { "user\($0.offset):\($0.element):\($0.offset)\n" }.joined())
        var random = SystemRandomNumberGenerator()
        for round in 1...rounds {
            let keep = round % 2 == 0 ? "--keep-equivalent" : ""
            // Up to the time of the whole run on a fast machine; the last kills may come too late.
            let moments = (0..<3).map { _ in "\(Double.random(in: 0.01...0.6, using: &random))" }
            let outcome = try run(
                """
                rm -f out out.partial* partial; resume=
                for moment in \(moments.joined(separator: " ")); do
                    \(upgrade) --input in --output out \(keep) $resume 2>/dev/null & child=$!
                    sleep $moment; kill -9 $child 2>/dev/null && echo killed; wait $child
                    [ ! -e out ] || break
                    # The kill may come before the file is there.
                    [ ! -e out.partial ] || resume=--resume
                    cp out.partial partial 2>/dev/null
                done 2>/dev/null
                [ -e out ] || \(upgrade) --input in --output out \(keep) $resume || exit
                # A kill may come between the last two names.
                [ ! -e out.partial ] || [ out.partial -ef out ] || exit 1
                # What was written before the last kill is still there, but for a record cut off.
                [ ! -e partial ] || { n=$(wc -l < partial); head -n $n out | cmp - <(head -n $n partial); }
                """
            )
            XCTAssertEqual(outcome.status, 0, outcome.text + outcome.errors)
            let lines = try text("out").split(separator: "\n")
            XCTAssertEqual(lines.count, count, "round \(round)")
            for (number, line) in lines.enumerated() {
                let fields = line.split(separator: ":")
                XCTAssertEqual(fields.count, 3)
                XCTAssertEqual([fields[0], fields[2]], ["user\(number)", "\(number)"])
                var field = fields[1]
                if !keep.isEmpty {
                    XCTAssertTrue(field.hasPrefix(equivalents[number] + "+"))
                    field = field.dropFirst(33)
                }
                let record = try SCRAM.Record(String(field))
                XCTAssertEqual(record.verifier.iterations, iterations)
                // Each is of its own password-equivalent; a few are enough.
                guard number % 11 == round % 11 else { continue }
                XCTAssertTrue(try record.verifier.matches(equivalents[number], preparation: .rfc4013))
            }
        }
    }

    func testRunIsResumedOnlyWithItsOwnOptions() throws {
        try write((1...3).map { "u\($0):\(login.passwordEquivalent(for: "p\($0)").hex)\n" }.joined())
        let outcome = try run(
            """
            \(upgrade) --input in --output out 2>/dev/null; head -n 2 out > first
            for options in '--iterations 4097' '--iterations 4096 --keep-equivalent'; do
                rm -f out; cp first out.partial; note in 2 out
                credkit upgrade --as timestamp --to scram-sha-256 --input in --output out --resume $options; echo $?; cmp first out.partial
            done
            credkit upgrade --as timestamp --to scram-sha-512 --input in --output out --resume --iterations 4096; echo $?
            sed -i s/u2/v2/ in; \(upgrade) --input in --output out --resume; echo $?; note in 2 out
            \(upgrade) --input in --output out --resume; echo $?; sed -i s/v2/u2/ in; note in 2 out
            \(upgrade) --input in --output out --resume; echo $?; wc -l < out; head -n 2 out | cmp - first
            """
        )
        XCTAssertEqual(outcome.text, "65\n65\n65\n65\n65\n0\n3\n", outcome.errors)
    }

    func testAuditIsThePlanOfTheUpgrade() throws {
        let equivalent = login.passwordEquivalent(for: "zhang").hex
        let md5Crypt = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"
        try write("# c\na:\(equivalent)\nb:!\(equivalent)\nc:\nd:*\ne:nonsense\nf:\(md5Crypt)\n")
        let outcome = try run(
            """
            audit='credkit audit --as timestamp --to scram-sha-256 --iterations 4096'
            $audit in | head -n 9; $audit in | tail -n 1 | cut -d, -f1; $audit --json in > audit; echo $?; ls
            \(upgrade) --json --input in --output out > counts
            jq -c '[.upgradable, .weak, .unreadable, .current, .withoutPassword, .locked, .comments, .lockedWithHash]' audit
            jq -c '[.layered, .rehash, .problems, .current, .withoutPassword, .locked, .comments, .lockedWithHash]' counts
            $audit out > /dev/null 2>&1; echo $?; grep -v -e nonsense -e iCQ2 out > converted; $audit --fail-on-weak converted > rest; echo $?
            tail -n 1 rest; $audit - < in; echo $?
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            records:            7
              current:          0
              upgradable:       2
              weak:             1 (only the next login replaces them)
              without-password: 1
              locked:           1
              unreadable:       1
              comments:         1
            locked-with-hash:   1
            upgrade:       2 password-equivalents to convert
            65
            audit
            bin
            in
            [2,1,1,0,1,1,1,1]
            [2,1,1,0,1,1,1,1]
            65
            0
            upgrade:       no password-equivalent to convert
            64

            """,
            outcome.errors
        )
    }

    /// A verifier with fewer iterations than new ones is weak: only the next login makes another one.
    func testVerifiersWithFewIterationsAreReported() throws {
        try write("a:\(login.passwordEquivalent(for: "zhang").hex)\nb:*\n")
        let outcome = try run(
            """
            \(upgrade) --input in --output out 2> /dev/null; echo $?
            credkit upgrade --as timestamp --to scram-sha-256 --iterations 4097 --input out --output again; echo $?; cmp out again
            """
        )
        XCTAssertEqual(outcome.text, "0\n65\n", outcome.errors)
        XCTAssertTrue(
            outcome.errors.contains(
                "record 1: kept: the SCRAM verifier has 4096 iterations, and new ones have 4097"
            ),
            outcome.errors
        )
    }
}
