// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class PasswordContextTests: XCTestCase {
    /// Every scheme that can create hashes, at its lowest cost.
    static func cheapParameters() throws -> [PasswordParameters] {
        [
            try .argon2id(memory: .kibibytes(64), passes: 1), try .scrypt(logN: 4),
            try .pbkdf2SHA256(iterations: 1),
            try .pbkdf2SHA512(iterations: 1), try .bcrypt(cost: 4), try .yescrypt(cost: 1),
            try .sha512Crypt(rounds: 1000), try .sha256Crypt(rounds: 1000),
            .scramSHA256(iterations: try .fewer(4096)), .scramSHA512(iterations: try .fewer(4096)),
        ]
    }

    private func context(_ parameters: PasswordParameters) throws -> PasswordContext {
        try PasswordContext(policy: PasswordPolicy(preferred: parameters))
    }

    func testEverySchemeHashesAndVerifies() throws {
        let all = try Self.cheapParameters()
        XCTAssertEqual(Set(all.map(\.scheme)), Set(PasswordParameters.availableSchemes))
        for parameters in all {
            let context = try context(parameters)
            for password in ["", "p", "pässwörd ☃", String(repeating: "x", count: 72)] {
                if password.isEmpty, [.scramSHA256, .scramSHA512].contains(parameters.scheme) {
                    // RFC 4013 leaves no password without characters.
                    XCTAssertThrowsError(try context.hash(password)) {
                        XCTAssertEqual($0 as? PasswordError, .passwordNotAllowed)
                    }
                    continue
                }
                let record = try context.hash(password)
                let hash = try PasswordHash(record)
                XCTAssertEqual(hash.scheme, parameters.scheme)
                XCTAssertEqual(String(describing: hash), record)
                XCTAssertEqual(try context.verify(password, against: record), .match(rehashed: nil), record)
                XCTAssertEqual(
                    try context.verify("y" + password.dropLast(), against: record),
                    .mismatch,
                    record
                )
                XCTAssertNotEqual(try context.hash(password), record, "the salt is not new")
            }
        }
    }

    func testTheFirstExampleOfTheDocumentation() throws {
        let context = PasswordContext()
        let record = try context.hash("correct horse")
        XCTAssertTrue(record.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"), record)
        XCTAssertEqual(try context.verify("correct horse", against: record), .match(rehashed: nil))
        XCTAssertEqual(try context.verify("correct horsf", against: record), .mismatch)
    }

    func testAllInputTypesAreEquivalent() throws {
        let context = try context(.argon2id(memory: .kibibytes(64), passes: 1))
        let record = try context.hash(SecretBytes("a secret"))
        XCTAssertTrue(try context.verify("a secret", against: record).isMatch)
        XCTAssertTrue(try context.verify("not a secret".dropFirst(4), against: record).isMatch)
        XCTAssertTrue(try context.verify(Array("a secret".utf8), against: record).isMatch)
        XCTAssertTrue(try context.verify("a secret", against: PasswordHash(record)).isMatch)
    }

    // MARK: Upgrades

    func testMatchOfAWeakerHashIncludesAnUpgrade() throws {
        let context = try context(.argon2id(memory: .kibibytes(128), passes: 2))
        let records = [
            "$1$abc$iCQ2D3nhptRYi27fDYv2s1": "secret",
            "5ebe2294ecd0e0f08eab7690d2a6ee69": "secret",
        ]
        for (record, password) in records {
            let hash =
                try record.hasPrefix("$")
                ? PasswordHash(record) : PasswordHash(legacyHex: record, algorithm: .saltedMD5())
            guard case .match(let upgraded?) = try context.verify(password, against: hash) else {
                return XCTFail("no upgrade of \(record)")
            }
            XCTAssertTrue(upgraded.hasPrefix("$argon2id$v=19$m=128,t=2,p=1$"), upgraded)
            XCTAssertEqual(try context.verify(password, against: upgraded), .match(rehashed: nil))
            XCTAssertEqual(try context.verify(password + "x", against: hash), .mismatch)
        }
    }

    func testUpgradeIsOfferedOnlyForWeakerHashes() throws {
        // Stored costs compared with a policy of m = 19456, t = 2.
        let cases: [(memory: Int, passes: Int, isWeaker: Bool)] = [
            (19456, 2, false), (19456, 1, true), (19455, 2, true), (8, 1, true), (19456, 3, false),
            (65536, 3, false), (65536, 1, false), (47104, 1, false),
            // Fewer passes than the larger memory compensates for.
            (20000, 1, true),
            // Less memory without enough extra passes to compensate, so an attacker needs less memory for the same
            // time.
            (12288, 4, true), (8, 4864, true), (8, 100_000, true),
            // Less memory and enough passes: different, but not weaker.
            (12288, 6, false),
        ]
        let policy = PasswordPolicy.owasp2023
        for (memory, passes, isWeaker) in cases {
            for lanes in [1, 4] where memory >= 8 * lanes {
                let hash = try PasswordHash(
                    "$argon2id$v=19$m=\(memory),t=\(passes),p=\(lanes)$c29tZXNhbHQ$RdescudvJCsgt3ub+b/dWRWJTmaaJObG"
                )
                XCTAssertEqual(policy.assess(hash), isWeaker ? .weaker : .current, hash.description)
            }
        }
        let digest = String(repeating: "A", count: 43)
        let others: [(String, PasswordHashStatus)] = [
            ("$scrypt$ln=17,r=8,p=1$c2FsdA$\(digest)", .current),
            ("$scrypt$ln=16,r=8,p=1$c2FsdA$\(digest)", .weaker),
            ("$scrypt$ln=16,r=8,p=2$c2FsdA$\(digest)", .weaker),
            ("$scrypt$ln=16,r=8,p=4$c2FsdA$\(digest)", .current),
            ("$scrypt$ln=18,r=8,p=1$c2FsdA$\(digest)", .current),
            ("$pbkdf2-sha256$600000$c2FsdA$\(digest)", .current),
            ("$pbkdf2-sha256$599999$c2FsdA$\(digest)", .weaker),
            ("pbkdf2_sha256$870000$salt$\(digest)=", .current),
            ("pbkdf2_sha256$260000$salt$\(digest)=", .weaker),
            ("$2b$10$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u", .current),
            ("$2y$12$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u", .current),
            ("$2b$09$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u", .weaker),
            ("$2x$12$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u", .deprecated),
            ("$y$j9T$abcdefgh$IUWJt2doU4Kf6E/JP1UkAT3S5O3Q7SSA8SJirXIlEu9", .current),
            ("$y$j8T$abcdefgh$IUWJt2doU4Kf6E/JP1UkAT3S5O3Q7SSA8SJirXIlEu9", .weaker),
            ("$argon2i$v=19$m=65536,t=9,p=1$c29tZXNhbHQ$\(digest)", .deprecated),
            ("$1$abc$iCQ2D3nhptRYi27fDYv2s1", .deprecated),
        ]
        for (text, hashStatus) in others {
            XCTAssertEqual(policy.assess(try PasswordHash(text)), hashStatus, text)
        }
    }

    func testHashIsNeverDowngraded() throws {
        let digest = String(repeating: "A", count: 43)
        let strong = try PasswordHash("$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$\(digest)")
        var switched = PasswordPolicy.owasp2023
        switched.preferred = try .bcrypt(cost: 12)
        for policy in [
            .owasp2023FIPS140, switched, PasswordPolicy(preferred: try .pbkdf2SHA256(iterations: 1)),
            PasswordPolicy(preferred: try .bcrypt(cost: 4)), PasswordPolicy(preferred: try .scrypt(logN: 10)),
            .rfc9106,
        ] {
            XCTAssertEqual(policy.assess(strong), .current, "\(policy)")
        }
        let scrypt = try PasswordHash("$scrypt$ln=18,r=8,p=1$c2FsdA$\(digest)")
        XCTAssertEqual(PasswordPolicy.rfc9106.assess(scrypt), .current)
        // Of two schemes without a memory cost, the slower one is kept.
        let longer = try PasswordHash("$6$rounds=5000000$abc$" + String(repeating: ".", count: 86))
        XCTAssertEqual(PasswordPolicy.owasp2023FIPS140.assess(longer), .current)
        XCTAssertEqual(PasswordPolicy.owasp2023.assess(longer), .deprecated)
        // A hash of a broken scheme is not kept because of its cost.
        let slow = try PasswordHash("$sha1$4000000$abc$3BouD4k4kpP9zZN7ajk83qnpfntH")
        XCTAssertEqual(PasswordPolicy.owasp2023.assess(slow), .deprecated)
        // The upgrade of a hash that lacks only the pepper keeps its cost.
        let costly = try context(.argon2id(memory: .kibibytes(512), passes: 2)).hash("secret")
        let peppered = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1)),
            pepper: PasswordPepper(keys: ["k": SecretBytes(randomByteCount: 16)], current: "k")
        )
        guard case .match(let upgraded?) = try peppered.verify("secret", against: costly) else {
            return XCTFail("no upgrade")
        }
        XCTAssertTrue(
            upgraded.hasPrefix("$pepper-hmac-sha256$keyid=k$argon2id$v=19$m=512,t=2,p=1$"),
            upgraded
        )
    }

    func testNoUpgradeIfPartOfThePasswordWasIgnored() throws {
        let context = try context(.argon2id(memory: .kibibytes(64), passes: 1))
        // "password" hashed by crypt(3).
        let des = "abJnggxhB/yWI"
        XCTAssertEqual(try context.verify("password-typo", against: des), .match(rehashed: nil))
        XCTAssertNotEqual(try context.verify("password", against: des), .match(rehashed: nil))
        let layered = try context.layer(over: des)
        XCTAssertEqual(try context.verify("password-typo", against: layered), .match(rehashed: nil))
        XCTAssertNotEqual(try context.verify("password", against: layered), .match(rehashed: nil))
        let bcrypt = try self.context(.bcrypt(cost: 4)).hash(String(repeating: "x", count: 72))
        let stronger = try self.context(.bcrypt(cost: 5))
        XCTAssertEqual(
            try stronger.verify(String(repeating: "x", count: 73), against: bcrypt),
            .match(rehashed: nil)
        )
        XCTAssertNotEqual(
            try stronger.verify(String(repeating: "x", count: 72), against: bcrypt),
            .match(rehashed: nil)
        )
    }

    func testLongPasswordsCostTheSameForHashingAndVerifying() throws {
        var limits = PasswordLimits.standard
        limits.computationTime = .seconds(0.3)
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .sha512Crypt(rounds: 656_000)),
            limits: limits
        )
        let long = String(repeating: "x", count: 300)
        let calls = BackendCalls.count
        XCTAssertThrowsError(try context.hash(long)) { XCTAssertEqual($0 as? PasswordError, .overLimit) }
        XCTAssertEqual(BackendCalls.count, calls)
        let peppered = try PasswordContext(
            policy: PasswordPolicy(preferred: .sha512Crypt(rounds: 100_000)),
            limits: limits,
            pepper: PasswordPepper(keys: ["k": SecretBytes(randomByteCount: 16)], current: "k")
        )
        let record = try peppered.hash(String(repeating: "x", count: 4000))
        XCTAssertTrue(try peppered.verify(String(repeating: "x", count: 4000), against: record).isMatch)
    }

    func testPresetsMatchTheirSources() throws {
        XCTAssertEqual(
            PasswordPolicy.owasp2023.preferred,
            try .argon2id(memory: .kibibytes(19456), passes: 2)
        )
        XCTAssertEqual(
            PasswordPolicy.owasp2023.accepted,
            [
                try .scrypt(logN: 17, blockSize: 8, parallelism: 1), try .bcrypt(cost: 10),
                try .pbkdf2SHA256(iterations: 600_000), try .pbkdf2SHA512(iterations: 210_000),
                try .yescrypt(cost: 5),
            ]
        )
        XCTAssertEqual(PasswordPolicy.rfc9106.preferred, try .argon2id(memory: .kibibytes(65536), passes: 3))
        XCTAssertEqual(PasswordPolicy.owasp2023FIPS140.preferred, try .pbkdf2SHA256(iterations: 600_000))
        XCTAssertEqual(PasswordPolicy.recommended, .owasp2023)
    }

    func testPasswordUnsupportedByThePreferredSchemeStillMatches() throws {
        let long = String(repeating: "x", count: 100)
        let record = try context(.sha512Crypt(rounds: 1000)).hash(long)
        // bcrypt accepts at most 72 bytes.
        let bcrypt = try context(.bcrypt(cost: 4))
        XCTAssertEqual(try bcrypt.verify(long, against: record), .match(rehashed: nil))
        XCTAssertEqual(try bcrypt.verify(long + "x", against: record), .mismatch)
    }

    func testPolicyRefusesUnlistedSchemes() throws {
        var policy = PasswordPolicy.owasp2023
        policy.deprecated.remove(.md5Crypt)
        let context = try PasswordContext(policy: policy)
        let calls = BackendCalls.count
        XCTAssertThrowsError(try context.verify("secret", against: "$1$abc$iCQ2D3nhptRYi27fDYv2s1")) {
            XCTAssertEqual($0 as? PasswordError, .refused)
        }
        XCTAssertThrowsError(try context.layer(over: "$1$abc$iCQ2D3nhptRYi27fDYv2s1")) {
            XCTAssertEqual($0 as? PasswordError, .refused)
        }
        XCTAssertEqual(BackendCalls.count, calls)
    }

    // MARK: Limits

    func testLongPasswordsAreRefused() throws {
        for parameters in try Self.cheapParameters() {
            let context = try context(parameters)
            let record = try context.hash("p")
            let longest =
                [.bcrypt: 72, .yescrypt: 511, .sha256Crypt: 511, .sha512Crypt: 511][parameters.scheme] ?? 4096
            let password = String(repeating: "x", count: longest)
            XCTAssertTrue(try context.verify(password, against: context.hash(password)).isMatch)
            let calls = BackendCalls.count
            XCTAssertThrowsError(try context.hash(password + "x"), "\(parameters)") {
                XCTAssertEqual($0 as? PasswordError, .passwordTooLong)
            }
            XCTAssertThrowsError(try context.verify(String(repeating: "x", count: 4097), against: record)) {
                XCTAssertEqual($0 as? PasswordError, .passwordTooLong)
            }
            if longest == 511 {
                XCTAssertThrowsError(try context.verify(password + "x", against: record)) {
                    XCTAssertEqual($0 as? PasswordError, .passwordTooLong)
                }
            }
            XCTAssertEqual(BackendCalls.count, calls, "\(parameters)")
        }
    }

    func testPasswordsWithANULAreHashedWholeOrRefused() throws {
        for parameters in try Self.cheapParameters() {
            let context = try context(parameters)
            let record = try context.hash("a")
            switch parameters.scheme {
            case .bcrypt:
                XCTAssertThrowsError(try context.hash("a\0b")) {
                    XCTAssertEqual($0 as? PasswordError, .passwordContainsNUL)
                }
                // Tools that create such hashes read only the part before the NUL.
                XCTAssertTrue(try context.verify("a\0b", against: record).isMatch)
            case .yescrypt, .sha256Crypt, .sha512Crypt:
                for attempt in [
                    { _ = try context.hash("a\0b") }, { _ = try context.verify("a\0b", against: record) },
                ] {
                    XCTAssertThrowsError(try attempt()) {
                        XCTAssertEqual($0 as? PasswordError, .passwordContainsNUL)
                    }
                }
            case .scramSHA256, .scramSHA512:
                // RFC 4013 prohibits controls.
                XCTAssertThrowsError(try context.hash("a\0b")) {
                    XCTAssertEqual($0 as? PasswordError, .passwordNotAllowed)
                }
                XCTAssertEqual(try context.verify("a\0b", against: record), .mismatch)
            default:
                let other = try context.hash("a\0b")
                XCTAssertTrue(try context.verify("a\0b", against: other).isMatch)
                XCTAssertEqual(try context.verify("a", against: other), .mismatch)
                XCTAssertEqual(try context.verify("a\0b", against: record), .mismatch)
            }
        }
    }

    func testHashThatAsksFor64GiBIsRefusedBeforeAnyComputation() throws {
        let hash =
            "$argon2id$v=19$m=67108864,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let calls = BackendCalls.count
        XCTAssertThrowsError(try PasswordContext().verify("p", against: hash)) {
            XCTAssertEqual($0 as? PasswordError, .overLimit)
        }
        XCTAssertEqual(BackendCalls.count, calls)
    }

    func testLimitsAreEqualForHashingAndVerifying() throws {
        var limits = PasswordLimits.standard
        limits.memory = .mebibytes(1)
        for parameters in [
            try PasswordParameters.argon2id(memory: .kibibytes(1025), passes: 1),
            try .scrypt(logN: 10, blockSize: 8),
            try .yescrypt(cost: 2),
        ] {
            XCTAssertThrowsError(
                try PasswordContext(policy: PasswordPolicy(preferred: parameters), limits: limits)
            ) {
                XCTAssertEqual($0 as? PasswordError, .overLimit)
            }
            let record = try context(parameters).hash("p")
            let strict = try PasswordContext(
                policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1)),
                limits: limits
            )
            XCTAssertThrowsError(try strict.verify("p", against: record)) {
                XCTAssertEqual($0 as? PasswordError, .overLimit)
            }
        }
        XCTAssertNoThrow(
            try PasswordContext(
                policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1)),
                limits: limits
            )
        )
        limits.computationTime = .seconds(0.01)
        XCTAssertThrowsError(
            try PasswordContext(policy: PasswordPolicy(preferred: .bcrypt(cost: 8)), limits: limits)
        ) {
            XCTAssertEqual($0 as? PasswordError, .overLimit)
        }
    }

    func testParametersOutOfRangeAreRefused() throws {
        let attempts: [() throws -> PasswordParameters] = [
            { try .argon2id(memory: .kibibytes(7)) }, { try .argon2id(passes: 0) },
            { try .argon2id(memory: .kibibytes(.max)) },
            { try .argon2id(passes: .min) }, { try .scrypt(logN: 0) }, { try .scrypt(logN: 64) },
            { try .scrypt(logN: 16, blockSize: 1) }, { try .scrypt(blockSize: .max) },
            { try .scrypt(blockSize: 1 << 20, parallelism: 1 << 20) }, { try .pbkdf2SHA256(iterations: 0) },
            { try .pbkdf2SHA512(iterations: .max) }, { try .bcrypt(cost: 3) }, { try .bcrypt(cost: 32) },
            { try .yescrypt(cost: 0) }, { try .yescrypt(cost: 12) }, { try .sha512Crypt(rounds: 999) },
            { try .sha256Crypt(rounds: 1_000_000_000) }, { try PasswordParameters(.md5Crypt) },
            { try PasswordParameters(.argon2id, costs: ["rounds": 3]) },
        ]
        for (index, attempt) in attempts.enumerated() {
            XCTAssertThrowsError(try attempt(), "\(index)") {
                XCTAssertEqual($0 as? PasswordError, .invalidParameters)
            }
        }
    }

    func testErrorsAndHashersPrintNoSecrets() throws {
        let key = try SecretBytes("a key that must never show up")
        let context = try PasswordContext(
            policy: .recommended,
            pepper: PasswordPepper(keys: ["k": key], current: "k"),
            legacyKeys: ["l": key]
        )
        var dumped = ""
        dump(context, to: &dumped)
        XCTAssertFalse(dumped.contains("never show"), dumped)
        XCTAssertFalse(String(reflecting: context).contains("never show"))
    }
}
