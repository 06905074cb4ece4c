// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitVectors
import XCTest

@testable import CredKitClient

final class LinkHeaderTests: XCTestCase {
    private struct Case: Decodable, Sendable {
        struct Link: Decodable, Equatable {
            let target: String
            let relations: [String]
        }

        let origin: String
        let fields: [String]
        let links: [Link]
        let next: [String]
        let isComplete: Bool
    }

    func testLinksAreParsedAsInRFC8288() throws {
        let cases = try VectorFile<Case>.load("rfc8288-links").cases
        XCTAssertGreaterThanOrEqual(cases.count, 35)
        for vector in cases {
            let header = LinkHeader(vector.fields)
            let links = header.links.map { Case.Link(target: $0.target, relations: $0.relations) }
            XCTAssertEqual(links, vector.links, vector.origin)
            XCTAssertEqual(header.targets(of: "next"), vector.next, vector.origin)
            XCTAssertEqual(header.isComplete, vector.isComplete, vector.origin)
        }
    }

    func testSizesAreLimited() {
        let link = "</a>;rel=next,"
        let many = LinkHeader([String(repeating: link, count: LinkHeader.maximumLinkCount + 1)])
        XCTAssertEqual(many.links.count, LinkHeader.maximumLinkCount)
        XCTAssertFalse(many.isComplete)
        let half = String(repeating: "x", count: LinkHeader.maximumByteCount / 2)
        let large = LinkHeader(["<\(half)>", "<\(half)>"])
        XCTAssertEqual(large.links.count, 0)
        XCTAssertFalse(large.isComplete)
        XCTAssertTrue(LinkHeader(["<\(half)>"]).isComplete)
    }
}
