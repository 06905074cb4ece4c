// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import CredKitTestSupport
import XCTest

/// Malicious and damaged texts in place of a stored hash.
final class HostileHashTests: XCTestCase {
    private struct Case: Decodable {
        let hash: String
        let error: String
        let why: String
    }

    private static let errors: [String: PasswordError] = [
        "malformed": .malformed, "unrecognized": .unrecognized, "unsupported": .unsupported,
        "overLimit": .overLimit, "unknownKey": .unknownKey,
    ]

    private func makeHasher(limits: PasswordLimits = .standard) throws -> PasswordContext {
        try PasswordContext(
            policy: .recommended,
            limits: limits,
            pepper: PasswordPepper(keys: ["2026": SecretBytes("0123456789abcdef")], current: "2026"),
            legacyKeys: ["app": SecretBytes("84143")]
        )
    }

    /// The cheapest hash of each scheme.
    private func validHashes() throws -> [StoredHashCase] { try StoredHashCase.cheapest { $0.scheme } }

    // MARK: Refused inputs, with their errors, before any computation

    func testHostileTextsAreRefusedBeforeAnyBackend() throws {
        let context = try makeHasher()
        let cases = try ["hostile-hashes", "hostile-framework-hashes", "hostile-scram-verifiers"].flatMap {
            name in
            try VectorFile<Case>.load(name).cases
        }
        XCTAssertGreaterThan(cases.count, 1500)
        for test in cases {
            let expected = try XCTUnwrap(Self.errors[test.error])
            #if DEBUG
            let calls = BackendCalls.count
            #endif
            XCTAssertThrowsError(try context.verify("correct horse", against: test.hash), test.why) { error in
                XCTAssertEqual(error as? PasswordError, expected, "\(test.why): \(error)")
                // A key identifier may be at this place; it has 32 characters at most.
                XCTAssertLessThan("\(error)".utf8.count, 160, test.why)
            }
            #if DEBUG
            XCTAssertEqual(BackendCalls.count, calls, "computed: \(test.why)")
            #endif
        }
    }

    func testHashesRefusedByThePolicyNeverReachABackend() throws {
        var policy = PasswordPolicy.recommended
        policy.deprecated = []
        let context = try PasswordContext(policy: policy)
        policy.requiresPepper = true
        let peppered = try PasswordContext(
            policy: policy,
            pepper: PasswordPepper(keys: ["2026": SecretBytes("0123456789abcdef")], current: "2026")
        )
        // Firebase's is rated as scrypt.
        let accepted: Set = [
            "argon2id", "scrypt", "firebase-scrypt", "bcrypt", "pbkdf2-sha256", "pbkdf2-sha512", "yescrypt",
        ]
        for test in try validHashes() {
            #if DEBUG
            let calls = BackendCalls.count
            #endif
            if !accepted.contains(test.scheme) {
                XCTAssertThrowsError(try context.verify(test.password, against: test.hash), test.scheme) {
                    XCTAssertEqual($0 as? PasswordError, .refused, test.scheme)
                }
            }
            XCTAssertThrowsError(try peppered.verify(test.password, against: test.hash), test.scheme) {
                XCTAssertEqual(
                    $0 as? PasswordError,
                    accepted.contains(test.scheme) ? .pepperRequired : .refused,
                    test.scheme
                )
            }
            #if DEBUG
            XCTAssertEqual(BackendCalls.count, calls, test.scheme)
            #endif
        }
    }

    func testLimitsAreExactToTheByteAndRound() throws {
        func error(_ hash: String, _ change: (inout PasswordLimits) -> Void) throws -> PasswordError? {
            var limits = PasswordLimits.standard
            change(&limits)
            let context = try PasswordContext(
                policy: PasswordPolicy(preferred: .pbkdf2SHA256(iterations: 1)),
                limits: limits
            )
            do throws(PasswordError) {
                _ = try context.verify("x", against: hash)
                return nil
            } catch {
                return error
            }
        }
        let argon2 =
            "$argon2id$v=19$m=1024,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$" + String(repeating: "A", count: 43)
        XCTAssertNil(try error(argon2) { $0.memory = .mebibytes(1) })
        XCTAssertEqual(try error(argon2) { $0.memory = .bytes(1 << 20 - 1) }, .overLimit)
        XCTAssertNil(try error(argon2) { $0.hashByteCount = argon2.utf8.count })
        XCTAssertEqual(try error(argon2) { $0.hashByteCount = argon2.utf8.count - 1 }, .overLimit)
        let time = try PasswordHash(argon2).estimatedTime
        XCTAssertNil(try error(argon2) { $0.computationTime = time })
        XCTAssertEqual(
            try error(argon2) {
                $0.computationTime = time - Duration(secondsComponent: 0, attosecondsComponent: 1)
            },
            .overLimit
        )
        XCTAssertEqual(try error(argon2) { $0.passwordByteCount = 0 }, .passwordTooLong)
        // The pepper prefix also counts towards the length.
        let peppered = "$pepper-hmac-sha256$keyid=2026" + argon2
        XCTAssertEqual(try error(peppered) { $0.hashByteCount = peppered.utf8.count }, .unknownKey)
        XCTAssertEqual(try error(peppered) { $0.hashByteCount = peppered.utf8.count - 1 }, .overLimit)
    }

