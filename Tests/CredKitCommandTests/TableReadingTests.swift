// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// Tables as databases, spreadsheets and other programs write them.
@Suite struct TableReadingTests {
    private static let md5 = "f433c50293bc7afbe20b67ceb15a1e55"
    private static let sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="
    private static let cheap = "--memory 64KiB --passes 1"

    private struct Audit: Decodable {
        let records, comments, accounts, empty, locked, unrecognized, incomplete, malformed: Int
    }

    private struct Upgrade: Decodable {
        let layered, kept, problems: Int
    }

    /// Runs both commands on a table, and returns what they counted and wrote.
    private func read(
        _ table: String,
        as name: String = "in.csv",
        _ options: String,
        status: Int32 = 0
    ) throws -> (audit: Audit, upgrade: Upgrade, output: String, errors: String) {
        let shell = try Shell()
        defer { shell.remove() }
        try Data(table.utf8).write(to: shell.folder.appendingPathComponent(name))
        let audit = try shell.run("credkit audit --json \(Self.cheap) \(options) \(name)")
        #expect(audit.status == status, "\(audit.errors)")
        let upgrade = try shell.run(
            "credkit upgrade --allow-incompatible --json \(Self.cheap) \(options) --input \(name) --output out.\(name)"
        )
        #expect(upgrade.status == status, "\(upgrade.errors)")
        let decoder = JSONDecoder()
        return (
            try decoder.decode(Audit.self, from: audit.output),
            try decoder.decode(Upgrade.self, from: upgrade.output),
            try shell.run("cat out.\(name)").text, audit.errors + upgrade.errors
        )
    }

    private static func context() throws -> PasswordContext {
        var policy = PasswordPolicy.recommended
        policy.preferred = try .argon2id(memory: .kibibytes(64), passes: 1)
        return try PasswordContext(policy: policy)
    }

    // MARK: NULL

    @Test(
        arguments: [
            ("in.tsv", "\t", #"\N"#, ""), ("in.tsv", "\t", "NULL", ""), ("in.tsv", "\t", "", ""),
            ("in.csv", ",", #"\N"#, ""), ("in.csv", ",", "NULL", ""), ("in.csv", ",", #""NULL""#, ""),
            ("in.csv", ",", "", ""), ("in.csv", ",", "\"\"", ""), ("table", ":", "NULL", ""),
            ("table", ":", #"\N"#, ""), ("in.csv", ",", "None", "--null None"),
            ("in.tsv", "\t", "n/a", "--null n/a"), ("table", ":", "-", "--null=-"),
        ] as [(String, String, String, String)]
    )
    func nullIsAnAccountWithoutAHash(name: String, separator: String, null: String, options: String) throws {
        let rows = [("a", null), ("b", Self.sha), ("c", null)]
        let table = rows.map { "\($0)\(separator)\($1)\n" }.joined()
        let result = try read(table, as: name, "--hash-column 2 \(options)")
        #expect([result.audit.records, result.audit.accounts, result.audit.empty] == ([3, 1, 2] as [Int]))
        #expect(
            [result.upgrade.layered, result.upgrade.kept, result.upgrade.problems] == ([1, 2, 0] as [Int])
        )
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "a\(separator)\(null)" && lines.dropFirst(2).first == "c\(separator)\(null)")
    }

    @Test(arguments: ["None", "n/a", "null", #"\n"#])
    func undeclaredTextIsNotNull(null: String) throws {
        let result = try read("1,\(Self.sha)\n2,\(null)\n", "--hash-column 2", status: 65)
        #expect(
            [result.audit.empty, result.audit.unrecognized, result.upgrade.problems] == ([0, 1, 1] as [Int])
        )
    }

    @Test(arguments: [
        TableReadingTests.md5, TableReadingTests.sha, "$1$", "'!\(TableReadingTests.sha)'",
        "'*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19'", "'\(TableReadingTests.md5):abc'",
        "'*LK*$1$abc$iCQ2D3nhptRYi27fDYv2s1'", "'!x{SHA}'", "'*LK*ZTlS6OmWgmF06,M.z8'",
    ])
    func nullCannotBeAHash(text: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            "credkit audit --hash-column 2 --null \(text.hasPrefix("'") ? text : "'\(text)'") in.csv"
        )
        #expect(outcome.status == 64 && outcome.errors.contains("--null takes a text"), "\(outcome.errors)")
    }

    /// The tables are those of Python, SQLite and MariaDB.
    @Test func tablesOfOtherWritersHaveTheirNulls() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let seed = Int.random(in: 0..<1 << 30)
        let outcome = try shell.run("python3 '\(TestScripts.path("table_nulls.py"))' \(seed) 4")
        #expect(outcome.text == "48 tables\n", "seed \(seed): \(outcome.errors)")
    }

    // MARK: Comments and headers

