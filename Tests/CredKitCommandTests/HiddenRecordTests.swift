// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

private let first = "f433c50293bc7afbe20b67ceb15a1e55"
private let second = "e10adc3949ba59abbe56e057f20f883e"
private let third = "5ebe2294ecd0e0f08eab7690d2a6ee69"

/// Lines inside of records: none may hide the hash of another account.
@Suite struct HiddenRecordTests {
    private static let cheap = "--memory 64KiB --passes 1"

    private struct Audit: Decodable {
        let records, accounts, multiline, hiddenLines: Int
    }

    private struct Upgrade: Decodable {
        let layered: Int
        let multiline, hiddenLines: Int?
    }

    /// Runs both commands on a table, and returns what they counted.
    private func read(
        _ table: String,
        as name: String,
        column: Int,
        status: Int32
    ) throws -> (audit: Audit, upgrade: Upgrade) {
        let shell = try Shell()
        defer { shell.remove() }
        try Data(table.utf8).write(to: shell.folder.appendingPathComponent(name))
        let options = "--json \(Self.cheap) --as md5 --hash-column \(column)"
        let audit = try shell.run("credkit audit \(options) \(name)")
        #expect(audit.status == status, "\(audit.errors)")
        let upgrade = try shell.run(
            "credkit upgrade --allow-incompatible \(options) --input \(name) --output out"
        )
        #expect(upgrade.status == status, "\(upgrade.errors)")
        let decoder = JSONDecoder()
        return (
            try decoder.decode(Audit.self, from: audit.output),
            try decoder.decode(Upgrade.self, from: upgrade.output)
        )
    }

    @Test(
        arguments: [
            // MySQL puts a backslash before a quote.
            ("1,\"evil\\\"\",\(first)\n2,\"bob\",\(second)\n3,\"carol\",\(third)\n", 3),
            ("1,\"evil, jr\\\"\",\(first)\n2,\"bob\",\(second)\n3,\"carol\",\(third)\n", 3),
            // Fields are not quoted at all.
            ("\(first),\"evil\n\(second),x\"\n", 1), ("\"evil,\(first)\nbob\",\(second)\n", 2),
            ("\(first),\"evil\r\n\(second),x\"\r\n", 1), ("\"evil,!\(first)\r\nbob\",\(second)\r\n", 2),
            ("1,\"*\n2,\(second)\n3\",x\n", 2),
        ] as [(String, Int)]
    )
    func firstAndLastLineOfARecordAreRead(table: String, column: Int) throws {
        let result = try read(table, as: "in.csv", column: column, status: 65)
        #expect(result.audit.hiddenLines == 1 && result.audit.multiline == 1)
        #expect(result.upgrade.hiddenLines == 1 && result.upgrade.multiline == 1)
    }

    @Test(
        arguments: [
            ("in.csv", ",", "", ""), ("in.csv", ",", "", "\""), ("in.csv", ",", "\"", ""),
            ("in.csv", ",", "\"", "\""), ("in.tsv", "\t", "", ""), ("table", ":", "", ""),
        ] as [(String, String, String, String)]
    )
    func carriageReturnsHideNoRecord(
        name: String,
        separator: String,
        quote: String,
        lastQuote: String
    ) throws {
        let lines = [("alice", first), ("bob", second), ("c", third)]
            .map { user, hash -> String in
                let fields = [quote + user + quote, quote + hash + quote, lastQuote + "x" + lastQuote]
                return fields.joined(separator: separator)
            }
        for end in ["\r", ""] {
            let result = try read(lines.joined(separator: "\r") + end, as: name, column: 2, status: 65)
            let audit = result.audit
            #expect([audit.records, audit.multiline, audit.hiddenLines] == ([1, 1, 2] as [Int]))
            #expect(result.upgrade.layered == 1 && result.upgrade.hiddenLines == 2)
        }
    }

    /// A carriage return between tabs is a line end only if a record follows: also with CRLF at the end of the table.
    @Test func tableOfMixedLineEndsHidesNoRecord() throws {
        let table = "1\t\(first)\ta\n2\t\(second)\tb\r3\t\(third)\tc\r\n"
        let result = try read(table, as: "in.tsv", column: 2, status: 65)
        #expect(result.audit.records == 2 && result.audit.hiddenLines == 1)
        #expect(result.upgrade.layered == 2 && result.upgrade.hiddenLines == 1)
    }

    @Test(
        arguments: [
            ("in.csv", "\"a\nb\",\(first)\n\"c\rd\",\(second)\n\"e\r\nf, g\",\"\(third)\"\n", 2, 2),
            ("in.csv", "\(first),\"of\ntwo, three\",x\n\"\(second)\",\"a\nb\"\n\(third),y\n", 1, 2),
            ("in.csv", "1,\"a\n\"\"b\"\", c\nd\",\(first),\"x\ny\"\n2,\"\",\(second)\n3,,\(third)\n", 3, 1),
            ("in.csv", "\"a\\\nb\",\(first)\r\n\"c\\\"\"\r\n\",\(second)\r\n\"\n,\",\(third)\r\n", 2, 3),
            ("in.tsv", "a\rb\t\(first)\n\r\r\t\(second)\tc\rd\n\"\t\(third)\tx\r\n", 2, 0),
            ("in.tsv", "\(first)\ta\rb\r\n\(second)\t\r\n\(third)\tx\r", 1, 0),
        ] as [(String, String, Int, Int)]
    )
    func linesOfTextsAreNoRecords(name: String, table: String, column: Int, spanning: Int) throws {
        let result = try read(table, as: name, column: column, status: 0)
        #expect(
            [result.audit.records, result.audit.accounts, result.audit.multiline, result.audit.hiddenLines]
                == ([3, 3, spanning, 0] as [Int])
        )
        #expect(result.upgrade.layered == 3)
        #expect(result.upgrade.multiline ?? 0 == spanning && result.upgrade.hiddenLines ?? 0 == 0)
    }
}
