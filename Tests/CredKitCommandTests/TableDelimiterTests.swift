// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Characters between fields, and columns by name.
@Suite struct TableDelimiterTests {
    @Test(
        arguments: [(";", ";"), ("|", "|"), ("\t", "tab"), ("\t", #"\t"#), (" ", " "), (":", ":")]
            as [(String, String)]
    )
    func delimiterSeparatesFields(byte: String, option: String) throws {
        let table =
            "name\(byte)hash\r\n\"a\(byte)b\"\(byte)\(TableReading.sha)\r\n\"c\"\"d\"\(byte)\"\(TableReading.sha)\"\r\n"
        let result = try TableReading.read(table, as: "table", "--hash-column hash --delimiter '\(option)'")
        #expect(
            [result.audit.accounts, result.upgrade.layered, result.upgrade.kept] == ([2, 2, 0] as [Int])
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
            "echo 'alice,\(TableReading.md5)' > in.csv; echo 'alice;\(TableReading.sha)' > b.csv; "
                + "credkit audit in.csv --hash-column hash; credkit audit b.csv --hash-column hash"
        )
        #expect(outcome.status == 65 && outcome.errors.contains("give the numbers"), "\(outcome.errors)")
        for text in ["alice", TableReading.md5, TableReading.sha] {
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
}