    /// The limit that the documentation of `PasswordLimits` recommends for scrypt with N = 2²⁰.
    func testDocumentedLimitAcceptsLargeScryptHashes() throws {
        let hash = try PasswordHash("$scrypt$ln=20,r=8,p=1$c2FsdA$" + String(repeating: "A", count: 43))
        XCTAssertLessThanOrEqual(hash.memory, .mebibytes(1025))
        XCTAssertGreaterThan(hash.memory, .gibibytes(1))
        XCTAssertLessThanOrEqual(hash.estimatedTime, PasswordLimits.standard.computationTime)
    }

    func testHashesTooLongToVerifyAreNotLayered() throws {
        let context = try makeHasher()
        let digest = String(repeating: "0", count: 32)
        let short = try context.layer(over: "md5$\(String(repeating: ".", count: 500))$\(digest)")
        XCTAssertEqual(try context.verify("x", against: short), .mismatch)
        XCTAssertThrowsError(try context.layer(over: "md5$\(String(repeating: ".", count: 700))$\(digest)")) {
            XCTAssertEqual($0 as? PasswordError, .overLimit)
        }
    }

    // MARK: Damaged hashes

    /// Truncates each hash at every position, and removes or doubles each byte.
    func testNoDamagedHashMatches() throws {
        var limits = PasswordLimits.standard
        limits.memory = .mebibytes(65)
        limits.computationTime = .seconds(0.2)
        let context = try makeHasher(limits: limits)
        var (refused, compared) = (0, 0)
        for test in try validHashes() {
            XCTAssertTrue(try context.verify(test.password, against: test.hash).isMatch, test.scheme)
            let bytes = Array(test.hash.utf8)
            var damaged: Set<String> = []
            for index in bytes.indices {
                damaged.insert(String(decoding: bytes[..<index], as: UTF8.self))
                damaged.insert(String(decoding: bytes[..<index] + bytes[(index + 1)...], as: UTF8.self))
                damaged.insert(String(decoding: bytes[...index] + bytes[index...], as: UTF8.self))
            }
            for text in damaged.sorted() {
                do throws(PasswordError) {
                    let answer = try context.verify(test.password, against: text)
                    // The first part of a bigcrypt hash is a DES hash of the first 8 characters.
                    let isPart =
                        test.scheme == "bigcrypt" && text.utf8.count == 13 && test.hash.hasPrefix(text)
                    XCTAssertEqual(answer.isMatch, isPart, text)
                    compared += 1
                } catch {
                    let possible: [PasswordError] = [
                        .malformed, .unrecognized, .unsupported, .overLimit, .unknownKey,
                    ]
                    XCTAssertTrue(possible.contains(error), "\(text): \(error)")
                    refused += 1
                }
            }
        }
        // Otherwise the test would not show that damage to a salt or a cost changes the answer.
        XCTAssertGreaterThan(compared, 100)
        XCTAssertGreaterThan(refused, 3000)
    }

    /// Parsing any text either throws an error or returns a value that prints the same text.
    func testMutatedHashesAreRefusedOrRoundTrip() throws {
        var random = SeededGenerator(seed: 0x10C)
        let cases = try StoredHashCase.all()
        let layered = try makeHasher().layer(over: "$1$enj3zXHY$wCtIX4i4zYONlJGTLLNP6.")
        let valid = Set(cases.map(\.hash)).sorted().map { Array($0.utf8) } + [Array(layered.utf8)]
        var parsed = 0
        for _ in 0..<20_000 {
            let text = String(
                decoding: HashMutation.mutated(
                    valid.randomElement(using: &random) ?? [],
                    from: valid,
                    using: &random
                ),
                as: UTF8.self
            )
            guard let hash = try? PasswordHash(text) else { continue }
            parsed += 1
            // Compare bytes, because Swift strings are equal when they are only canonically equivalent.
            XCTAssertEqual(Array(hash.description.utf8), Array(text.utf8), text)
            XCTAssertGreaterThan(hash.estimatedTime, .zero, text)
            XCTAssertGreaterThan(hash.memory, .bytes(0), text)
            XCTAssertFalse("\(hash.scheme) \(hash.parameters) \(hash.salt) \(hash.digest)".isEmpty)
        }
        XCTAssertGreaterThan(parsed, 1000)
        XCTAssertLessThan(parsed, 19_000)
    }