    @Test func commentsMayBeginWithBlanks() throws {
        let table = "  # users\n\t#b:x\n \n# c\na:\(Self.sha)\n"
        let result = try read(table, as: "table", "")
        #expect(
            [result.audit.comments, result.audit.accounts, result.audit.incomplete] == ([4, 1, 0] as [Int])
        )
        #expect([result.upgrade.kept, result.upgrade.layered] == ([4, 1] as [Int]))
        // The slow way, which a salt needs.
        let salted = "  # users\na:\(Self.md5):salt\n"
        let slow = try read(salted, as: "table", "--as salted-md5 --salt-column 3")
        #expect([slow.audit.comments, slow.audit.accounts, slow.upgrade.kept] == ([1, 1, 1] as [Int]))
    }

    /// A user's name can begin like a comment, and a comment can have words like those of hashes.
    @Test func accountsThatLookLikeCommentsAreReported() throws {
        let table = """
            # see: {docs}
            # a: $HOME
            # of $1$: $1$ is old
            #x:{PLAIN} is plain
            #eve:{PLAIN}secret
            #carl:$1$bad
            a:\(Self.sha)
            #d:\(String(repeating: "$", count: 2000))

            """
        let result = try read(table, as: "table", "", status: 65)
        #expect(
            [result.audit.comments, result.audit.accounts, result.audit.malformed] == ([4, 1, 1] as [Int])
        )
        #expect(
            [result.upgrade.kept, result.upgrade.layered, result.upgrade.problems] == ([4, 1, 3] as [Int])
        )
        for number in [5, 6, 8] { #expect(result.errors.contains("record \(number):"), "\(result.errors)") }
    }

    @Test(
        arguments: [
            ("id,password", true), ("user,pw_hash", true), ("\u{FEFF}login,\"hash\"", true),
            (",passwd", true), ("emailVerified,sha256_hash", true), ("1,password", false),
            ("user,5en6G6MezRroT3", false), ("user,NULL", false), ("user,\(TableReadingTests.sha)", false),
            ("user,x", false),
            ("user,a1b2c3", false), ("alice,hunter2", false), ("user_id,userCredential", true),
            ("id,PW", true),
            ("upward,upward", false), ("id,\(String(repeating: "a", count: 30))_hash", false),
        ] as [(String, Bool)]
    )
    func headerIsFoundWithoutNames(first: String, isHeader: Bool) throws {
        let shell = try Shell()
        defer { shell.remove() }
        try Data("\(first)\nb,\(Self.sha)\n".utf8).write(to: shell.folder.appendingPathComponent("in.csv"))
        let outcome = try shell.run(
            """
            credkit audit --hash-column 2 \(Self.cheap) in.csv | grep records
            credkit upgrade --allow-incompatible --hash-column 2 \(Self.cheap) --input in.csv --output out.csv
            """
        )
        #expect(outcome.text.hasPrefix("records:            \(isHeader ? 1 : 2)\n"), "\(outcome.text)")
        let messages = outcome.errors.components(separatedBy: "in.csv: record 1 is taken as a header")
        #expect(messages.count == (isHeader ? 3 : 1), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("1 hashes layered") == !first.hasSuffix(Self.sha),
            "\(outcome.errors)"
        )
    }

    @Test func recordThatMayBeAHeaderIsAnAccount() throws {
        let result = try read("alice,hunter2\nbob,\(Self.sha)\n", "--hash-column 2", status: 65)
        #expect(
            [result.audit.records, result.audit.unrecognized, result.upgrade.problems]
                == ([2, 1, 1] as [Int])
        )
        #expect(result.errors.contains("if it is a header, use --header yes"), "\(result.errors)")
        #expect(!result.errors.contains("hunter2"), "\(result.errors)")
    }

    @Test func headerCanBeDeclared() throws {
        let table = "user,password\nb,\(Self.sha)\n"
        let with = try read(table, "--hash-column 2 --header yes")
        #expect(with.audit.records == 1 && !with.errors.contains("header"))
        let without = try read(table, "--hash-column 2 --header no", status: 65)
        #expect(
            [without.audit.records, without.audit.unrecognized, without.upgrade.problems]
                == ([2, 1, 1] as [Int])
        )
        let shell = try Shell()
        defer { shell.remove() }
        #expect(try shell.run("credkit audit --hash-column hash --header no in.csv").status == 64)
    }

    // MARK: Delimiters

    @Test(
        arguments: [(";", ";"), ("|", "|"), ("\t", "tab"), ("\t", #"\t"#), (" ", " "), (":", ":")]
            as [(String, String)]
    )
    func delimiterSeparatesFields(byte: String, option: String) throws {
        let table =
            "name\(byte)hash\r\n\"a\(byte)b\"\(byte)\(Self.sha)\r\n\"c\"\"d\"\(byte)\"\(Self.sha)\"\r\n"
        let result = try read(table, as: "table", "--hash-column hash --delimiter '\(option)'")
        #expect(
            [result.audit.accounts, result.upgrade.layered, result.upgrade.kept] == ([2, 2, 1] as [Int])
        )
        #expect(result.output.hasPrefix("name\(byte)hash\r\n\"a\(byte)b\"\(byte)$layered-argon2id$"))
    }

    @Test(
        arguments: [
            ("id;password;salt", "password", "--delimiter ';' it has the columns id, password, salt"),
            ("id\tpassword", "password", "--delimiter tab it has the columns id, password"),
            ("id|password", "hash", "--delimiter '|' it has the columns id, password"),
            ("id,passwd,'it'", "password", "no column named password"),
            ("id,passwd", "password", "it has the columns id, passwd"),
            ((1...12).map { "name\($0)" }.joined(separator: ","), "password", "name9, name10 and 2 more"),
            ("c1,c2", "password", "it has 2 columns; if it is no header"),
            ("c1", "password", "it has 1 column;"),
            ("userId,joined at", "password", "it has the columns userId, 'joined at'"),
        ] as [(String, String, String)]
    )
    func missingColumnNamesThoseThatAreThere(first: String, column: String, message: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        try Data("\(first)\n".utf8).write(to: shell.folder.appendingPathComponent("in.csv"))
        for command in ["audit", "upgrade --output out --input"] {
            let outcome = try shell.run("credkit \(command) in.csv --hash-column \(column)")
            #expect(outcome.status == 65 && outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    /// A first record that is no header may hold the hash of an account.
    @Test func missingColumnShowsNoHash() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            "echo 'alice,\(Self.md5)' > in.csv; echo 'alice;\(Self.sha)' > b.csv; "
                + "credkit audit in.csv --hash-column hash; credkit audit b.csv --hash-column hash"
        )
        #expect(outcome.status == 65 && outcome.errors.contains("give the numbers"), "\(outcome.errors)")
        for text in ["alice", Self.md5, Self.sha] {
            #expect(!outcome.errors.contains(text), "\(outcome.errors)")
        }
    }

    @Test(arguments: [
        "XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg", "5f4dcc3b5aa765d6", "hunter", "ZTlS6OmWgmF06",
    ])
    func missingColumnShowsNoUnknownHash(hash: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        for name in ["alice", "david", "upward"] {
            for separator in [",", ";", "|"] {
                try Data("\(name)\(separator)\(hash)\n".utf8)
                    .write(to: shell.folder.appendingPathComponent("in.csv"))
                for command in ["audit", "upgrade --output out --input"] {
                    let outcome = try shell.run("credkit \(command) in.csv --hash-column password")
                    #expect(outcome.status == 65 && outcome.errors.contains("give the numbers"))
                    #expect(
                        !outcome.errors.contains(name) && !outcome.errors.contains(hash),
                        "\(outcome.errors)"
                    )
                }
            }
        }
    }

    // MARK: Salts

    @Test(arguments: ["in.csv", "in.tsv"])
    func saltBehindItsHashIsRead(name: String) throws {
        let separator = name == "in.csv" ? "," : "\t"
        // MD5 of "secretsalt" and of "secret".
        let cells = ["99cd2e5a95d555ee7be3b038a4a84625:salt", "5ebe2294ecd0e0f08eab7690d2a6ee69:"]
        let rows =
            cells + ["5ebe2294ecd0e0f08eab7690d2a6ee69", "!5ebe2294ecd0e0f08eab7690d2a6ee69:x", "5ebe:y"]
        let table = rows.map { "a\(separator)\($0)\n" }.joined()
        let options = "--hash-column 2 --as salted-md5 --salt-separator :"
        let result = try read(table, as: name, options, status: 65)
        // A digest alone may have lost its salt.
        #expect([result.audit.accounts, result.audit.unrecognized] == ([3, 1] as [Int]))
        #expect([result.upgrade.layered, result.upgrade.problems] == ([3, 2] as [Int]))
        let hashes = result.output.split(separator: "\n")
            .map { $0.dropFirst(2).filter { $0 != "\"" } }
        let context = try Self.context()
        for index in 0..<2 {
            #expect(
                try context.verify("secret", against: hashes[index]).isMatch,
                "\(hashes[index])"
            )
        }
        #expect(hashes[2] == rows[2] && hashes[3].hasPrefix("!$layered-argon2id$") && hashes[4] == "5ebe:y")
    }

    @Test(
        arguments: [
            ("table", "--as salted-md5 --salt-separator :"), ("in.csv", "--as md5 --salt-separator :"),
            ("in.csv", "--as salted-md5 --salt-separator : --salt x"),
            ("in.csv", "--as salted-md5 --salt-separator ab"), ("in.csv", "--delimiter ab"),
            ("in.csv", "--delimiter '\"'"), ("in.tsv", "--format tsv --delimiter ';'"),
        ] as [(String, String)]
    )
    func optionsThatDoNotFitAreRefused(name: String, options: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        #expect(try shell.run("credkit audit \(name) --hash-column 2 \(options)").status == 64)
    }

    @Test func emptySaltIsASaltAndAMissingFieldIsNot() throws {
        let digest = "5ebe2294ecd0e0f08eab7690d2a6ee69"
        let result = try read(
            "a:\(digest):\nb:\(digest)\n",
            as: "table",
            "--as salted-md5 --salt-column 3",
            status: 65
        )
        #expect([result.audit.accounts, result.audit.incomplete] == ([1, 1] as [Int]))
        let layered = String(result.output.split(separator: "\n")[0].dropFirst(2).dropLast())
        #expect(try Self.context().verify("secret", against: layered).isMatch)
        #expect(try String(describing: PasswordHash(layered)) == layered)
    }

    // MARK: Other files

    @Test(
        arguments: [
            ("-- MySQL dump 10.13  Distrib 8.0.36\n", "mariadb -B -e"),
            ("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\n", "mariadb -B -e"),
            ("/*!40101 SET NAMES utf8 */;\n", "mariadb -B -e"),
            ("\u{FEFF}-- phpMyAdmin SQL Dump\n", "mariadb -B -e"),
            ("--\n-- PostgreSQL database dump\n--\n\n", "psql -d DATABASE -c"),
            ("--\n-- PostgreSQL database dump\n--\n\n\\restrict abc\n", #"'\copy (SELECT id"#),
            ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", "sqlite3 -csv"),
            ("insert into users values (1, 'x');\n", "dump in SQL"),
            ("CREATE TABLE users (id int);\n", "dump in SQL"),
            ("COPY public.users (id, password) FROM stdin;\n", "psql"),
            ("dn: uid=a,dc=example,dc=com\nuserPassword:: e1NIQX0=\n", "LDIF"),
            ("# extended LDIF\n#\n\nversion: 1\n\ndn: cn=a\n", "LDIF"),
            ("SQLite format 3\0\u{10}", "sqlite3 -csv"), ("PGDMP\u{1}\u{e}", "pg_dump's own format"),
            ("PK\u{3}\u{4}", "save the sheet as CSV"), ("a\0:\0b\0\n\0", "UTF-16LE"),
        ] as [(String, String)]
    )
    func filesThatAreNoTableAreRecognized(beginning: String, message: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let long = String(repeating: "x", count: 70_000)
        try Data((beginning + long).utf8).write(to: shell.folder.appendingPathComponent("in"))
        for command in ["audit in", "audit - < in", "upgrade --input in --output out"] {
            let outcome = try shell.run("credkit \(command)")
            #expect(outcome.status == 65 && outcome.errors.contains(message), "\(command): \(outcome.errors)")
            #expect(!outcome.errors.contains("longer than"), "\(outcome.errors)")
        }
        #expect(try shell.run("ls -d in* out*").text == "in\n")
    }

    @Test func dumpsAndCompressedFilesOfTheirProgramsAreRecognized() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            echo 'a:\(Self.sha)' > t; gzip -k t; xz -k t; iconv -f UTF-8 -t UTF-16 t > wide
            sqlite3 d.db 'CREATE TABLE t (id int, password text)'; sqlite3 d.db .dump > d.sql
            for file in t.gz t.xz wide d.db d.sql; do credkit audit $file; echo $?; done
            """
        )
        #expect(outcome.text == "65\n65\n65\n65\n65\n", "\(outcome.errors)")
        for word in ["gunzip", "unxz", "iconv -f UTF-16LE", "database of SQLite", "dump in SQL"] {
            #expect(outcome.errors.contains(word), "\(word): \(outcome.errors)")
        }
    }

    @Test(arguments: [
        "--admin:", "dn:", "version:", "set:", "copy:", "insert:", "BZhang:", "-- :", "/*!:",
        "copy x from stdin:", "insert into x:", "\u{FEFF}-- a:",
    ])
    func usersWithUnusualNamesAreRead(name: String) throws {
        let result = try read("\(name)\(Self.sha)\n", as: "table", "")
        #expect([result.audit.accounts, result.upgrade.layered] == ([1, 1] as [Int]))
    }

    @Test func zeroByteInAHashIsSaid() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            "printf 'abcd:\(Self.sha)\\nb:x\\0y\\n' > in; credkit audit in; credkit upgrade --allow-incompatible \(Self.cheap) --input in --output out"
        )
        #expect(outcome.status == 65)
        let messages = outcome.errors.components(separatedBy: "in: record 2: the hash field has a NUL byte")
        #expect(messages.count == 3, "\(outcome.errors)")
    }
}
