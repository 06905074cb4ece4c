// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

/// The signatures of Project Wycheproof: zeros, integers as large as the order and larger, wrong lengths, malleable
/// encodings, and what intermediate results with extreme values break.
final class SignatureWycheproofTests: XCTestCase {
    private struct Group: Decodable {
        struct Test: Decodable {
            let id: Int
            let comment: String
            let message, signature: HexBytes
            let isValid: Bool
        }

        let algorithm, publicKey: String
        let tests: [Test]
    }

    private func check(_ file: String, count: Int, invalid: Int) throws {
        var results: [Bool] = []
        for group in try VectorFile<Group>.load(file).cases {
            let algorithm = try XCTUnwrap(MessageSignature.Algorithm(rawValue: group.algorithm))
            let key = try MessageSignature.VerificationKey.publicKey(
                pem: group.publicKey,
                algorithm: algorithm
            )
            for test in group.tests {
                let isValid = key.isValid(test.signature.bytes, of: test.message.bytes)
                XCTAssertEqual(isValid, test.isValid, "\(algorithm) \(test.id): \(test.comment)")
                results.append(isValid)
            }
        }
        XCTAssertEqual(results.count, count)
        XCTAssertEqual(results.count { !$0 }, invalid)
    }

    func testECDSA() throws { try check("wycheproof-ecdsa-p1363", count: 522, invalid: 164) }

    func testEd25519() throws { try check("wycheproof-ed25519", count: 150, invalid: 62) }

    /// The signature of a valid case in DER, and its other value of s, which is valid as well: RFC 9421 requires no low one.
    func testOtherFormsOfECDSA() throws {
        let groups = try VectorFile<Group>.load("wycheproof-ecdsa-p1363").cases
        let group = try XCTUnwrap(groups.first { $0.algorithm == "ecdsa-p256-sha256" })
        let key = try MessageSignature.VerificationKey.publicKey(
            pem: group.publicKey,
            algorithm: .ecdsaP256SHA256
        )
        let test = try XCTUnwrap(group.tests.first { $0.isValid })
        let (signature, message) = (test.signature.bytes, test.message.bytes)
        XCTAssertEqual(signature.count, 64)
        XCTAssertTrue(key.isValid(signature, of: message))
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let digits = (bytes.first ?? 0) < 0x80 ? Array(bytes) : [0] + bytes
            return [0x02, UInt8(digits.count)] + digits
        }
        let integers = integer(signature[..<32]) + integer(signature[32...])
        XCTAssertFalse(key.isValid([0x30, UInt8(integers.count)] + integers, of: message))
        let order = try Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        var other = Array(signature[..<32]) + [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            other[32 + index] = UInt8(truncatingIfNeeded: difference)
        }
        XCTAssertTrue(key.isValid(other, of: message))
        for position in [0, 32] {
            var large = signature
            large.replaceSubrange(position..<(position + 32), with: order)
            XCTAssertFalse(key.isValid(large, of: message))
        }
    }
}
