// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Comments, and the names of columns in the first record.
@Suite struct TableHeaderTests {
    @Test func commentsMayBeginWithBlanks() throws {
        let table = "  # users\n\t#b:x\n \n# c\na:\(TableReading.sha)\n"
        let result = try TableReading.read(table, as: "table", "")
        #expect(
            [result.audit.comments, result.audit.accounts, result.audit.incomplete] == ([4, 1, 0] as [Int])
        )
        #expect([result.upgrade.kept, result.upgrade.layered] == ([4, 1] as [Int]))
        // The slow way, which a salt needs.
        let salted = "  # users\na:\(TableReading.md5):salt\n"
        let slow = try TableReading.read(salted, as: "table", "--as salted-md5 --salt-column 3")
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
            a:\(TableReading.sha)
            #d:\(String(repeating: "$", count: 2000))

            """
        let result = try TableReading.read(table, as: "table", "", status: 65)
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
            ("user,5en6G6MezRroT3", false), ("user,NULL", false), ("user,\(TableReading.sha)", false),
            ("user,x", false),
            ("user,a1b2c3", false), ("alice,hunter2", false), ("user_id,userCredential", true),
            ("id,PW", true),
            ("upward,upward", false), ("id,\(String(repeating: "a", count: 30))_hash", false),
        ] as [(String, Bool)]
    )
    func headerIsFoundWithoutNames(first: String, isHeader: Bool) throws {
        let shell = try Shell()
        defer { shell.remove() }
        try Data("\(first)\nb,\(TableReading.sha)\n".utf8).write(
            to: shell.folder.appendingPathComponent("in.csv")
        )
        let outcome = try shell.run(
            """
            credkit audit --hash-column 2 \(TableReading.cheap) in.csv | grep records
            credkit upgrade --allow-incompatible --hash-column 2 \(TableReading.cheap) --input in.csv --output out.csv
            """
        )
        #expect(outcome.text.hasPrefix("records:            \(isHeader ? 1 : 2)\n"), "\(outcome.text)")
        let messages = outcome.errors.components(separatedBy: "in.csv: record 1 is taken as a header")
        #expect(messages.count == (isHeader ? 3 : 1), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("1 hashes layered") == !first.hasSuffix(TableReading.sha),
            "\(outcome.errors)"
        )
    }

    @Test func recordThatMayBeAHeaderIsAnAccount() throws {
        let result = try TableReading.read(
            "alice,hunter2\nbob,\(TableReading.sha)\n",
            "--hash-column 2",
            status: 65
        )
        #expect(
            [result.audit.records, result.audit.unrecognized, result.upgrade.problems]
                == ([2, 1, 1] as [Int])
        )
        #expect(result.errors.contains("if it is a header, use --header yes"), "\(result.errors)")
        #expect(!result.errors.contains("hunter2"), "\(result.errors)")
    }

    @Test func headerCanBeDeclared() throws {
        let table = "user,password\nb,\(TableReading.sha)\n"
        let with = try TableReading.read(table, "--hash-column 2 --header yes")
        #expect(with.audit.records == 1 && !with.errors.contains("header"))
        let without = try TableReading.read(table, "--hash-column 2 --header no", status: 65)
        #expect(
            [without.audit.records, without.audit.unrecognized, without.upgrade.problems]
                == ([2, 1, 1] as [Int])
        )
        let shell = try Shell()
        defer { shell.remove() }
        #expect(try shell.run("credkit audit --hash-column hash --header no in.csv").status == 64)
    }
}
