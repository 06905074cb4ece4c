// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// A table with a hash of every stored form.
final class UpgradeFormsTests: XCTestCase {
    private struct Vectors: Decodable {
        struct Case: Decodable {
            let scheme: String
            let hash: String
            let password: String
        }
        let cases: [Case]
    }

    func testEveryRowOfATableOfAllFormsVerifiesAfterwards() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let data = TestScripts.root.appendingPathComponent("Vectors/Data")
        var cases: [Vectors.Case] = []
        for name in ["password-hashes", "framework-hashes"] {
            let json = try Data(contentsOf: data.appendingPathComponent("\(name).json"))
            cases += try JSONDecoder().decode(Vectors.self, from: json).cases
        }
        // A colon would end the field: such a hash needs CSV.
        let rows = cases.enumerated().map { "\($0),\"\($1.hash)\"\n" }.joined()
        try Data(rows.utf8).write(to: shell.folder.appendingPathComponent("rows"))
        // In parts of so few records that each is reported on a line of its own.
        let outcome = try shell.run(
            """
            split -l 20 -a 4 -d rows part.
            for part in part.*; do
                rm -f out; options='--format csv --header no --hash-column 2 --memory 64KiB --passes 1'
                credkit upgrade $options --input $part --output out || [ $? = 65 ] || exit
                cut -d, -f2- out | tr -d '"'
            done
            """
        )
        // Hashes that cannot be layered stay weak until the next login.
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertTrue(outcome.errors.contains(" cannot be upgraded before the next login: "), outcome.errors)
        let after = outcome.text.split(separator: "\n").map(String.init)
        XCTAssertEqual(after.count, cases.count)

        var policy = PasswordPolicy.recommended
        policy.preferred = try .argon2id(memory: .kibibytes(64), passes: 1)
        let context = try PasswordContext(policy: policy, legacyKeys: ["app": SecretBytes("84143")])
        var (layered, listed): (Set<String>, Set<String>) = ([], [])
        for (number, (old, stored)) in zip(cases, after).enumerated() {
            XCTAssertTrue(try context.verify(old.password, against: stored).isMatch, "\(old.hash): \(stored)")
            XCTAssertFalse(try context.verify("\u{1}" + old.password, against: stored).isMatch, stored)
            if stored.hasPrefix("$layered-argon2id$") {
                layered.insert(old.scheme)
            } else {
                XCTAssertEqual(stored, old.hash)
                let part = String(format: "part.%04d", number / 20)
                let isNamed = outcome.errors.contains("\(part): record \(number % 20 + 1): ")
                let isKept = try context.assess(PasswordHash(stored)) == .current
                XCTAssertTrue(isNamed != isKept, "\(stored): named \(isNamed), kept \(isKept)")
                if isNamed { listed.insert(old.scheme) }
            }
        }
        XCTAssertGreaterThanOrEqual(layered.count, 40)
        XCTAssertTrue(listed.isSuperset(of: ["argon2i", "scrypt"]), "\(listed)")
    }
}
