// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import CredKitTestSupport
import XCTest

final class PasswordTableAuditTests: XCTestCase {
    private struct Case: Decodable {
        let scheme: String
        let hash: String
    }

    private static let vectors: [Case] = {
        (try? VectorFile<Case>.load("password-hashes").cases) ?? []
    }()

    private let md5Crypt = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"

    // MARK: Counts

    func testAccountsAreCountedBySchemeAndCost() throws {
        XCTAssertGreaterThan(Self.vectors.count, 50)
        var audit = PasswordTableAudit()
        for (index, vector) in Self.vectors.enumerated() { audit.add(vector.hash, row: index + 1) }
        XCTAssertEqual(audit.records, Self.vectors.count)
        XCTAssertEqual(audit.accounts, Self.vectors.count)
        for problem in PasswordTableAudit.Problem.allCases {
            XCTAssertEqual(audit.rows(problem), .init(), "\(problem)")
        }
        let schemes = Dictionary(grouping: Self.vectors, by: \.scheme).mapValues(\.count)
        let counted = Dictionary(grouping: audit.groups, by: \.scheme.name)
            .mapValues { $0.reduce(0) { $0 + $1.accounts } }
        XCTAssertEqual(counted, schemes)
    }

    /// The assessment of a hash is remembered for hashes of the same shape, which must not change it.
    func testGroupsAreWhatEachHashIsAssessedAs() throws {
        let contexts = [
            PasswordContext(),
            try PasswordContext(
                policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1))
            ),
            try PasswordContext(
                policy: .recommended,
                limits: PasswordLimits(computationTime: .milliseconds(50))
            ),
        ]
        for context in contexts {
            var audit = PasswordTableAudit(context: context)
            var expected: [String: Int] = [:]
            for vector in Self.vectors + Self.vectors {
                let hash = try PasswordHash(vector.hash)
                audit.add(vector.hash, row: 1)
                expected[
                    "\(hash.scheme) \(hash.parameters) \(context.assess(hash)) \(context.upgradeStep(for: hash))",
                    default: 0
                ] += 1
            }
            var found: [String: Int] = [:]
            for group in audit.groups {
                found["\(group.scheme) \(group.parameters) \(group.status) \(group.step)", default: 0] +=
                    group.accounts
            }
            XCTAssertEqual(found, expected)
        }
    }

    func testTheStepIsWhatLayeringDoes() throws {
        let policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(8), passes: 1))
        let context = try PasswordContext(policy: policy)
        for vector in Self.vectors {
            let hash = try PasswordHash(vector.hash)
            switch context.upgradeStep(for: hash) {
            case .layer: XCTAssertNoThrow(try context.layer(over: hash), vector.hash)
            case .rehash: XCTAssertThrowsError(try context.layer(over: hash), vector.hash)
            case .keep: XCTAssertEqual(context.assess(hash), .current, vector.hash)
            case .refuse: XCTFail(vector.hash)
            }
        }
        var strict = policy
        strict.deprecated = []
        XCTAssertEqual(
            try PasswordContext(policy: strict).upgradeStep(for: PasswordHash(md5Crypt)),
            .refuse
        )
        let layered = try PasswordHash(context.layer(over: md5Crypt))
        XCTAssertEqual(context.upgradeStep(for: layered), .rehash)
        // The plan of an upgrade says the same as the step.
        let peppered = try PasswordHash(
            "$pepper-hmac-sha256$keyid=k$6$rounds=5000$salt$" + String(repeating: ".", count: 86)
        )
        XCTAssertEqual(context.upgradeStep(for: peppered), .rehash)
        guard case .impossible(let error) = context.layeringDecision(for: peppered) else {
            return XCTFail("it is kept, and not listed")
        }
        XCTAssertTrue("\(error)".contains("pepper"), "\(error)")
        let costly = try PasswordHash("$6$rounds=999999999$abcdefgh$" + String(repeating: ".", count: 86))
        XCTAssertEqual(context.upgradeStep(for: costly), .refuse)
    }

    func testAccountsWithoutHashAreCountedApart() {
        var audit = PasswordTableAudit()
        for (row, field) in ["", "x", "!", "*", "!!", "*LK*", "!x", "!" + String(repeating: "aZ", count: 20)]
            .enumerated()
        { audit.add(field, row: row) }
        XCTAssertEqual(audit.accounts(without: .empty), 1)
        XCTAssertEqual(audit.accounts(without: .shadowed), 1)
        XCTAssertEqual(audit.accounts(without: .locked), 6)
        XCTAssertEqual(audit.accounts, 0)
        audit.add("!" + md5Crypt, row: 9)
        XCTAssertEqual(audit.groups.map(\.locked), [1])
    }

    func testAsteriskOfMySQLIsNoLock() {
        let digits = "2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19"
        for (field, marks) in [
            ("*\(digits)", 0), ("!*\(digits)", 1), ("*\(digits.dropLast())", 0), ("!\(md5Crypt)", 1),
            (md5Crypt, 0), ("*\(digits)a", 0), ("!*\(digits.dropLast())", 1), ("*\(digits.prefix(30))", 0),
            ("*\(digits.prefix(29))", 1), ("*\(digits.prefix(32))", 1), ("*\(digits.lowercased())", 1),
            ("*\(digits)g", 1), ("*!\(digits.dropLast())", 2),
        ] {
            XCTAssertEqual(StoredPasswordField(Array(field.utf8).span).lockByteCount, marks, field)
        }
    }

    /// In a table of bare SHA-1, the asterisk can also lock an account.
    func testAsteriskBeforeFortyDigitsIsAmbiguousAmongBareDigests() {
        let digits = "2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19"
        var audit = PasswordTableAudit()
        for (row, field) in ["*\(digits)", "!*\(digits)", "*\(digits.lowercased())", digits].enumerated() {
            audit.add(field, row: row + 1, bareHexAlgorithm: .digest(.sha1))
        }
        XCTAssertEqual(audit.rows(.ambiguous).first, [1, 2])
        XCTAssertEqual(audit.groups.map(\.scheme.name), ["hex-sha1"])
        XCTAssertEqual(audit.groups.map(\.locked), [1])
        for algorithm in [nil, .digest(.md5)] as [PasswordHash.LegacyHexAlgorithm?] {
            var audit = PasswordTableAudit()
            audit.add("*\(digits)", row: 1, bareHexAlgorithm: algorithm)
            XCTAssertEqual(audit.groups.map(\.scheme), [.mysql41])
        }
    }

    func testProblemsAreNumbered() {
        var audit = PasswordTableAudit()
        for (row, field) in [
            "$1$abc$x", "nonsense", "d41d8cd98f00b204e9800998ecf8427e",
            "$argon2d$v=19$m=8,t=1,p=1,keyid=QUJD$c29tZXNhbHQ$c29tZXNhbHQ",
            "$6$rounds=999999999$abcdefgh$" + String(repeating: ".", count: 86),
            String(repeating: "$", count: 2000), "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E1",
            "!*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19A",
        ].enumerated() { audit.add(field, row: row + 1) }
        audit.addIncomplete(row: 9, isComment: false)
        XCTAssertEqual(audit.rows(.malformed).first, [1, 7, 8])
        XCTAssertEqual(audit.rows(.unrecognized).first, [2])
        XCTAssertEqual(audit.rows(.ambiguous).first, [3])
        XCTAssertEqual(audit.rows(.unsupported).first, [4])
        XCTAssertEqual(audit.rows(.overLimit).first, [5, 6])
        XCTAssertEqual(audit.rows(.incomplete).first, [9])
    }

    func testTheFirstRowsAreNamedWhicheverPartIsMergedFirst() {
        let empty = PasswordTableAudit()
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let parts = (0..<3).map { part in
                var audit = empty
                for row in (part * 15 + 1)...(part * 15 + 15) { audit.add("nonsense", row: row) }
                return audit
            }
            var merged = empty
            for part in order { merged.merge(parts[part]) }
            XCTAssertEqual(merged.rows(.unrecognized).count, 45)
            XCTAssertEqual(merged.rows(.unrecognized).first, Array(1...20))
        }
    }

    func testAnyNumberOfCostsTakesBoundedMemory() {
        var audit = PasswordTableAudit()
        let digest = String(repeating: ".", count: 86)
        for rounds in 1000..<6000 { audit.add("$6$rounds=\(rounds)$salt$\(digest)", row: rounds) }
        XCTAssertLessThanOrEqual(audit.groups.count, PasswordTableAudit.maximumGroupCount + 4)
        XCTAssertEqual(audit.accounts, 5000)
    }

    /// However many shapes stand before it, a shape that follows is assessed once.
    func testFrequentShapesAreRememberedBehindManyRareOnes() {
        var audit = PasswordTableAudit()
        let digest = String(repeating: ".", count: 86)
        let shapes = 4 * PasswordTableAudit.maximumGroupCount
        for rounds in 1000..<1000 + shapes { audit.add("$6$rounds=\(rounds)$salt$\(digest)", row: rounds) }
        for _ in 0..<2 { audit.add(md5Crypt, row: 1) }
        XCTAssertLessThanOrEqual(audit.steps.count, shapes)
        XCTAssertEqual(audit.steps.count, 1, "the last shape is not remembered")
        XCTAssertEqual(audit.accounts, shapes + 2)
    }

    // MARK: Equal hashes and salts

    func testSharedPasswordsAndSaltsAreCounted() throws {
        let empty = PasswordTableAudit()
        var (audit, other) = (empty, empty)
        let bare = "5F4DCC3B5AA765D61D8327DEB882CF99"
        let algorithm = PasswordHash.LegacyHexAlgorithm.saltedMD5()
        for (row, field) in [bare, bare.lowercased(), md5Crypt, "$apr1$abc$\(md5Crypt.suffix(22))"]
            .enumerated()
        {
            audit.add(field, row: row, bareHexAlgorithm: algorithm)
        }
        // Equal digits with another salt are another password.
        for salt in ["a", "a", "b"] {
            other.add(bare, row: 5, bareHexAlgorithm: .saltedMD5(salt: Array(salt.utf8)))
        }
        other.add("!" + md5Crypt, row: 6)
        other.add("$1$abc$" + String(repeating: ".", count: 22), row: 7)
        audit.merge(other)
        let hashes = audit.equalHashes
        XCTAssertEqual([hashes.accounts, hashes.values, hashes.largest], [6, 3, 2])
        // The salt of another scheme is no shared salt.
        let salts = audit.sharedSalts
        XCTAssertEqual([salts.accounts, salts.values, salts.largest], [5, 2, 3])
    }

    /// The case of a name in braces has no meaning (RFC 2307), that of Base64 has.
    func testNamesInBracesAreTheSameInEitherCase() {
        var audit = PasswordTableAudit()
        let digest = "5en6G6MezRroT3XKqkdPOmY/BfQ="
        for (row, field) in [
            "{SHA}\(digest)", "{sha}\(digest)", "{Sha}\(digest)",
            "{SHA}\(digest.replacing("en", with: "EN"))",
            "{CRYPT}\(md5Crypt)", "{crypt}\(md5Crypt)", "{crypt}\(md5Crypt.replacing("iC", with: "IC"))",
        ].enumerated() { audit.add(field, row: row) }
        XCTAssertEqual(audit.accounts, 7)
        let hashes = audit.equalHashes
        XCTAssertEqual([hashes.accounts, hashes.values, hashes.largest], [5, 2, 3])
    }

    func testFingerprintsAreSorted() {
        var generator = SeededGenerator(seed: 18)
        var sorting = FingerprintSorting()
        for count in [0, 1, 2, 256, 257, 5000, 300, 70_000] {
            var values = (0..<count).map { _ in UInt64.random(in: 0...UInt64.max, using: &generator) }
            for index in values.indices where index % 3 == 0 { values[index] = values[index / 2] }
            for index in values.indices where index % 7 == 0 { values[index] &= 0xFF00_0000_0000_00FF }
            let expected = values.sorted()
            sorting.sort(&values)
            XCTAssertEqual(values, expected, "\(count)")
        }
    }

    func testFingerprintsOfTwoAuditsDiffer() {
        let text = Array("secret".utf8)
        XCTAssertNotEqual(
            FingerprintKey().fingerprint(of: text.span),
            FingerprintKey().fingerprint(of: text.span)
        )
    }
}
