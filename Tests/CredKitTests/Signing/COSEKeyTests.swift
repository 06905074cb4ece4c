// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import CredKitVectors
import Testing

/// Keys in the form of COSE: exactly the members of their kind, and no weak keys.
@Suite struct COSEKeyTests {
    // The generators of the curves (FIPS 186-4, D.1.2.3 and D.1.2.4), and the first public key of RFC 8032, §7.1.
    private static let p256 = (
        x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )
    private static let p384 = (
        x: "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
        y: "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"
    )
    private static let ed25519 = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"

    private static func bytes(_ hex: String) -> CBORValue { .bytes((try? Hex.decode(hex)) ?? []) }

    private static func key(_ members: [(Int, CBORValue)]) -> [UInt8] {
        CBORValue.map(members.map { CBORValue.Member(key: .integer($0.0), value: $0.1) }).encoded
    }

    private static func es256(
        kind: Int = 2,
        algorithm: Int = -7,
        curve: Int = 1,
        x: String = COSEKeyTests.p256.x,
        y: String = COSEKeyTests.p256.y
    ) -> [UInt8] {
        key([
            (1, .integer(kind)), (3, .integer(algorithm)), (-1, .integer(curve)), (-2, bytes(x)),
            (-3, bytes(y)),
        ])
    }

    private static func edDSA(kind: Int = 1, curve: Int = 6, x: String = COSEKeyTests.ed25519) -> [UInt8] {
        key([(1, .integer(kind)), (3, .integer(-8)), (-1, .integer(curve)), (-2, bytes(x))])
    }

    /// The modulus is not the product of two primes, since nothing is signed with it.
    private static func rs256(
        modulus: [UInt8] = [UInt8](repeating: 0xC5, count: 256),
        exponent: [UInt8] = [1, 0, 1]
    ) -> [UInt8] {
        key([(1, .integer(3)), (3, .integer(-257)), (-1, .bytes(modulus)), (-2, .bytes(exponent))])
    }

    @Test func keysOfAllAlgorithmsAreAccepted() throws {
        #expect(try COSEKey(parsing: Self.es256()).algorithm == .es256)
        let p384 = Self.es256(algorithm: -35, curve: 2, x: Self.p384.x, y: Self.p384.y)
        #expect(try COSEKey(parsing: p384).algorithm == .es384)
        #expect(try COSEKey(parsing: Self.edDSA()).algorithm == .edDSA)
        #expect(try COSEKey(parsing: Self.rs256()).algorithm == .rs256)
        #expect(try COSEKey(parsing: Self.rs256(exponent: [3])).algorithm == .rs256)
    }

    @Test(arguments: COSEKeyTests.refused)
    func otherKeysAreRefused(_ bytes: [UInt8]) {
        #expect(throws: WebAuthn.Error.invalidPublicKey) { try COSEKey(parsing: bytes) }
    }

    static let refused = refusedP256 + refusedEd25519 + refusedRSA + refusedMembers

    private static let zeros = String(repeating: "0", count: 64)

    private static let refusedP256: [[UInt8]] = [
        es256(kind: 1), es256(kind: 3), es256(curve: 2), es256(curve: 8), es256(algorithm: -35),
        es256(algorithm: -8), es256(algorithm: -257), es256(x: p384.x, y: p384.y),
        es256(algorithm: -35, curve: 2), es256(y: p256.x), es256(x: "00", y: "00"), es256(x: "00\(p256.x)"),
        es256(x: zeros, y: zeros), es256(x: String(repeating: "f", count: 64)),
    ]

    private static let refusedEd25519: [[UInt8]] = [
        edDSA(kind: 2), edDSA(curve: 7), edDSA(x: "\(ed25519)00"), edDSA(x: ""),
        // Points of small order: the neutral one, one of order 4, and the neutral one in a second encoding.
        edDSA(x: "01\(zeros.dropLast(2))"), edDSA(x: zeros),
        edDSA(x: "ee\(String(repeating: "f", count: 60))7f"),
    ]

    private static let refusedRSA: [[UInt8]] = [
        rs256(modulus: [UInt8](repeating: 0xC5, count: 255)),
        rs256(modulus: [UInt8](repeating: 0xC5, count: 2_049)),
        rs256(modulus: [0] + [UInt8](repeating: 0xC5, count: 256)),
        rs256(modulus: []), rs256(exponent: []), rs256(exponent: [1]), rs256(exponent: [2]),
        rs256(exponent: [0, 1, 0, 1]), rs256(exponent: [UInt8](repeating: 1, count: 9)),
    ]

    /// With a byte too many or too few, no map, without an algorithm, with another member, in another order, and with a
    /// text for bytes.
    private static let refusedMembers: [[UInt8]] = [
        es256() + [0], Array(es256().dropLast()), [], [0xA0], [0xF6],
        key([(1, .integer(1)), (-1, .integer(6)), (-2, bytes(ed25519))]),
        key([
            (1, .integer(1)), (2, .bytes([1])), (3, .integer(-8)), (-1, .integer(6)), (-2, bytes(ed25519)),
        ]),
        key([(3, .integer(-8)), (1, .integer(1)), (-1, .integer(6)), (-2, bytes(ed25519))]),
        key([
            (1, .integer(1)), (3, .integer(-8)), (-1, .integer(6)),
            (-2, .text(String(repeating: "a", count: 32))),
        ]),
    ]

    @Test(arguments: [-9, -19, -36, -47, -51, -53, 0, 7])
    func otherAlgorithmsAreRefused(_ algorithm: Int) {
        #expect(throws: WebAuthn.Error.algorithmNotOffered) {
            try COSEKey(parsing: Self.es256(algorithm: algorithm))
        }
    }

    /// RFC 8032, §7.1: the signature of no bytes.
    @Test func publishedSignatureIsValid() throws {
        let key = try COSEKey(parsing: Self.edDSA())
        let signature = try Hex.decode(
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b"
        )
        #expect(key.isValid(signature, of: []))
        #expect(!key.isValid(signature, of: [0]))
    }

    private struct Group: Decodable {
        struct Test: Decodable {
            let message, signature: HexBytes
            let isValid: Bool
        }

        let publicKey: String
        let tests: [Test]
    }

    /// The signatures of Project Wycheproof for Ed25519, which libsodium verifies.
    @Test func signaturesOfWycheproofAreJudgedAsThere() throws {
        var count = 0
        for group in try VectorFile<Group>.load("wycheproof-ed25519").cases {
            let lines = group.publicKey.split(separator: "\n").filter { !$0.hasPrefix("-") }
            let information = try Base64.standard.decode(lines.joined())
            let key = try COSEKey(parsing: Self.edDSA(x: Hex.encode(information.suffix(32))))
            for test in group.tests {
                #expect(key.isValid(test.signature.bytes, of: test.message.bytes) == test.isValid)
                count += 1
            }
        }
        #expect(count == 150)
    }
}
