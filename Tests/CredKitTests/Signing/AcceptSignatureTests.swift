// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class AcceptSignatureTests: XCTestCase {
    /// RFC 9421 §5.1.
    func testReadsARequest() throws {
        let field =
            #"sig1=("@method" "@target-uri" "@authority" "content-digest" "cache-control");keyid="test-key-rsa-pss";created;tag="app-123""#
        let requested = try MessageSignature.Requested.all(fieldLines: [field])
        XCTAssertEqual(requested.map(\.label), ["sig1"])
        let first = try XCTUnwrap(requested.first)
        XCTAssertEqual(
            first.components,
            [.method, .targetURI, .authority, .contentDigest, try .field("Cache-Control")]
        )
        XCTAssertEqual(first.keyID, "test-key-rsa-pss")
        XCTAssertEqual(first.tag, "app-123")
        XCTAssertTrue(first.wantsCreated)
        XCTAssertFalse(first.wantsExpires)
        XCTAssertNil(first.nonce)
        XCTAssertNil(first.algorithmName)
    }

    func testRejectsMalformedRequests() {
        for field in [
            "a", "a=1", "a=();created=1", "a=();expires=?0", "a=();unknown", "a=(), a=()",
            "a=(\"@method\" \"@method\")",
            "a=();nonce=1",
        ] {
            XCTAssertThrowsError(try MessageSignature.Requested.all(fieldLines: [field]), field)
        }
        for count in [256, 257] {
            let field = String(repeating: "a", count: count) + "=()"
            let result = Result { try MessageSignature.Requested.all(fieldLines: [field]) }
            XCTAssertEqual((try? result.get())?.count, count == 256 ? 1 : nil)
            guard case .failure(let error) = result else { continue }
            XCTAssertEqual((error as? MessageSignature.Error)?.code, .limitExceeded)
        }
        let many = (0..<9).map { "a\($0)=()" }
        XCTAssertThrowsError(try MessageSignature.Requested.all(fieldLines: many))
        XCTAssertEqual(try MessageSignature.Requested.all(fieldLines: many.dropLast()).count, 8)
        XCTAssertEqual(try MessageSignature.Requested.all(fieldLines: []), [])
    }
}
