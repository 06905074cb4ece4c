// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class TimestampedLoginTests: XCTestCase {
    private struct Case: Decodable {
        let keyPhrase: String
        let password: String
        let key: String
        let passwordEquivalent: String
        let minute: String
        let proof: String
    }

    func testKnownAnswers() throws {
        for vector in try VectorFile<Case>.load("timestamped-login").cases {
            let scheme = Legacy.TimestampedLogin(keyPhrase: vector.keyPhrase)
            let minute = try Legacy.TimestampedLogin.Minute(vector.minute)
            XCTAssertEqual(Legacy.MD5.hash(data: vector.keyPhrase.utf8).hex, vector.key)
            XCTAssertEqual(scheme.passwordEquivalent(for: vector.password).hex, vector.passwordEquivalent)
            XCTAssertEqual(scheme.proof(for: vector.password, at: minute).hex, vector.proof)
            XCTAssertEqual(scheme.proof(for: vector.password, challenge: vector.minute).hex, vector.proof)

            // The server computes this from its stored value.
            let kept = try XCTUnwrap(MessageDigest<16>(hex: vector.passwordEquivalent))
            XCTAssertEqual(scheme.proof(passwordEquivalent: kept, at: minute).hex, vector.proof)
        }
    }

    func testProofIsValidForItsMinuteOnly() throws {
        let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let proofs = try ["2026-01-02 03:04", "2026-01-02 03:05"].map { minute in
            scheme.proof(for: "123456", at: try Legacy.TimestampedLogin.Minute(minute))
        }
        XCTAssertNotEqual(proofs[0], proofs[1])
    }

    func testOpaqueChallengeIsHashedUnchanged() {
        let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
        // python3: h = lambda m: hmac.new(md5(b"itheima").hexdigest().encode(), m, "md5").hexdigest()
        // h((h(b"a\0b") + "2026-01-02 03:04;nonce=\u00e9").encode())
        XCTAssertEqual(
            scheme.proof(for: "a\0b", challenge: "2026-01-02 03:04;nonce=é").hex,
            "d8f35fc34b7f40bb83660231a671703f"
        )
    }
}
