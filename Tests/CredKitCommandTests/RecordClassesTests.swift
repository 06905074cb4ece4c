// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitVectors
import Foundation
import Testing

/// Properties of `credkit audit` and `credkit upgrade` over random tables.
@Suite struct RecordClassesTests {
    private struct Case: Decodable {
        let scheme: String
        let hash: String
        let password: String
    }

    private struct Audit: Decodable {
        let records, current, upgradable, weak, withoutPassword, locked, unreadable, comments: Int
        let lockedWithHash: Int
    }

    /// A record, and what was put into it.
    private struct Record {
        let field: String
        var mark: String?
        var hash: Case?
    }

    private static let marks = ["", "", "", "!", "!!", "*", "*LOCKED*", "*LK*", "*AL*", "!*LK*", "*LK*!"]
    private static let unknown = ["LOCKED;", "*SUSPENDED*", "disabled", "*locked*", "! ", "x-"]
    private static let texts = [
        "", "x", "NP", "UP", "*NP*", "!", "!!", "*", "!*", "*LK*", "*LK*NP", "*************", "!x",
        "! on leave", "*20261123", "!" + String(repeating: "xB3dE", count: 8), "nonsense", "$1$", "!$",
        "{SHA}",
        "!nonsense-and-more", "5ebe2294ecd0e0f08eab7690d2a6ee69", "*5ebe2294ecd0e0f08eab7690d2a6ee69",
        "{CRYPT}", "{CRYPT}!", "{crypt}!x", "{SSHA}!", "{CRYPT}!ZTlS6OmWgmF0", "{PLAIN}!secret", "invalid",
    ]

    private func record(_ vectors: [Case], _ random: inout SeededGenerator) -> Record {
        let vector = vectors[Int.random(in: vectors.indices, using: &random)]
        func pick(_ texts: [String]) -> String { texts[Int.random(in: texts.indices, using: &random)] }
        switch Int.random(in: 0..<10, using: &random) {
        case 0...5:
            let mark = pick(Self.marks)
            return Record(field: mark + vector.hash, mark: mark, hash: vector)
        case 6: return Record(field: pick(Self.unknown) + vector.hash, hash: vector)
        case 7: return Record(field: pick(Self.marks) + vector.hash.dropLast())
        default: return Record(field: pick(Self.texts))
        }
    }

