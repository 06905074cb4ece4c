// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Lists whose pages have the URL of the next one in a field.
final class LinkFieldTests: SessionTestCase {
    private static let list = PagedEndpoint<Int>(
        .get("/data"),
        paging: .link(field: "links.next"),
        items: "data"
    )

    /// Reads a list whose first page has this JSON beside its elements.
    private func read(_ fields: String, _ list: PagedEndpoint<Int> = list) async throws -> [Int] {
        server.script("/data") { request in
            let isFirst = request.head.path?.hasSuffix("/data") ?? false
            return .json(
                isFirst ? #"{"data": [1, 2], \#(fields)}"# : #"{"data": [3], "links": {"next": null}}"#
            )
        }
        var elements: [Int] = []
        for try await element in try await loggedIn().elements(of: list) { elements.append(element) }
        return elements
    }

    func testLinksAreFollowedOnTheServerOfTheList() async throws {
        for link in [#""?page=2""#, #""/data?page=2""#, #""\/data?page=\u0032""#] {
            let elements = try await read(#""links": {"next": \#(link)}"#)
            XCTAssertEqual(elements, [1, 2, 3], link)
        }
        for (link, expected) in [
            (#""http://localhost:1/data?page=2""#, ClientError.pageLinkRefused),
            (#""//other.example/data?page=2""#, .pageLinkRefused), (#""file:///data""#, .malformedResponse),
            ("2", .malformedResponse), ("true", .malformedResponse),
            (#"{"href": "/data"}"#, .malformedResponse),
            (#""\#(String(repeating: "a", count: 4097))""#, .malformedResponse),
            (#""/data""#, .repeatedPage),
        ] {
            let error = await failure { _ = try await self.read(#""links": {"next": \#(link)}"#) }
            XCTAssertEqual(error, expected, link)
        }
    }

    func testListEndsWithoutALink() async throws {
        for fields in [
            #""links": {"next": null}"#, #""links": {"next": ""}"#, #""links": {}"#, #""links": null"#,
            #""other": 1"#,
        ] {
            let elements = try await read(fields)
            XCTAssertEqual(elements, [1, 2], fields)
        }
        let declared = Self.list.setting(\.hasMore, to: "more")
        let elements = try await read(#""more": false, "links": {"next": "//other.example/"}"#, declared)
        XCTAssertEqual(elements, [1, 2])
        let error = await failure { _ = try await self.read(#""more": true, "links": {}"#, declared) }
        XCTAssertEqual(error, .malformedResponse)
    }
}
