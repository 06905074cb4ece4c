// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import Foundation
import XCTest

/// Keys of one password and of many at once. `script/test-kernels` compares the kernels with OpenSSL on more inputs.
final class PBKDF2BatchTests: XCTestCase {
    private struct Case: Decodable {
        let function: String
        let password: String
        let salt: String
        let iterations: Int?
        let digest: HexBytes
    }

    private let functions: [PBKDF2.Function] = [.sha1, .sha256, .sha512]
    /// Around the sizes of blocks and of their padding.
    private let lengths = [0, 1, 31, 32, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 300]

    private func openSSLKey(
        _ input: PBKDF2.Input,
        _ function: PBKDF2.Function,
        _ iterations: Int,
        _ count: Int
    ) throws -> [UInt8] {
        try input.secret.withSecretBytes { (secret) throws(KeyDerivationError) in
            try PBKDF2.deriveWithOpenSSL(
                from: secret,
                salt: input.salt,
                function: function,
                iterations: iterations,
                count: count
            )
        }.copiedBytes
    }

    func testBatchesOfAllSizesEqualKeysOfOpenSSL() throws {
        for function in functions {
            for count in [0, 1, 2, 3, 4, 5, 13, 14, 15, 16, 17, 31, 32, 33] {
                for (iterations, keyCount) in [(1, 32), (2, 20), (7, 32), (1001, 33), (3, 64)] {
                    let inputs = try (0..<count).map { index in
                        PBKDF2.Input(
                            secret: try SecretBytes(
                                randomByteCount: lengths[(index + iterations) % lengths.count]
                            ),
                            salt: SecureRandom.bytes(count: [16, 0, 1, 52, 64, 100][(index + keyCount) % 6])
                        )
                    }
                    let keys = try PBKDF2.deriveKeys(
                        for: inputs,
                        function: function,
                        iterations: iterations,
                        count: keyCount
                    )
                    XCTAssertEqual(
                        keys.map(\.copiedBytes),
                        try inputs.map { try openSSLKey($0, function, iterations, keyCount) },
                        "\(function): \(count) keys of \(keyCount) bytes, \(iterations) iterations"
                    )
                }
            }
        }
    }

    func testSingleKeysEqualThoseOfOpenSSL() throws {
        for function in functions {
            for (index, length) in lengths.enumerated() {
                let input = PBKDF2.Input(
                    secret: try SecretBytes(randomByteCount: length),
                    salt: SecureRandom.bytes(count: lengths[(7 * index + 3) % lengths.count])
                )
                // Of one block and of several, whose iterations are computed together.
                for (iterations, count) in [(1, 1), (2, 20), (5000, 32), (3, 64), (10, 65), (4, 1100)] {
                    XCTAssertEqual(
                        try PBKDF2.deriveKey(
                            from: input.secret,
                            salt: input.salt,
                            function: function,
                            iterations: iterations,
                            count: count
                        ).copiedBytes,
                        try openSSLKey(input, function, iterations, count),
                        "\(function): \(length) bytes to \(count), \(iterations) iterations"
                    )
                }
            }
        }
    }

