// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

final class AuditCommandTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell.remove() }

    private let md5Crypt = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"
    private let sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="
    private let cheap = "--memory 64KiB --passes 1"

    private struct Sharing: Decodable, Equatable {
        let accounts: Int
        let values: Int
        let largest: Int
    }

    private struct Audit: Decodable {
        struct Group: Decodable {
            let scheme: String
            let accounts: Int
            let locked: Int
            let upgrade: String
        }
        struct Upgrade: Decodable { let hashes: Int }
        let records, comments, accounts, empty, shadowed, locked, notSelected: Int
        let malformed, unrecognized, ambiguous, unsupported, overLimit, incomplete: Int
        let malformedRows, unrecognizedRows, unsupportedRows: [Int]
        let groups: [Group]
        let equalHashes, sharedSalts: Sharing
        let upgrade: Upgrade

        var steps: [String: Int] { groups.reduce(into: [:]) { $0[$1.upgrade, default: 0] += $1.accounts } }
    }

    private func audit(_ arguments: String, status: Int32 = 0, line: UInt = #line) throws -> Audit {
        let outcome = try shell.run("credkit audit --json \(cheap) \(arguments)")
        XCTAssertEqual(outcome.status, status, outcome.errors, line: line)
        return try JSONDecoder().decode(Audit.self, from: outcome.output)
    }

    // MARK: Counts

    /// 40,000 records of all schemes whose formats `audit_count.py` knows, 1 % of them damaged.
    func testCountsEqualAnIndependentCount() throws {
        struct Count: Decodable {
            let schemes: [String: Int]
            let locked, marked, bad, ambiguous: Int
            let rows: [Int]
            let equalHashes, sharedSalts: Sharing
        }
        let script = TestScripts.path("audit_count.py")
        let data = "\(TestScripts.root.path)/Vectors/Data"
        let vectors = "'\(data)/password-hashes.json' '\(data)/framework-hashes.json'"
        let outcome = try shell.run(
            "python3 '\(script)' make 40000 \(vectors) > table && python3 '\(script)' count table"
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let count = try JSONDecoder().decode(Count.self, from: outcome.output)
        XCTAssertGreaterThanOrEqual(count.schemes.count, 40)
        XCTAssertGreaterThan(count.bad, 200)

        let audit = try audit("table", status: 65)
        // The command names bare digests as its option `--as` does.
        var names = ["hmac-md5": "hex-hmac-md5", "ntlm": "hex-ntlm"]
        for name in ["md5", "sha1", "sha256", "sha384", "sha512"] {
            names[name] = "hex-\(name)"
            names["salted-\(name)"] = "hex-\(name)"
        }
        var schemes: [String: Int] = [:]
        for group in audit.groups {
            schemes[names[group.scheme] ?? group.scheme, default: 0] += group.accounts
        }
        XCTAssertEqual(schemes, count.schemes)
        XCTAssertEqual(audit.groups.reduce(0) { $0 + $1.locked }, count.locked)
        XCTAssertEqual(audit.locked, count.marked)
        XCTAssertEqual(audit.ambiguous, count.ambiguous)
        XCTAssertEqual(audit.malformed + audit.unrecognized + audit.unsupported, count.bad)
        XCTAssertEqual(
            Array((audit.malformedRows + audit.unrecognizedRows + audit.unsupportedRows).sorted().prefix(20)),
            count.rows
        )
        XCTAssertEqual(audit.equalHashes, count.equalHashes)
        XCTAssertEqual(audit.sharedSalts, count.sharedSalts)
        XCTAssertEqual(audit.records, 40_000)
    }

    /// More accounts than are counted in memory, which takes half a minute in a debug build.
    func testLargeTableIsCountedThroughFilesThatLeaveNothingBehind() throws {
        try XCTSkipUnless(TestForm.isDeep, "CREDKIT_DEEP is not 1")
        let outcome = try shell.run(
            """
            seq 600000 | awk '{ printf "u%d:%032d\\n", $1, $1 * 7 % 250000 }' > table; mkdir files
            TMPDIR=$PWD/files credkit audit --json --as md5 \(cheap) table; echo $?; ls -A files
            cut -d: -f2 table | sort | uniq -d | wc -l
            (ulimit -f 64; trap '' XFSZ; credkit audit --as md5 --temporary-folder files table); echo $?
            credkit audit --as md5 --temporary-folder nowhere table; echo $?
            # A table without an end, because this shell holds the pipe open.
            mkfifo pipe; exec 9<> pipe; cat table > pipe 9>&- &
            # The signal is ignored where the tests run in the background, until env changes that.
            TMPDIR=$PWD/files env --default-signal=INT credkit audit --as md5 pipe 9>&- & child=$!
            for i in $(seq 1000); do ls -l /proc/$child/fd 2>/dev/null | grep -q 'files/.*deleted' && break; sleep 0.02; done
            ls -l /proc/$child/fd 2>/dev/null | grep -c 'files/.*deleted' > open
            kill -INT $child; wait $child; echo $?; ls -A files; exec 9>&-; wait
            """
        )
        let lines = outcome.text.split(separator: "\n").map(String.init)
        XCTAssertEqual(Array(lines.dropFirst()), ["0", "250000", "74", "74", "130"], outcome.errors)
        let audit = try JSONDecoder().decode(Audit.self, from: Data((lines.first ?? "").utf8))
        XCTAssertEqual(audit.equalHashes, Sharing(accounts: 600_000, values: 250_000, largest: 3))
        XCTAssertEqual(audit.sharedSalts, Sharing(accounts: 0, values: 0, largest: 0))
        XCTAssertTrue(
            outcome.errors.contains("--temporary-folder names another folder): File too large"),
            outcome.errors
        )
        XCTAssertTrue(outcome.errors.contains("No such file or directory"), outcome.errors)
        XCTAssertNotEqual(try shell.run("cat open").text, "0\n")
    }

    // MARK: Formats

    func testTablesOfAllFormatsAreRead() throws {
        _ = try shell.run(
            """
            printf 'root:x:0:0:root:/root:/bin/bash\\nold:\(md5Crypt):1:1::/:/bin/sh\\n' > passwd
            printf 'a:!\(md5Crypt):19000::::::\\nb:*:19000::::::\\nc:!!:\\nd::19000\\n# x\\n\\n' > shadow
            printf 'name,"pass,word"\\r\\n"a, b","\(sha)"\\r\\n"c\\nd",\(sha)\\r\\n' > t.csv
            printf 'name\\tpassword\\na\\t\(sha)\\n"b\\\\tc\\t\(sha)' > t.tsv
            printf '\\xef\\xbb\\xbf1,f433c50293bc7afbe20b67ceb15a1e55,shop\\n2,f433c50293bc7afbe20b67ceb15a1e55,\\n' > s.csv
            """
        )
        let passwd = try audit("passwd")
        XCTAssertEqual([passwd.records, passwd.shadowed, passwd.accounts], [2, 1, 1])
        let shadow = try audit("shadow")
        XCTAssertEqual([shadow.records, shadow.locked, shadow.empty, shadow.comments], [6, 2, 1, 2])
        XCTAssertEqual(shadow.groups.map(\.locked), [1])
        for arguments in [
            "t.csv --hash-column pass,word", "t.tsv --hash-column password",
            "- --format tsv --hash-column 2 < t.tsv",
            "<(cat t.csv) --format csv --hash-column pass,word",
        ] {
            let table = try audit(arguments)
            XCTAssertEqual(table.records, 2, arguments)
            XCTAssertEqual(table.equalHashes, Sharing(accounts: 2, values: 1, largest: 2), arguments)
        }
        let salted = try audit("s.csv --hash-column 2 --salt-column 3 --as salted-md5")
        XCTAssertEqual([salted.accounts, salted.incomplete], [2, 0])
        // An empty salt is a salt.
        XCTAssertEqual(salted.groups.map(\.scheme).sorted(), ["md5", "salted-md5"])
        XCTAssertEqual(try audit("/dev/null").records, 0)
        let undeclared = try audit("s.csv --hash-column 2", status: 65)
        XCTAssertEqual(undeclared.ambiguous, 2)
        for (arguments, status) in [
            ("nothing", 74), (".", 74), ("t.csv", 64), ("t.csv --hash-column x", 65), ("passwd --salt x", 64),
            ("passwd --as timestamp", 64), ("passwd --memory-budget 1KiB", 65), ("", 64),
        ] as [(String, Int32)] {
            XCTAssertEqual(try shell.run("credkit audit \(arguments)").status, status, arguments)
        }
    }

    /// The hashes of Werkzeug contain colons.
    func testTablesThatCannotHoldTheirHashesAreExplained() throws {
        let hash = "pbkdf2:sha256:1000$salt$\(String(repeating: "a", count: 64))"
        _ = try shell.run(
            """
            printf 'a:\(md5Crypt)\\nb:\(hash)\\nc:scrypt:32768:8:1$salt$aa\\n#:scrypt:\\n' > table
            printf 'name,hash\\nb,\(hash)\\n' > table.csv
            """
        )
        let hint = "table: record 2: the hash is cut off: hashes of Werkzeug contain colons"
        for (command, count) in [("audit", 1), ("upgrade --allow-incompatible --output new --input", 2)] {
            let outcome = try shell.run("credkit \(command) table")
            XCTAssertEqual(outcome.status, 65, outcome.errors)
            XCTAssertTrue(outcome.errors.contains(hint), outcome.errors)
            XCTAssertTrue(outcome.errors.contains("CSV"), outcome.errors)
            XCTAssertEqual(
                outcome.errors.components(separatedBy: "Werkzeug").count - 1,
                count,
                outcome.errors
            )
        }
        let table = try audit("table", status: 65)
        XCTAssertEqual([table.accounts, table.incomplete, table.comments], [1, 2, 1])
        let csv = try audit("table.csv --hash-column hash")
        XCTAssertEqual(csv.groups.map(\.scheme), ["pbkdf2-sha256"])
        XCTAssertEqual(try shell.run("credkit audit --hash-column hash table.csv").errors, "")
    }

    /// In a table without quoted fields, two names with a quote enclose the records between them.
    func testRecordsBetweenQuotesAreNotHidden() throws {
        let outcome = try shell.run(
            """
            for i in 1 '"2' 3 4 5 '6"' 7; do printf '%s\\t%s\\n' "$i" "\(sha)"; done > t.tsv
            tr '\\t' , < t.tsv > t.csv; printf '1,\(sha)\\n"2,\(sha)\\n' > open.csv
            printf 'a,"x\\ny",\(sha)\\n' > lines.csv; printf 'a,"\(sha),\(sha)\\nb",\(sha)\\n' > first.csv
            for table in t.tsv t.csv open.csv; do
                credkit audit --hash-column 2 $table | grep -E '^(records|  upgradable):'; echo ${PIPESTATUS[0]}
                credkit upgrade --allow-incompatible \(cheap) --json --hash-column 2 --input $table --output new-$table; echo $?
            done
            credkit audit --hash-column 3 lines.csv > /dev/null; echo $?
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            records:            7
              upgradable:       7
            0
            \(UpgradeCountsText.json(["layered": 7]))
            0
            records:            3
              upgradable:       3
            65
            \(UpgradeCountsText.json(["hiddenLines": 4, "layered": 3, "multiline": 1]))
            65
            records:            2
              upgradable:       1
            65
            \(UpgradeCountsText.json(["layered": 1, "problems": 1]))
            65
            0

            """,
            outcome.errors
        )
        for message in ["record spans several lines", "4 lines in quotes", "a quote is not closed"] {
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        }
    }

    /// Lines end with CRLF in RFC 4180, and with CR alone in tables of old systems.
    func testQuotesHideNoRecordOfOtherLineEndings() throws {
        let md5 = "e10adc3949ba59abbe56e057f20f883e"
        let outcome = try shell.run(
            """
            printf 'name,hash\\n"mallory,\(md5)\\nb,\(md5)\\nc,\(md5)\\nmallory2",\(md5)\\nd,\(md5)\\n' > lf.csv
            sed 's/$/\\r/' lf.csv > crlf.csv; sed 1d lf.csv | tr '\\n' '\\r' | tr -d '"' > cr.csv
            check() {
                credkit audit --as md5 --hash-column $1 $2 > /dev/null; echo $?
                credkit upgrade --allow-incompatible \(cheap) --as md5 --json --hash-column $1 --input $2 --output new-$2; echo $?
            }
            check hash lf.csv; check hash crlf.csv; check 2 cr.csv
            printf '# users\\ra:\(md5)\\rb:\(md5)\\r' > comment; check 2 comment
            printf 'guest:*:1\\rroot:\(md5):2\\rz:\(md5)' > locked; check 2 locked
            printf 'x:!:\\rroot:\(md5)\\nb:\(md5)\\n' > mixed; check 2 mixed
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            65
            \(UpgradeCountsText.json(["hiddenLines": 3, "layered": 2, "multiline": 1]))
            65
            65
            \(UpgradeCountsText.json(["hiddenLines": 3, "layered": 2, "multiline": 1]))
            65
            65
            \(UpgradeCountsText.json(["hiddenLines": 4, "multiline": 1, "problems": 1]))
            65
            65
            \(UpgradeCountsText.json(["hiddenLines": 2, "comments": 1, "multiline": 1]))
            65
            65
            \(UpgradeCountsText.json(["hiddenLines": 2, "locked": 1, "multiline": 1]))
            65
            65
            \(UpgradeCountsText.json(["hiddenLines": 1, "locked": 1, "layered": 1, "multiline": 1]))
            65

            """,
            outcome.errors
        )
    }

    /// The tables are those of MariaDB, PostgreSQL and Python.
    func testTablesOfOtherWritersHaveTheirRecords() throws {
        try XCTSkipUnless(TestForm.isDeep, "CREDKIT_DEEP is not 1")
        let server = try PostgreSQLServer()
        let arguments = "\(Int.random(in: 0..<1 << 30)) 25 '\(server.superuserConnectionString)'"
        let outcome = try shell.run("python3 '\(TestScripts.path("table_peers.py"))' \(arguments)")
        XCTAssertEqual(outcome.text.split(separator: "\n").count, 4, outcome.errors)
    }

    func testByteOrderMarkIsNoPartOfATable() throws {
        _ = try shell.run(
            """
            printf '\\xef\\xbb\\xbf# users\\na:\(sha)\\n' > commented
            printf '\\xef\\xbb\\xbfa:\(sha)\\nb:\(sha)\\n' > table
            printf '\\xef\\xbb\\xbff433c50293bc7afbe20b67ceb15a1e55\\n' > digests
            """
        )
        let commented = try audit("commented")
        XCTAssertEqual([commented.records, commented.comments, commented.accounts], [2, 1, 1])
        try upgrade("commented", ["layered": 1, "comments": 1], 0)
        XCTAssertEqual(try audit("table").equalHashes, Sharing(accounts: 2, values: 1, largest: 2))
        XCTAssertEqual(try audit("digests --hash-column 1 --as md5").accounts, 1)
        let upgraded = try shell.run(
            "credkit upgrade --allow-incompatible \(cheap) --input table --output new; head -c 5 new | od -An -c"
        )
        XCTAssertEqual(upgraded.text, " 357 273 277   a   :\n", upgraded.errors)
    }

    /// CSV (RFC 4180) and TSV have no comments, and a lost or doubled digit of MySQL's hash is no lock.
    func testRowsThatLookLikeSomethingElseAreListed() throws {
        let digits = "2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19"
        _ = try shell.run(
            """
            printf 'id,hash\\n#1,\(sha)\\n#2,nonsense\\n"#3",nonsense\\n\\n' > t.csv
            tr , '\\t' < t.csv > t.tsv; tr , : < t.csv | tail -n +2 > table
            printf 'a:*\(digits)\\nb:*\(digits)9\\nc:!*\(digits.dropLast())\\nd:*20261123\\n' > mysql
            """
        )
        for table in ["t.csv", "t.tsv"] {
            let rows = try audit("\(table) --hash-column hash", status: 65)
            XCTAssertEqual([rows.accounts, rows.comments, rows.unrecognized], [1, 1, 2], table)
            XCTAssertEqual(rows.unrecognizedRows, [3, 4], table)
            try upgrade(
                "\(table) --hash-column hash",
                ["layered": 1, "comments": 1, "problems": 2],
                65
            )
        }
        let lines = try audit("table", status: 65)
        XCTAssertEqual([lines.accounts, lines.comments, lines.unrecognized], [1, 2, 1])
        try upgrade("table", ["layered": 1, "comments": 2, "problems": 1], 65)
        let mysql = try audit("mysql", status: 65)
        XCTAssertEqual([mysql.accounts, mysql.locked, mysql.malformed], [1, 1, 2])
        XCTAssertEqual(mysql.malformedRows, [2, 3])
        try upgrade("mysql", ["layered": 1, "locked": 1, "problems": 2], 65)
    }

    private func upgrade(_ arguments: String, _ counts: [String: Int], _ status: Int32, line: UInt = #line)
        throws
    {
        let outcome = try shell.run(
            "rm -f out; credkit upgrade --allow-incompatible --json \(cheap) --output out --input \(arguments)"
        )
        XCTAssertEqual(outcome.status, status, outcome.errors, line: line)
        XCTAssertEqual(outcome.text, UpgradeCountsText.json(counts) + "\n", line: line)
    }

    func testNothingOfARecordIsPrinted() throws {
        let outcome = try shell.run(
            """
            printf 'zoltan:\(md5Crypt)\\nzoltan2:$6$saltysalt$damaged\\nzoltan3:\(sha)\\nzoltan4:f433c50293bc7afbe20b67ceb15a1e55\\n' > table
            credkit audit \(cheap) table; credkit audit --json \(cheap) table; credkit upgrade --allow-incompatible \(cheap) --input table --output new
            """
        )
        XCTAssertTrue(outcome.text.contains("md5-crypt"), outcome.errors)
        XCTAssertTrue(outcome.text.contains("1, in records 4; declare their scheme with --as"), outcome.text)
        for secret in ["zoltan", "iCQ2D3nhp", "abc$", "saltysalt", "damaged", "5en6G6M", "f433c5"] {
            XCTAssertFalse((outcome.text + outcome.errors).contains(secret), secret)
        }
    }

    // MARK: The upgrade

    /// Audit and upgrade agree on what happens to each record.
    func testAuditIsThePlanOfTheUpgrade() throws {
        let script = TestScripts.path("audit_count.py")
        let data = "\(TestScripts.root.path)/Vectors/Data"
        let vectors = "'\(data)/password-hashes.json' '\(data)/framework-hashes.json'"
        let outcome = try shell.run(
            """
            python3 '\(script)' make 2000 \(vectors) > table
            printf 'a:\\n# c\\nb\\nc:x\\nd:!\\n' >> table
            credkit upgrade --allow-incompatible --json \(cheap) --input table --output new; echo $?
            """
        )
        let lines = outcome.text.split(separator: "\n").map(String.init)
        XCTAssertEqual(Array(lines.dropFirst()), ["65"], outcome.errors)
        let counts = try JSONDecoder().decode([String: Int].self, from: Data(lines[0].utf8))
        let audit = try audit("table", status: 65)
        XCTAssertEqual(audit.upgrade.hashes, counts["layered"])
        XCTAssertEqual(audit.steps["layer"], counts["layered"])
        let classes = ["layered", "kept", "rehash", "problems"]
        XCTAssertEqual(audit.records, classes.reduce(0) { $0 + (counts[$1] ?? 0) })
        XCTAssertEqual(audit.steps["rehash"] ?? 0, counts["rehash"])
        XCTAssertEqual(try shell.run("credkit upgrade --allow-incompatible --input table").status, 64)
    }

    /// A selected scheme is layered although its hashes are strong.
    func testEstimateIsThatOfTheSelectedSchemes() throws {
        _ = try shell.run(
            """
            printf 'a:\(md5Crypt)\nb:\(sha)\nc:\(sha)\n' > table
            printf 'd:%s\n' "$(printf p | credkit hash bcrypt --cost 12)" >> table
            """
        )
        for only in ["md5-crypt", "ldap-sha", "bcrypt", "argon2id", "md5-crypt --only ldap-sha"] {
            let audit = try audit("table --only \(only)")
            let outcome = try shell.run(
                "rm -f out; credkit upgrade --allow-incompatible --json \(cheap) --only \(only) --input table --output out"
            )
            let counts = try JSONDecoder().decode([String: Int].self, from: outcome.output)
            XCTAssertEqual(audit.upgrade.hashes, counts["layered"], only)
            XCTAssertEqual(audit.steps["layer"] ?? 0, counts["layered"], only)
            XCTAssertEqual(audit.notSelected, counts["notSelected"], only)
            let strict = try shell.run("credkit audit --fail-on-weak \(cheap) --only \(only) table")
            XCTAssertEqual(strict.status, audit.upgrade.hashes > 0 ? 1 : 0, strict.errors)
        }
    }

    /// The text, of a table that an upgrade refuses without an option.
    func testHashesOfOtherProgramsAreAnnounced() throws {
        let outcome = try shell.run(
            """
            printf 'a:\(md5Crypt)\\nb:\(sha)\\n' > table
            credkit audit \(cheap) table | tail -n 4; credkit audit --json \(cheap) table | jq .upgrade.incompatible
            credkit audit \(cheap) --only apr1 table | sed -n '8p; /incompatible/p'
            """
        )
        let lines = outcome.text.split(separator: "\n").map(String.init)
        guard lines.count == 6 else { return XCTFail(outcome.text + outcome.errors) }
        XCTAssertEqual(lines[0], "incompatible:  2 of these hashes are of schemes that other programs read")
        XCTAssertTrue(lines[1].hasSuffix("cannot read layered hashes"), lines[1])
        XCTAssertTrue(lines[3].hasSuffix("'credkit upgrade' needs --allow-incompatible"), lines[3])
        XCTAssertEqual(lines[4...], ["2", "  not-selected:     2"])
    }

    /// The classes are those of JSON, and their numbers add up to that of the records.
    func testClassesOfTheTextAddUp() throws {
        let outcome = try shell.run(
            """
            printf 'a:\(md5Crypt)\nb:!\(md5Crypt)\nc:\nd:x\ne:!\nf:nonsense\n# g\n' > table
            credkit audit \(cheap) table | head -n 9
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            records:            7
              current:          0
              upgradable:       2
              weak:             0
              without-password: 2 (empty 1, shadowed 1)
              locked:           1
              unreadable:       1
              comments:         1
            locked-with-hash:   1

            """,
            outcome.errors
        )
    }

    /// Weak hashes that cannot be layered are a failure of the upgrade, and so is a strong one over a limit.
    func testUpgradeAgreesWithTheAuditOnHashesThatItCannotLayer() throws {
        let outcome = try shell.run(
            """
            printf 'a:%s\\n' "$(printf p | credkit hash scrypt --cost 4)" > weak
            head -c 32 /dev/urandom > key
            printf 'b:%s\\n' "$(printf p | credkit hash argon2id \(cheap) --pepper k=key)" >> weak
            printf 'c:%s\\n' "$(printf p | credkit hash argon2id --memory 64MiB --passes 3)" | cat weak - > table
            credkit audit --json weak; echo $?
            credkit upgrade --allow-incompatible --json --input weak --output new 2> errors; echo $?; cmp weak new; grep -c 'record [12]: to' errors
            head -n 1 weak > again.partial; chmod 600 again.partial
            \(UpgradeNote.function); note weak 1 again
            credkit upgrade --allow-incompatible --json --input weak --output again --resume 2> /dev/null; echo $?; cmp weak again
            limit='--memory-limit 32MiB'
            credkit audit --json $limit table; echo $?
            credkit upgrade --json $limit --input table --output third 2> errors; echo $?; cmp table third
            grep -c 'record 3: .*memory' errors; grep 'hashes layered' errors; tail -n 1 errors
            """
        )
        let lines = outcome.text.split(separator: "\n").map(String.init)
        guard lines.count == 14 else { return XCTFail(outcome.text + outcome.errors) }
        let weak = try JSONDecoder().decode(Audit.self, from: Data(lines[0].utf8))
        XCTAssertEqual(weak.steps, ["rehash": 2])
        let kept = UpgradeCountsText.json(["rehash": 2])
        XCTAssertEqual(Array(lines[1...6]), ["0", kept, "65", "2", kept, "65"])
        let table = try JSONDecoder().decode(Audit.self, from: Data(lines[7].utf8))
        XCTAssertEqual(table.steps, ["rehash": 2, "refuse": 1])
        XCTAssertEqual(table.overLimit, 1)
        let refused = UpgradeCountsText.json(["problems": 1, "rehash": 2])
        XCTAssertEqual(
            Array(lines[8...]),
            [
                "65", refused, "65", "1",
                "credkit: 0 hashes layered, 0 records kept, 2 to rehash at the next login, 1 not verifiable",
                "credkit: table: 2 records cannot be upgraded before the next login: argon2id 1 (record 2), "
                    + "scrypt 1 (record 1); 1 record cannot be read: over-limit 1 (record 3)",
            ],
            outcome.errors
        )
    }

    /// With two workers for these costs, the sample would take twice the memory.
    func testSampleTakesTheMemoryOfOneLargeHash() throws {
        let outcome = try shell.run(
            """
            seq -f 'u%g:\(sha)' 100 > table
            python3 - <<'END'
            import resource, subprocess
            subprocess.run(["credkit", "audit", "--json", "--memory", "128MiB", "--passes", "1", "table"], check=True)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            END
            """
        )
        let lines = outcome.text.split(separator: "\n")
        XCTAssertEqual(lines.count, 2, outcome.errors)
        XCTAssertLessThan(Int(lines.last ?? "") ?? .max, 230 * 1024)
    }
}