    @Test func eachRecordIsCountedOnceAndNoWeakOneIsPassedOver() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let names = [
            "password-hashes", "framework-hashes", "prefixed-hashes", "published-prefixed-hashes",
            "scram-verifiers",
        ]
        let context = try Self.context()
        let vectors = try names.flatMap { try VectorFile<Case>.load($0).cases }
            .filter { vector in
                guard let hash = try? PasswordHash(vector.hash) else { return false }
                return (try? context.verify(vector.password, against: hash).isMatch) == true
            }
        // A colon would end the field of a table with colons; those of MediaWiki, Joomla, Werkzeug and PostgreSQL have some.
        let withoutColons = vectors.filter { !$0.hash.contains(":") }
        let withColons = vectors.filter { $0.hash.contains(":") }
        #expect(withoutColons.count > 200 && withColons.count > 30)
        // Large tables, and small ones: of so few records each is reported on a line of its own.
        for count in [200, 2000] + Array(repeating: 20, count: TestForm.isDeep ? 200 : 20) {
            let records = (0..<count).map { _ in record(withoutColons, &random) }
            try check(records, .colons, "seed \(seed)")
        }
        // Half of the hashes in CSV are those with colons.
        for count in [200] + Array(repeating: 20, count: TestForm.isDeep ? 200 : 10) {
            let records = (0..<count).map { record($0.isMultiple(of: 2) ? vectors : withColons, &random) }
            try check(records, .csv, "seed \(seed)")
        }
    }

    /// The format of a table, with names for users and a further column.
    private enum Format {
        case colons, csv

        var name: String { self == .colons ? "in" : "in.csv" }
        var options: String { self == .colons ? "" : "--hash-column 2 --header no" }

        func line(_ number: Int, _ field: String) -> String {
            guard self == .csv else { return "u\(number):\(field):1" }
            let quoted = field.replacing("\"", with: "\"\"")
            return "u\(number),\"\(quoted)\",1"
        }

        func field(_ line: Substring) -> String {
            guard self == .csv else {
                return String(line.split(separator: ":", omittingEmptySubsequences: false)[1])
            }
            let field = line.drop { $0 != "," }.dropFirst().dropLast(2)
            guard field.hasPrefix("\"") else { return String(field) }
            return String(field.dropFirst().dropLast()).replacing("\"\"", with: "\"")
        }
    }

    private func check(_ records: [Record], _ format: Format, _ seed: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let lines = records.enumerated().map { format.line($0, $1.field) + "\n" }
        let comments = format == .colons ? "# comment\n\n" : ""
        try Data((lines.joined() + comments).utf8).write(to: shell.folder.appending(path: format.name))
        let options = "--memory 64KiB --passes 1 \(format.options)"
        let audited = try shell.run("credkit audit --json \(options) \(format.name)")
        let strict = try shell.run("credkit audit --json --fail-on-weak \(options) \(format.name)")
        let upgraded = try shell.run(
            "credkit upgrade --allow-incompatible --json \(options) --input \(format.name) --output out"
        )
        let audit = try JSONDecoder().decode(Audit.self, from: audited.output)
        let counts = try JSONDecoder().decode([String: Int].self, from: upgraded.output)

        // The classes.
        #expect(audit.records == records.count + (format == .colons ? 2 : 0), "\(seed)")
        let sum =
            audit.current + audit.upgradable + audit.weak + audit.withoutPassword + audit.locked
            + audit.unreadable + audit.comments
        #expect(sum == audit.records, "\(seed)")
        let expected = [
            "layered": audit.upgradable, "rehash": audit.weak, "problems": audit.unreadable,
            "current": audit.current, "withoutPassword": audit.withoutPassword, "locked": audit.locked,
            "comments": audit.comments, "lockedWithHash": audit.lockedWithHash,
        ]
        #expect(UpgradeCountsText.json(counts) == UpgradeCountsText.json(expected), "\(seed)")

        // The statuses.
        let remaining = audit.weak + audit.unreadable
        #expect(audited.status == (audit.unreadable > 0 ? 65 : 0), "\(seed): \(audited.errors)")
        let weak = audit.weak + audit.upgradable > 0 ? 1 : 0
        #expect(Int(strict.status) == (audit.unreadable > 0 ? 65 : weak), "\(seed)")
        #expect(upgraded.status == (remaining > 0 ? 65 : 0), "\(seed): \(upgraded.errors)")

        #expect(upgraded.errors.split(separator: "\n").count < 70, "\(seed)")
        if records.count <= 20 { try checkRecords(records, format, upgraded.errors, remaining, shell, seed) }
    }

    private static func context() throws -> PasswordContext {
        var policy = PasswordPolicy.recommended
        policy.preferred = try .argon2id(memory: .kibibytes(64), passes: 1)
        return try PasswordContext(policy: policy, legacyKeys: ["app": SecretBytes("84143")])
    }

    private func checkRecords(
        _ records: [Record],
        _ format: Format,
        _ errors: String,
        _ remaining: Int,
        _ shell: Shell,
        _ seed: String
    ) throws {
        let context = try Self.context()
        let lines = try String(contentsOf: shell.folder.appending(path: "out"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        var named = 0
        for (number, record) in records.enumerated() {
            let field = format.field(lines[number])
            let isNamed = errors.contains("\(format.name): record \(number + 1): ")
            named += isNamed ? 1 : 0
            let note = "\(seed): \(record.field)"
            if isNamed { #expect(field == record.field, "\(note)") }
            guard let hash = record.hash else { continue }
            guard let mark = record.mark else {
                #expect(isNamed, "\(note)")
                continue
            }
            #expect(field.hasPrefix(mark), "\(note)")
            let stored = String(field.dropFirst(mark.count))
            let isMatch = try context.verify(hash.password, against: stored).isMatch
            #expect(isMatch, "\(note)")
            let isCurrent = try context.assess(PasswordHash(hash.hash)) == .current
            #expect(isNamed || isCurrent || field != record.field, "\(note)")
        }
        #expect(named == remaining, "\(seed): \(errors)")
    }
}
