// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import Foundation
import XCTest

/// Keys of many passwords at once. `script/test-kernels` compares the kernels with OpenSSL on more inputs.
final class PBKDF2BatchTests: XCTestCase {
    private struct Case: Decodable {
        let function: String
        let password: String
        let salt: String
        let iterations: Int?
        let digest: HexBytes
    }

    private func singleKey(_ input: PBKDF2.Input, _ iterations: Int, _ count: Int) throws -> [UInt8] {
        try PBKDF2.deriveKey(
            from: input.secret,
            salt: input.salt,
            function: .sha256,
            iterations: iterations,
            count: count
        ).copiedBytes
    }

    func testBatchesOfAllSizesEqualSingleKeys() throws {
        // Around the sizes of a block and of its padding.
        let lengths = [0, 1, 31, 32, 55, 56, 63, 64, 65, 119, 128, 129, 300]
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
                let keys = try PBKDF2.deriveKeys(for: inputs, iterations: iterations, count: keyCount)
                XCTAssertEqual(
                    keys.map(\.copiedBytes),
                    try inputs.map { try singleKey($0, iterations, keyCount) },
                    "\(count) keys of \(keyCount) bytes, \(iterations) iterations"
                )
            }
        }
    }

    func testEmptyPasswordsAndSalts() throws {
        let empty = PBKDF2.Input(secret: try SecretBytes(""), salt: [])
        let keys = try PBKDF2.deriveKeys(for: Array(repeating: empty, count: 16), iterations: 5)
        let expected = try singleKey(empty, 5, 32)
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
            XCTAssertThrowsError(try PBKDF2.deriveKeys(for: [input], iterations: iterations)) {
                XCTAssertEqual(
                    $0 as? KeyDerivationError,
                    .overLimit("PBKDF2 takes 1 to 2³¹ - 1 iterations")
                )
            }
        }
    }

    func testRaisedInterruptionEndsAComputation() throws {
        guard PBKDF2.keysAtOnce > 1 else { throw XCTSkip("OpenSSL computes, which cannot be interrupted") }
        let inputs = try (0..<16).map { PBKDF2.Input(secret: try SecretBytes("\($0)"), salt: []) }
        let interruption = Interruption()
        // Before the computation or during it, which would take minutes.
        Thread { interruption.raise() }.start()
        XCTAssertThrowsError(
            try PBKDF2.deriveKeys(for: inputs, iterations: Int(Int32.max), interruption: interruption)
        ) {
            XCTAssertEqual($0 as? KeyDerivationError, .cancelled)
        }
    }

    func testKernelsPassTheirTest() {
        XCTAssertNil(PBKDF2Kernels.rejectedName)
        let isOff = ProcessInfo.processInfo.environment["CREDKIT_KERNELS"] == "reference"
        XCTAssertEqual(PBKDF2.keysAtOnce, isOff ? 1 : 16)
    }
}
