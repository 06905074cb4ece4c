// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

/// Keys as text, and what they restrict.
final class SignatureKeyTextTests: XCTestCase {
    private typealias VerificationKey = MessageSignature.VerificationKey

    private struct RestrictedKey: Decodable {
        let name, publicKey: String
        let isUsable: Bool
        let signature: HexBytes?
    }

    func testKeysForPSSAlone() throws {
        let cases = try VectorFile<RestrictedKey>.load("rsa-pss-keys").cases
        XCTAssertEqual(cases.count, 6)
        for test in cases {
            let key = try? VerificationKey.publicKey(pem: test.publicKey, algorithm: .rsaPSSSHA512)
            XCTAssertEqual(key != nil, test.isUsable, test.name)
            XCTAssertThrowsError(
                try VerificationKey.publicKey(pem: test.publicKey, algorithm: .rsaPKCS1SHA256)
            )
            guard let key, let signature = test.signature else { continue }
            XCTAssertTrue(key.isValid(signature.bytes, of: "message".utf8), test.name)
            XCTAssertFalse(key.isValid(signature.bytes, of: "massage".utf8), test.name)
        }
    }

    private let publicPEM = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
        -----END PUBLIC KEY-----

        """

    /// Each text contains the key, and OpenSSL's readers accept most of them.
    func testAnythingAroundAKey() throws {
        let privatePEM = SignatureVectorKey.ed25519PEM + "\n"
        for (pem, isPublic) in [(publicPEM, true), (privatePEM, false)] {
            func isAccepted(_ text: String) -> Bool {
                isPublic
                    ? (try? VerificationKey.publicKey(pem: text, algorithm: .ed25519)) != nil
                    : (try? MessageSignature.SigningKey.ed25519(pem: text)) != nil
            }
            let trimmed = String(pem.dropLast())
            for text in [
                pem, trimmed, "\n \t" + pem + "\r\n", pem.replacing("\n", with: "\r\n"),
            ] {
                XCTAssertTrue(isAccepted(text), text)
            }
            let lines = trimmed.split(separator: "\n").map(String.init)
            for text in [
                "text\n" + pem, pem + "text", pem + pem, privatePEM + publicPEM, publicPEM + privatePEM,
                lines[0] + "\nComment: a\n\n" + lines[1] + "\n" + lines[2], lines[1],
                lines[0] + "\n" + lines[2], lines[0] + "\n" + lines[1],
                lines[0] + "\n" + lines[1] + "-\n" + lines[2], "\u{FEFF}" + pem,
                trimmed.replacing("KEY-----", with: "KEY----"), pem.replacing(" KEY", with: "  KEY"),
            ] {
                XCTAssertFalse(isAccepted(text), text)
            }
        }
        XCTAssertThrowsError(try VerificationKey.publicKey(pem: privatePEM, algorithm: .ed25519))
        XCTAssertThrowsError(try MessageSignature.SigningKey.ed25519(pem: publicPEM))
    }

    /// Other objects that contain a public key: of openssl(1), in the older format of RSA.
    func testOtherObjects() throws {
        let key = try XCTUnwrap(
            VectorFile<SignatureVectorKey>.load("rfc9421-keys").cases.first { $0.name == "test-key-rsa-pss" }
        )
        let pem = try XCTUnwrap(key.publicKey)
        XCTAssertNoThrow(try VerificationKey.publicKey(pem: pem, algorithm: .rsaPKCS1SHA256))
        // The modulus and the exponent follow the header of SubjectPublicKeyInfo.
        let content = pem.split(separator: "\n").dropFirst().dropLast().joined()
        let bytes = try Base64.standard.decode(content).dropFirst(24)
        let old = Base64.standard.encode(Array(bytes))
        for label in ["RSA PUBLIC KEY", "PUBLIC KEY", "CERTIFICATE"] {
            let text = "-----BEGIN \(label)-----\n\(old)\n-----END \(label)-----\n"
            XCTAssertThrowsError(
                try VerificationKey.publicKey(pem: text, algorithm: .rsaPKCS1SHA256),
                label
            )
        }
    }
}
