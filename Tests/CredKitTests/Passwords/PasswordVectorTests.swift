// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import XCTest

/// Published test vectors of single schemes.
final class PasswordVectorTests: XCTestCase {
    private struct DerivationCase: Decodable {
        let function: String
        let password: String
        let salt: String
        let logN: Int?
        let blockSize: Int?
        let parallelism: Int?
        let iterations: Int?
        let digest: HexBytes
    }

    private struct BcryptCase: Decodable {
        let hash: String
        let password: HexBytes
        let origin: String
        let error: String?
    }

    private struct Argon2Case: Decodable {
        let hash: String
        let password: String
        let origin: String
        let error: String?
    }

    private static let errors: [String: PasswordError] = [
        "malformed": .malformed, "unsupported": .unsupported,
    ]

    private func scrypt(
        password: String = "password",
        salt: String = "NaCl",
        logN: Int,
        blockSize: Int = 8,
        parallelism: Int = 1,
        memoryLimit: MemorySize
    ) throws -> [UInt8] {
        try ScryptHash.computeDigest(
            of: Array(password.utf8).span,
            salt: Array(salt.utf8),
            costs: XCTUnwrap(ScryptCosts(logN: logN, blockSize: blockSize, parallelism: parallelism)),
            count: 64,
            HashingContext(limits: PasswordLimits(memory: memoryLimit), legacyKeys: [:])
        ).copiedBytes
    }

    // MARK: scrypt and PBKDF2

    func testScryptAndPBKDF2OfRFC7914() throws {
        var functions: [String] = []
        for test in try VectorFile<DerivationCase>.load("rfc7914-scrypt").cases {
            functions.append(test.function)
            if let logN = test.logN, let blockSize = test.blockSize, let parallelism = test.parallelism {
                let digest = try scrypt(
                    password: test.password,
                    salt: test.salt,
                    logN: logN,
                    blockSize: blockSize,
                    parallelism: parallelism,
                    memoryLimit: .mebibytes(1025)
                )
                XCTAssertEqual(digest, test.digest.bytes, "N = 2^\(logN)")
            } else {
                let iterations = try XCTUnwrap(test.iterations)
                let digest = try PBKDF2.deriveKey(
                    from: Array(test.password.utf8).span,
                    salt: Array(test.salt.utf8),
                    function: .sha256,
                    iterations: iterations,
                    count: test.digest.bytes.count
                ).copiedBytes
                XCTAssertEqual(digest, test.digest.bytes, "\(iterations) iterations")
            }
        }
        XCTAssertEqual(
            functions,
            Array(repeating: "scrypt", count: 4) + Array(repeating: "pbkdf2-hmac-sha256", count: 2)
        )
    }

    /// OpenSSL's default limit is 32 MiB; a raised or lowered limit must reach it.
    func testMemoryLimitReachesOpenSSL() throws {
        // OpenSSL counts p blocks, N blocks, and two working blocks.
        let needed = 128 * 8 * (1 << 17 + 2 + 1)
        XCTAssertEqual(
            ScryptCosts(logN: 17, blockSize: 8, parallelism: 1)?.computationCost.memory.bytes,
            needed
        )
        // python3: hashlib.scrypt(b"password", salt=b"NaCl", n=1 << 17, r=8, p=1, maxmem=1 << 28, dklen=64)
        XCTAssertEqual(
            Hex.encode(try scrypt(logN: 17, memoryLimit: .bytes(needed))),
            "c2071233af7bbe61585462b1f1e38324299497e9114e275b595b925b38323267"
                + "67a293326f06d72af0c1475a9064dc3542cdfead8a898e78713a5e7d70005a66"
        )
        for limit in [needed - 1, 32 << 20, 1 << 20, 1] {
            XCTAssertThrowsError(try scrypt(logN: 17, memoryLimit: .bytes(limit)), "\(limit)") {
                XCTAssertEqual($0 as? PasswordError, .overLimit, "\(limit)")
            }
        }
        // The OpenSSL error queue was cleared, so that a later failure does not report this one.
        XCTAssertEqual(OpenSSLErrors.takeReason(), 0)
        // OpenSSL reads a limit of 0 as its default of 32 MiB; CredKit must not pass 0 as "no limit".
        for limit in [0, -1, Int.min] {
            XCTAssertThrowsError(try scrypt(logN: 17, memoryLimit: .bytes(limit)), "\(limit)") {
                XCTAssertEqual($0 as? PasswordError, .overLimit, "\(limit)")
            }
        }
    }

