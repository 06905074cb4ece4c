// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class ContentDigestTests: XCTestCase {
    struct Case: Decodable {
        let content, field: String
    }

    func testComputesAndChecksThePublishedDigests() throws {
        for test in try VectorFile<Case>.load("rfc9530-digests").cases {
            let digest = try XCTUnwrap(ContentDigest(fieldLines: [test.field]))
            XCTAssertTrue(digest.matches(Array(test.content.utf8)), test.field)
            XCTAssertFalse(digest.matches(Array((test.content + " ").utf8)), test.field)
            let algorithm = try XCTUnwrap(digest.algorithms.first)
            let computed = ContentDigest(of: test.content.utf8, algorithm: algorithm)
            XCTAssertEqual(computed.fieldValue, test.field)
            XCTAssertEqual(computed, digest)
        }
    }

    func testAllKnownDigestsMustMatch() throws {
        let content = Array("content".utf8)
        let right = ContentDigest(of: content).fieldValue
        let wrong = ContentDigest(of: [1], algorithm: .sha512).fieldValue
        for lines in [[right, wrong], ["\(right), \(wrong)"], ["\(wrong),\(right)"]] {
            let digest = try XCTUnwrap(ContentDigest(fieldLines: lines))
            XCTAssertEqual(digest.algorithms, [.sha256, .sha512])
            XCTAssertFalse(digest.matches(content))
        }
        let both = [right, ContentDigest(of: content, algorithm: .sha512).fieldValue]
        XCTAssertTrue(try XCTUnwrap(ContentDigest(fieldLines: both)).matches(content))
    }

    func testUnknownAndMalformedDigestsAreNone() throws {
        XCTAssertNil(ContentDigest(fieldLines: [] as [String]))
        for field in [
            "", "md5=:aGVsbG8=:", "sha=:aGVsbG8=:", "sha-256=1", "sha-256", "sha-256=:a:, ,",
            "SHA-256=:aGVsbG8=:",
        ] {
            XCTAssertNil(ContentDigest(fieldLines: [field]), field)
        }
        let known = ContentDigest(of: []).fieldValue
        XCTAssertTrue(try XCTUnwrap(ContentDigest(fieldLines: ["md5=:aGVsbG8=:, \(known)"])).matches([]))
    }

    /// Of a function that occurs twice, another parser may take the other digest.
    func testRepeatedAndMalformedDigestsMakeTheFieldMalformed() throws {
        let content = Array("content".utf8)
        let right = ContentDigest(of: content).fieldValue
        let wrong = ContentDigest(of: [1]).fieldValue
        let other = ContentDigest(of: content, algorithm: .sha512).fieldValue
        for lines in [
            [right, right], [wrong, right], ["\(right), \(wrong)"], ["\(wrong), \(other), \(right)"],
            ["md5=:AAAA:, \(right), md5=:AAAA:"], ["\(right);a;a"], ["sha-256=x, \(other)"],
            ["sha-512=(), \(right)"], ["\(right), sha-512"], ["sha-512=1, \(right)"],
        ] {
            XCTAssertNil(ContentDigest(fieldLines: lines), "\(lines)")
        }
        for lines in [["\(right);a"], ["md5=1, \(right)"], ["unixsum, \(right)"], [right, other]] {
            XCTAssertEqual(ContentDigest(fieldLines: lines)?.matches(content), true, "\(lines)")
        }
        let long = String(repeating: " ", count: StructuredField.maximumByteCount) + right
        XCTAssertNil(ContentDigest(fieldLines: [long]))
    }

    func testADigestOfTheWrongLengthMatchesNothing() throws {
        for field in ["sha-256=::", "sha-256=:aGVsbG8=:"] {
            let digest = try XCTUnwrap(ContentDigest(fieldLines: [field]))
            XCTAssertFalse(digest.matches([]))
            XCTAssertFalse(digest.matches(Array("hello".utf8)))
        }
    }

    func testContentInPieces() throws {
        let content = Array("some content in several pieces".utf8)
        var computation = ContentDigest.Computation(.sha512)
        let field = [
            ContentDigest(of: content).fieldValue, ContentDigest(of: content, algorithm: .sha512).fieldValue,
        ]
        var check = ContentDigest.Check(try XCTUnwrap(ContentDigest(fieldLines: field)))
        for start in stride(from: 0, to: content.count, by: 7) {
            XCTAssertFalse(check.isMatch)
            let piece = Array(content[start..<min(start + 7, content.count)])
            computation.update(piece.span)
            check.update(piece.span)
        }
        XCTAssertTrue(check.isMatch)
        XCTAssertEqual(ContentDigest(computation), ContentDigest(of: content, algorithm: .sha512))
        XCTAssertEqual(ContentDigest(computation).bytes(.sha512)?.count, 64)
        XCTAssertNil(ContentDigest(computation).bytes(.sha256))
    }
}
