// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Fields that stand for no hash.
@Suite struct TableNullTests {
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
        let rows = [("a", null), ("b", TableReading.sha), ("c", null)]
        let table = rows.map { "\($0)\(separator)\($1)\n" }.joined()
        let result = try TableReading.read(table, as: name, "--hash-column 2 \(options)")
        #expect([result.audit.records, result.audit.accounts, result.audit.empty] == ([3, 1, 2] as [Int]))
        #expect(
            [result.upgrade.layered, result.upgrade.kept, result.upgrade.problems] == ([1, 2, 0] as [Int])
        )
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "a\(separator)\(null)" && lines.dropFirst(2).first == "c\(separator)\(null)")
    }

    @Test(arguments: ["None", "n/a", "null", #"\n"#])
    func undeclaredTextIsNotNull(null: String) throws {
        let result = try TableReading.read(
            "1,\(TableReading.sha)\n2,\(null)\n",
            "--hash-column 2",
            status: 65
        )
        #expect(
            [result.audit.empty, result.audit.unrecognized, result.upgrade.problems] == ([0, 1, 1] as [Int])
        )
    }

    @Test(arguments: [
        TableReading.md5, TableReading.sha, "$1$", "'!\(TableReading.sha)'",
        "'*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19'", "'\(TableReading.md5):abc'",
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
}