    func testScryptCostsAreLimitedAsInRFC7914() {
        // N > 1, less than 2^(128 r / 8); p at most (2³² - 1) · 32 / (128 r).
        XCTAssertNil(ScryptCosts(logN: 0, blockSize: 8, parallelism: 1))
        XCTAssertNotNil(ScryptCosts(logN: 1, blockSize: 8, parallelism: 1))
        XCTAssertNotNil(ScryptCosts(logN: 15, blockSize: 1, parallelism: 1))
        XCTAssertNil(ScryptCosts(logN: 16, blockSize: 1, parallelism: 1))
        XCTAssertNotNil(ScryptCosts(logN: 1, blockSize: 1, parallelism: 1 << 30 - 1))
        XCTAssertNil(ScryptCosts(logN: 1, blockSize: 1, parallelism: 1 << 30))
        XCTAssertNil(ScryptCosts(logN: 1, blockSize: 1 << 15, parallelism: 1 << 15))
        for value in [0, -1, Int.min, Int.max] {
            XCTAssertNil(ScryptCosts(logN: value, blockSize: 8, parallelism: 1))
            XCTAssertNil(ScryptCosts(logN: 10, blockSize: value, parallelism: 1))
            XCTAssertNil(ScryptCosts(logN: 10, blockSize: 8, parallelism: value))
        }
        XCTAssertEqual(
            ScryptCosts(logN: 31, blockSize: 1 << 30 - 1, parallelism: 1)?.computationCost.memory.bytes,
            .max,
            "an overflow is more than any limit"
        )
    }

    // MARK: bcrypt

    func testBcryptOfCryptBlowfishAndJBCrypt() throws {
        let context = try PasswordContext(policy: PasswordPolicy(preferred: .bcrypt(cost: 4)))
        var refused = 0
        for test in try VectorFile<BcryptCase>.load("bcrypt").cases {
            let password = test.password.bytes
            if let name = test.error {
                XCTAssertThrowsError(try context.verify(password, against: test.hash), test.hash) {
                    XCTAssertEqual($0 as? PasswordError, Self.errors[name], test.hash)
                }
                refused += 1
                continue
            }
            let variant = test.hash.dropFirst().prefix(2)
            XCTAssertEqual(try PasswordHash(test.hash).scheme, variant == "2x" ? .bcryptX : .bcrypt)
            XCTAssertTrue(try context.verify(password, against: test.hash).isMatch, test.hash)
            // The costlier vectors run only once, because they are slow.
            guard try PasswordHash(test.hash).estimatedTime < .milliseconds(20) else { continue }
            // Bytes after a NUL and after the first 72 bytes do not count; the byte before them does.
            XCTAssertTrue(try context.verify(password + [0, 1], against: test.hash).isMatch, test.hash)
            let isCut = password.count >= BcryptHash.significantByteCount
            XCTAssertEqual(try context.verify(password + [1], against: test.hash).isMatch, isCut, test.hash)
            if let last = password.prefix(BcryptHash.significantByteCount).indices.last {
                var other = password
                other[last] ^= 1
                XCTAssertEqual(try context.verify(other, against: test.hash), .mismatch, test.hash)
            }
        }
        XCTAssertEqual(refused, 6)
    }

    // MARK: Argon2

    func testArgon2OfTheReferenceImplementation() throws {
        let context = PasswordContext()
        var refused = 0
        for test in try VectorFile<Argon2Case>.load("argon2-command").cases {
            let why = "\(test.origin): \(test.hash)"
            if let name = test.error {
                XCTAssertThrowsError(try context.verify(test.password, against: test.hash), why) {
                    XCTAssertEqual($0 as? PasswordError, Self.errors[name], why)
                }
                refused += 1
                continue
            }
            let hash = try PasswordHash(test.hash)
            XCTAssertTrue(try context.isMatch(Array(test.password.utf8).span, hash), why)
            // The larger vectors run only once, because they are slow.
            guard hash.memory < .mebibytes(1) else { continue }
            XCTAssertEqual(try context.verify(test.password + "x", against: hash), .mismatch, why)
            XCTAssertEqual(try context.verify("", against: hash), .mismatch, why)
        }
        XCTAssertEqual(refused, 8)
    }
}
