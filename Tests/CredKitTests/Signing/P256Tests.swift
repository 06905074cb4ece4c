// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Testing

/// Signatures with P-256 and the names of public keys, compared with what RFCs publish and with the verification of RFC 9421.
@Suite struct P256Tests {
    private func bytes(_ text: String) throws -> [UInt8] { try Base64.urlSafe.unpadded.decode(text) }

    /// A key, and a function that verifies its signatures.
    private func pair() throws -> (key: P256.PrivateKey, isValid: ([UInt8], [UInt8]) -> Bool) {
        let made = try P256.PrivateKey.random()
        let key = try #require(made)
        let found = MessageSignature.PublicKey(curve: "prime256v1", point: key.publicKey)
        let publicKey = try #require(found)
        return (
            key, { publicKey.isValid($0.span, of: $1.span, algorithm: .ecdsaP256SHA256) }
        )
    }

    /// RFC 7515, appendix A.3.
    @Test func publicKeyOfTheRFC() throws {
        let number = try SecretBytes(bytes("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"))
        let key = try #require(P256.PrivateKey(number))
        let x = try bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        let y = try bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        let point: [UInt8] = [4] + x + y
        #expect(key.publicKey == point)
        #expect(
            JSONWebKey(key).json.text
                == #"{"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        )
    }

    @Test func signaturesAreValidAndOfTheFixedLength() throws {
        for count in [0, 1, 32, 300, 10_000] {
            let (key, isValid) = try pair()
            let restored = try #require(P256.PrivateKey(key.bytes))
            #expect(restored.publicKey == key.publicKey)
            let message = [UInt8](repeating: 7, count: count)
            let made = restored.sign(message.span)
            let signature = try #require(made)
            #expect(signature.count == 64)
            #expect(isValid(signature, message))
            #expect(!isValid(signature, message + [8]))
            #expect(!isValid(Array(signature.reversed()), message))
        }
    }

    /// Small integers have leading zeros in a signature of fixed length: one in 256 of each.
    @Test func shortIntegersArePadded() throws {
        let (key, isValid) = try pair()
        var paddedCount = 0
        for number in 0..<2_000 {
            let message = Array("\(number)".utf8)
            let made = key.sign(message.span)
            let signature = try #require(made)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            paddedCount += 1
            #expect(isValid(signature, message))
        }
        #expect(paddedCount > 0)
    }

    /// The order of the curve, FIPS 186-4, D.1.2.3.
    @Test func numbersThatAreNoPrivateKeys() throws {
        let order = try Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let last = Array(order.dropLast()) + [0x50]
        let isLargestOne = P256.PrivateKey(try SecretBytes(last)) != nil
        #expect(isLargestOne)
        let none: [[UInt8]] = [
            order, Array(order.dropLast()) + [0x52], [UInt8](repeating: 0xFF, count: 32),
            [UInt8](repeating: 0, count: 32), [UInt8](repeating: 1, count: 31),
            [UInt8](repeating: 1, count: 33), [],
        ]
        for bytes in none {
            let isKey = P256.PrivateKey(try SecretBytes(bytes)) != nil
            #expect(!isKey)
        }
    }

    /// RFC 7638, section 3.1; RFC 8037, appendix A.3; RFC 9449, section 6.
    @Test func thumbprintsOfTheRFCs() {
        let rsa = [
            "kty": "RSA", "e": "AQAB",
            "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc"
                + "_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-"
                + "65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyr"
                + "dkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-"
                + "kEgU8awapJzKnqDKgw",
        ]
        let ed25519 = ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]
        let p256 = [
            "kty": "EC", "crv": "P-256", "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
            "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
        ]
        #expect(JSONWebKey(members: rsa).thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(JSONWebKey(members: ed25519).thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        #expect(JSONWebKey(members: p256).thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }
}
