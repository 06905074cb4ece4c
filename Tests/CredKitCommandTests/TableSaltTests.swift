// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// Salts beside and behind hashes.
@Suite struct TableSaltTests {
    @Test(arguments: ["in.csv", "in.tsv"])
    func saltBehindItsHashIsRead(name: String) throws {
        let separator = name == "in.csv" ? "," : "\t"
        // MD5 of "secretsalt" and of "secret".
        let cells = ["99cd2e5a95d555ee7be3b038a4a84625:salt", "5ebe2294ecd0e0f08eab7690d2a6ee69:"]
        let rows =
            cells + ["5ebe2294ecd0e0f08eab7690d2a6ee69", "!5ebe2294ecd0e0f08eab7690d2a6ee69:x", "5ebe:y"]
        let table = rows.map { "a\(separator)\($0)\n" }.joined()
        let options = "--hash-column 2 --as salted-md5 --salt-separator :"
        let result = try TableReading.read(table, as: name, options, status: 65)
        // A digest alone may have lost its salt.
        #expect([result.audit.accounts, result.audit.unrecognized] == ([3, 1] as [Int]))
        #expect([result.upgrade.layered, result.upgrade.problems] == ([3, 2] as [Int]))
        let hashes = result.output.split(separator: "\n")
            .map { $0.dropFirst(2).filter { $0 != "\"" } }
        let context = try TableReading.context()
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
        let result = try TableReading.read(
            "a:\(digest):\nb:\(digest)\n",
            as: "table",
            "--as salted-md5 --salt-column 3",
            status: 65
        )
        #expect([result.audit.accounts, result.audit.incomplete] == ([1, 1] as [Int]))
        let layered = String(result.output.split(separator: "\n")[0].dropFirst(2).dropLast())
        #expect(try TableReading.context().verify("secret", against: layered).isMatch)
        #expect(try String(describing: PasswordHash(layered)) == layered)
    }
}