    /// Every hash that parses can be computed: hashes that no backend supports were refused before.
    func testEveryParsedHashCanBeComputed() throws {
        var limits = PasswordLimits.standard
        limits.memory = .mebibytes(16)
        limits.computationTime = .seconds(0.01)
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .pbkdf2SHA256(iterations: 1)),
            limits: limits
        )
        var random = SeededGenerator(seed: 7)
        var computed: [String: Int] = [:]
        for _ in 0..<100 {
            for text in Self.cheapHashes(using: &random) {
                guard let hash = try? PasswordHash(text) else { continue }
                do throws(PasswordError) {
                    let answer = try context.verify("secret", against: hash)
                    XCTAssertEqual(answer, .mismatch, text)
                    computed[hash.scheme.name, default: 0] += 1
                } catch {
                    XCTAssertEqual(error, .overLimit, "\(text): \(error)")
                }
            }
        }
        XCTAssertEqual(computed.count, 20, "\(computed)")
        XCTAssertNil(computed.first { $0.value < 5 })
    }

    /// Generates texts in the formats of the schemes with random costs and salts, most of them small, and all-zero
    /// digests.
    private static func cheapHashes(using random: inout SeededGenerator) -> [String] {
        let unix = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let printable = String(String.UnicodeScalarView((0x21...0x7E).compactMap { Unicode.Scalar($0) }))
        func dots(_ count: Int) -> String { String(repeating: ".", count: count) }
        let base64 = Base64.standard.unpadded
        func salt(_ characters: String, _ count: ClosedRange<Int>) -> String {
            // One in three contains something else.
            let isOdd = Int.random(in: 0..<3, using: &random) == 0
            return random.text(of: isOdd ? printable : characters, count: count)
        }
        func small(_ range: ClosedRange<Int>) -> String { "\(Int.random(in: range, using: &random))" }
        func bytes(_ count: ClosedRange<Int>) -> String { base64.encode(random.bytes(count: count)) }
        return [
            "$y$\(random.text(of: "j./k0", count: 1...1))\(random.text(of: ".//0123", count: 1...2))"
                + "\(random.text(of: "./01", count: 1...5))$\(salt(unix, 0...12))$\(dots(43))",
            "$y$\(random.text(of: "j./", count: 1...1))\(random.text(of: "/0123", count: 1...1))"
                + "\(random.text(of: "./", count: 1...3))$\(salt(unix, 0...12))$\(dots(43))",
            "$gy$j\(random.text(of: "/0123", count: 1...1))\(random.text(of: "./", count: 1...4))"
                + "$\(salt(unix, 0...12))$\(dots(43))",
            "$7$\(random.text(of: "./0123", count: 1...1))\(random.text(of: "./0", count: 1...1))...."
                + "\(random.text(of: "./0", count: 1...1))....\(salt(unix, 0...90))$\(dots(43))",
            "$5$rounds=1000$\(salt(printable, 0...18))$\(dots(43))",
            "$6$rounds=1000$\(salt(printable, 0...18))$\(dots(86))",
            "$1$\(salt(printable, 0...9))$\(dots(22))",
            "$apr1$\(salt(printable, 0...9))$\(dots(22))",
            "$sha1$\(small(1...20))$\(salt(unix, 0...66))$\(dots(28))",
            "$md5,rounds=\(small(0...20))$\(salt(unix, 0...66))$\(dots(22))",
            "$md5$\(salt(unix, 1...20))$$\(dots(22))",
            "$md5$rounds=\(small(0...20))$\(salt(unix, 0...66))$\(dots(22))",
            "\(random.text(of: unix, count: 2...2))\(dots(11 * Int.random(in: 2...17, using: &random)))",
            "{CRYPT}\(random.text(of: unix, count: 2...2))\(dots(11 * Int.random(in: 1...17, using: &random)))",
            "{SSHA256}\(Base64.standard.encode([UInt8](repeating: 0, count: 32) + random.bytes(count: 0...66)))",
            "*\(String(repeating: "0", count: 40))",
            "_\(random.text(of: unix, count: 1...1))...\(salt(unix, 4...4))\(dots(11))",
            "\(random.text(of: unix, count: 2...2))\(dots(11))",
            "$2\(random.text(of: "abxy", count: 1...1))$04$\(random.text(of: unix, count: 21...21)).\(dots(31))",
            "$argon2i$v=19$m=\(small(1...99)),t=\(small(1...3)),p=\(small(1...4))$\(bytes(7...66))$\(bytes(15...80))",
            "$argon2id$v=19$m=\(small(1...99)),t=\(small(1...3)),p=\(small(1...4))$\(bytes(7...66))$\(bytes(15...520))",
            "$argon2id$v=19$m=\(small(8...99)),t=\(small(1...3)),p=1$\(bytes(16...16))$\(bytes(16...512))",
            "$scrypt$ln=\(small(0...6)),r=\(small(0...9)),p=\(small(0...9))$\(bytes(1...66))$\(bytes(15...130))",
            "$pbkdf2-sha256$\(small(0...9))$\(bytes(0...66))$\(base64.encode([UInt8](repeating: 0, count: 32)))",
        ]
    }
}
