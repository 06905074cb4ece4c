// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// The messages of RFC 9421.
final class SignatureVectorTests: XCTestCase {
    func testVerifiesEachSignature() throws {
        let keys = try SignatureVectorKey.all()
        let vectors = try SignatureVector.all()
        XCTAssertEqual(vectors.count, 17)
        for vector in vectors {
            let received = try MessageSignature.Received.all(in: vector.message)
            XCTAssertEqual(received.count, 1, vector.section)
            let signature = try XCTUnwrap(received.first)
            let base = try signature.input().signatureBase(of: vector.message)
            let key = try XCTUnwrap(keys[vector.keyID])
            let isValid = key.isValid(signature.signature, of: base)
            XCTAssertEqual(isValid, vector.isValid, vector.section)
        }
    }

    func testTheBaseIsThatOfTheSpecification() throws {
        let vector = try SignatureVector.named("B.2.2")
        let received = try XCTUnwrap(MessageSignature.Received.all(in: vector.message).first)
        let expected = """
            "@authority": example.com
            "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
            "@query-param";name="Pet": dog
            "@signature-params": ("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"
            """
        let base = try received.input().signatureBase(of: vector.message)
        XCTAssertEqual(String(decoding: base, as: UTF8.self), expected)
    }

    /// B.2.5, B.2.6 and B.4 are deterministic.
    func testMakesTheSameSignatures() throws {
        let secret = try SignatureVectorKey.sharedSecret()
        let keys: [(String, MessageSignature.SigningKey)] = [
            ("B.2.5", try .hmacSHA256(secret)),
            ("B.2.6", try .ed25519(pem: SignatureVectorKey.ed25519PEM)),
            ("B.4, original", try .ed25519(pem: SignatureVectorKey.ed25519PEM)),
        ]
        for (section, key) in keys {
            let vector = try SignatureVector.named(section)
            let received = try XCTUnwrap(MessageSignature.Received.all(in: vector.message).first)
            let input = try received.input()
            let signature = try key.sign(input.signatureBase(of: vector.message))
            let signed = try MessageSignature.Signed(
                label: received.label,
                input: input,
                signature: signature
            )
            XCTAssertEqual(signed.signatureInput, vector.signatureInput, section)
            XCTAssertEqual(signed.signature, vector.signature, section)
        }
    }

    /// Each line of the base is a covered component: another byte in any of them must not be accepted.
    func testRejectsEachChangedByteOfTheBase() throws {
        let keys = try SignatureVectorKey.all()
        for section in ["B.2.2", "B.2.3", "B.2.4", "B.2.5", "B.2.6", "4.3, by the proxy"] {
            let vector = try SignatureVector.named(section)
            let received = try XCTUnwrap(MessageSignature.Received.all(in: vector.message).first)
            let key = try XCTUnwrap(keys[vector.keyID])
            let base = try received.input().signatureBase(of: vector.message)
            for index in base.indices {
                var changed = base
                changed[index] ^= 1
                XCTAssertFalse(key.isValid(received.signature, of: changed), "\(section) \(index)")
            }
            for index in received.signature.indices {
                var changed = received.signature
                changed[index] ^= 1
                XCTAssertFalse(key.isValid(changed.span, of: base.span), "\(section) \(index)")
            }
        }
    }

    func testRejectsSignaturesOfOtherLengths() throws {
        let keys = try SignatureVectorKey.all()
        for section in ["B.2.3", "B.2.4", "B.2.5", "B.2.6"] {
            let vector = try SignatureVector.named(section)
            let received = try XCTUnwrap(MessageSignature.Received.all(in: vector.message).first)
            let key = try XCTUnwrap(keys[vector.keyID])
            let base = try received.input().signatureBase(of: vector.message)
            let other: [[UInt8]] = [
                [], Array(received.signature.dropLast()), received.signature + [0], [0] + received.signature,
            ]
            for signature in other {
                XCTAssertFalse(key.isValid(signature.span, of: base.span), section)
            }
        }
    }
}
