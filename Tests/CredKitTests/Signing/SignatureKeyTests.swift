// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class SignatureKeyTests: XCTestCase {
    private typealias VerificationKey = MessageSignature.VerificationKey

    private func pem(_ name: String) throws -> String {
        let keys = try VectorFile<SignatureVectorKey>.load("rfc9421-keys").cases
        return try XCTUnwrap(keys.first { $0.name == name }?.publicKey)
    }

    func testAKeyMustBeOfItsAlgorithm() throws {
        let usable: [String: Set<MessageSignature.Algorithm>] = [
            "test-key-rsa-pss": [.rsaPSSSHA512, .rsaPKCS1SHA256], "test-key-ecc-p256": [.ecdsaP256SHA256],
            "test-key-ed25519": [.ed25519],
        ]
        for (name, algorithms) in usable {
            for algorithm in MessageSignature.Algorithm.allCases {
                let key = try? VerificationKey.publicKey(pem: pem(name), algorithm: algorithm)
                XCTAssertEqual(key != nil, algorithms.contains(algorithm), "\(name) \(algorithm)")
            }
        }
        // Keys of openssl(1): secp256k1, and RSA with 1,024 bits.
        let others = [
            """
            -----BEGIN PUBLIC KEY-----
            MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEU6BW71HXwnV9En1AkUmzXd5kiXEpz1x2
            T7WV/uTjHrCXywJ0/JBCrbh196RqGpOBcCvEwXEKi1PbiiA278uwdQ==
            -----END PUBLIC KEY-----
            """,
            """
            -----BEGIN PUBLIC KEY-----
            MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC2EoMDDGI/vaRjt2HgdFZr5yFR
            Wnt3uJirZXgABc8ctqBfLOvj9ATaX+FgeRD2tyVUC9c7BvXV1aaKbYydthw4sZKj
            NOY56OV9NrJj1dQwZqXDf1K4HlO7FooqV/+37LsAk+QJYmGdrbq5N+dIRN6gHdWl
            BLgQrBlRWHbA8gPWLwIDAQAB
            -----END PUBLIC KEY-----
            """,
        ]
        for pem in others {
            for algorithm in MessageSignature.Algorithm.allCases {
                XCTAssertThrowsError(try VerificationKey.publicKey(pem: pem, algorithm: algorithm)) {
                    XCTAssertEqual(($0 as? MessageSignature.Error)?.code, .invalidKey)
                }
            }
        }
    }

    /// A signature of openssl(1), in the form of HTTP.
    func testVerifiesP384() throws {
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEhEwsqkJHQ9LWaUuqhifC/T82erMuoO1B
            +rNOasDCSmEkZNDUS7L00oNSeeOQKpk+9kq0ZqGRshYOMgl8wqwuqh+2RN2j1SFW
            jwAm6yKgX1NYVj8maPnDnJrjyLkEjn8f
            -----END PUBLIC KEY-----
            """
        let key = try VerificationKey.publicKey(pem: pem, algorithm: .ecdsaP384SHA384)
        XCTAssertThrowsError(try VerificationKey.publicKey(pem: pem, algorithm: .ecdsaP256SHA256))
        let message = Array("message".utf8)
        let signature = try Hex.decode(
            "e16c9567bd9e529d928c4ea553222c9d74a7fdb323684a829c1a41b7aef4e20a5c4a8665a0edddb114f521f2287f9d72"
                + "69abfe0aa8f9d20e19ff7d5b6aabf1de334a1feaa1011d0a902abe615bcd8970aa42cc6f8e6fc560f9a5ee9e327638fb"
        )
        XCTAssertTrue(key.isValid(signature.span, of: message.span))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            XCTAssertFalse(key.isValid(changed.span, of: message.span))
        }
        for count in [0, 95, 97] {
            XCTAssertFalse(key.isValid([UInt8](repeating: 0, count: count).span, of: message.span))
        }
        XCTAssertFalse(key.isValid([UInt8](repeating: 0, count: 96).span, of: message.span))
        XCTAssertFalse(key.isValid([UInt8](repeating: 255, count: 96).span, of: message.span))
    }

    /// Under the neutral point, a signature of zeros is valid for every message.
    func testPublicKeysWithoutAPrivateOne() throws {
        let order = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
        for text in [
            "01" + String(repeating: "00", count: 31), String(repeating: "ff", count: 32),
            String(repeating: "00", count: 32), order,
        ] {
            let bytes = try Hex.decode(text)
            XCTAssertThrowsError(try VerificationKey.ed25519(bytes), text)
            let pem = Base64.standard.encode(try Hex.decode("302a300506032b6570032100") + bytes)
            XCTAssertThrowsError(
                try VerificationKey.publicKey(pem: Self.framed(pem), algorithm: .ed25519),
                text
            )
        }
    }

    /// The modulus of the RFC's key with other exponents: under 1, each padded digest is its own signature.
    func testExponentsOfRSA() throws {
        let text =
            "MIIBIDANBgkqhkiG9w0BAQEFAAOCAQ0AMIIBCAKCAQEAr4tmm3r20Wd/PbqvP1s2+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2G"
            + "XHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq"
            + "gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ"
            + "7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI"
            + "2wIBAQ=="
        var bytes = try Base64.standard.decode(text)
        for exponent: UInt8 in 0...5 {
            bytes[bytes.count - 1] = exponent
            let pem = Self.framed(Base64.standard.encode(bytes))
            for algorithm in [MessageSignature.Algorithm.rsaPKCS1SHA256, .rsaPSSSHA512] {
                let key = try? VerificationKey.publicKey(pem: pem, algorithm: algorithm)
                XCTAssertEqual(key != nil, exponent == 3 || exponent == 5, "\(exponent)")
            }
        }
    }

    private static func framed(_ text: String) -> String {
        var lines: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return "-----BEGIN PUBLIC KEY-----\n\(lines.joined(separator: "\n"))\n-----END PUBLIC KEY-----\n"
    }

    func testMalformedKeys() throws {
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhAcxdNvWyrAwICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJ9TvSrbnT8r28uuLASAcd0EQJXo
            AENlEpjWsubx73bTg9b8I3EAwx4zUvufzDyO7YNeQU8hGshgNgX4/3s/MYFguit6
            nXNeqHqbraHvkyP84B8=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        for text in ["", "x", "-----BEGIN PUBLIC KEY-----", encrypted, try pem("test-key-ed25519")] {
            XCTAssertThrowsError(try MessageSignature.SigningKey.ed25519(pem: text))
        }
        for text in ["", "x", "-----BEGIN PUBLIC KEY-----", SignatureVectorKey.ed25519PEM] {
            XCTAssertThrowsError(try VerificationKey.publicKey(pem: text, algorithm: .ed25519))
        }
        XCTAssertThrowsError(
            try VerificationKey.publicKey(pem: String(repeating: "-", count: 40_000), algorithm: .ed25519)
        )
        for count in [0, 31, 33] {
            let bytes = [UInt8](repeating: 1, count: count)
            XCTAssertThrowsError(try MessageSignature.SigningKey.ed25519(bytes))
            XCTAssertThrowsError(try VerificationKey.ed25519(bytes))
        }
        XCTAssertThrowsError(try MessageSignature.SigningKey.hmacSHA256([UInt8](repeating: 1, count: 15)))
        XCTAssertNoThrow(try MessageSignature.SigningKey.hmacSHA256([UInt8](repeating: 1, count: 16)))
    }

    /// RFC 8032 §7.1, test 2.
    func testEd25519() throws {
        let seed = try Hex.decode("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        let publicKey = try Hex.decode("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        let expected = try Hex.decode(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        )
        let key = try MessageSignature.SigningKey.ed25519(SecretBytes(seed))
        XCTAssertEqual(try key.sign([0x72].span), expected)
        XCTAssertTrue(key.verificationKey.isValid(expected.span, of: [0x72].span))
        XCTAssertTrue(try VerificationKey.ed25519(publicKey).isValid(expected.span, of: [0x72].span))
        XCTAssertFalse(key.verificationKey.isValid(expected.span, of: [0x73].span))
    }

    func testKeysPrintNothing() throws {
        let key = try MessageSignature.SigningKey.hmacSHA256([UInt8](repeating: 65, count: 32))
        var dumped = ""
        dump(key, to: &dumped)
        dump(key.verificationKey, to: &dumped)
        XCTAssertEqual("\(key)", "‹key for hmac-sha256›")
        XCTAssertFalse(dumped.contains("storage"), dumped)
    }
}