    /// All but the one of 16,777,216 iterations.
    func testVectorsOfRFC6070() throws {
        let long = ("passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt")
        let cases = [
            ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ("password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
            (long.0, long.1, 4096, "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
            ("pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
        ]
        for (password, salt, iterations, expected) in cases {
            let key = try PBKDF2.deriveKey(
                from: Array(password.utf8).span,
                salt: Array(salt.utf8),
                function: .sha1,
                iterations: iterations,
                count: expected.utf8.count / 2
            )
            XCTAssertEqual(Hex.encode(key.copiedBytes), expected)
        }
    }

    func testEmptyPasswordsAndSalts() throws {
        let empty = PBKDF2.Input(secret: try SecretBytes(""), salt: [])
        let keys = try PBKDF2.deriveKeys(for: Array(repeating: empty, count: 16), iterations: 5)
        let expected = try openSSLKey(empty, .sha256, 5, 32)
        XCTAssertEqual(keys.map(\.copiedBytes), Array(repeating: expected, count: 16))
    }

    func testVectorsOfRFC7914() throws {
        let cases = try VectorFile<Case>.load("rfc7914-scrypt").cases.filter {
            $0.function == "pbkdf2-hmac-sha256"
        }
        XCTAssertEqual(cases.count, 2)
        for test in cases {
            let input = PBKDF2.Input(secret: try SecretBytes(test.password), salt: Array(test.salt.utf8))
            for count in [5, 16] {
                let keys = try PBKDF2.deriveKeys(
                    for: Array(repeating: input, count: count),
                    iterations: try XCTUnwrap(test.iterations),
                    count: test.digest.bytes.count
                )
                XCTAssertEqual(
                    keys.map(\.copiedBytes),
                    Array(repeating: test.digest.bytes, count: count)
                )
            }
        }
    }

    func testNumbersOfIterationsThatThereAreNot() throws {
        let input = PBKDF2.Input(secret: try SecretBytes("password"), salt: [])
        for iterations in [-1, 0, 1 << 31, 1 << 32, .max] {
            let expected = KeyDerivationError.overLimit("PBKDF2 takes 1 to 2³¹ - 1 iterations")
            XCTAssertThrowsError(try PBKDF2.deriveKeys(for: [input], iterations: iterations)) {
                XCTAssertEqual($0 as? KeyDerivationError, expected)
            }
            XCTAssertThrowsError(
                try PBKDF2.deriveKey(
                    from: input.secret,
                    salt: [],
                    function: .sha1,
                    iterations: iterations,
                    count: 20
                )
            ) {
                XCTAssertEqual($0 as? KeyDerivationError, expected)
            }
        }
    }

    func testRaisedInterruptionEndsAComputation() throws {
        guard PBKDF2.keysAtOnce(.sha256) > 1 else {
            throw XCTSkip("OpenSSL computes, which cannot be interrupted")
        }
        let inputs = try (0..<16).map { PBKDF2.Input(secret: try SecretBytes("\($0)"), salt: []) }
        for function in functions {
            for count in [1, 16] {
                let interruption = Interruption()
                // Before the computation or during it, which would take minutes.
                Thread { interruption.raise() }.start()
                XCTAssertThrowsError(
                    try PBKDF2.deriveKeys(
                        for: Array(inputs.prefix(count)),
                        function: function,
                        iterations: Int(Int32.max),
                        interruption: interruption
                    )
                ) {
                    XCTAssertEqual($0 as? KeyDerivationError, .cancelled)
                }
            }
        }
    }

    func testRaisedInterruptionEndsSchemesThatCompute() throws {
        guard PBKDF2.keysAtOnce(.sha256) > 1 else {
            throw XCTSkip("OpenSSL computes, which cannot be interrupted")
        }
        let interruption = Interruption()
        interruption.raise()
        let policies: [PasswordParameters] = [
            try .pbkdf2SHA256(iterations: 1000), try .pbkdf2SHA512(iterations: 1000),
            .scramSHA256(iterations: try .fewer(4096)), .scramSHA512(iterations: try .fewer(4096)),
        ]
        for parameters in policies {
            let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
            let hash = try context.hash("pencil")
            let interrupted = PasswordContext(context, interruption: interruption)
            XCTAssertThrowsError(try interrupted.verify("pencil", against: hash), hash) {
                XCTAssertEqual($0 as? PasswordError, .cancelled)
            }
            XCTAssertThrowsError(try interrupted.hash("pencil"), hash) {
                XCTAssertEqual($0 as? PasswordError, .cancelled)
            }
        }
    }

    func testKernelsPassTheirTest() {
        XCTAssertNil(PBKDF2Kernels.rejectedName)
        let isOff = ProcessInfo.processInfo.environment["CREDKIT_KERNELS"] == "reference"
        for function in functions { XCTAssertEqual(PBKDF2.keysAtOnce(function), isOff ? 1 : 16) }
    }
}
