// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import HTTPTypes
import XCTest

@testable import CredKitClient

struct ListedStudent: Decodable, Sendable, Equatable {
    var id: Int
    var name: String
}

/// Lists of a server that does not use CredKit, over real sockets.
final class PagingTests: XCTestCase {
    private var peer: Peer!
    private var ports: [String: Int] = [:]
    private static let next = PagingStyle.CursorLocation.header(HTTPField.Name("X-Next")!)

    override func setUpWithError() throws {
        peer = try Peer("paging_server.py")
        ports = try peer.started(as: [String: Int].self)
    }

    override func tearDown() { peer = nil }

    private func session() throws -> LoginSession {
        try LoginSession(
            server: "http://127.0.0.1:\(ports["main"] ?? 0)",
            profile: .form(),
            keychain: nil
        )
    }

    private func list(
        _ path: String,
        _ paging: PagingStyle,
        items: String? = nil,
        query: KeyValuePairs<String, String> = [:]
    ) -> PagedEndpoint<ListedStudent> {
        PagedEndpoint(.get(path, query: query), paging: paging, items: items)
    }

    /// Returns the IDs of all elements, and the number of requests.
    private func read(_ list: PagedEndpoint<ListedStudent>) async throws -> (ids: [Int], requestCount: Int) {
        let session = try session()
        let before = try await requestCount(list.endpoint.path)
        var ids: [Int] = []
        for try await student in session.elements(of: list) { ids.append(student.id) }
        return (ids, try await requestCount(list.endpoint.path) - before)
    }

    private func requestCount(_ path: String) async throws -> Int {
        try await session().value(of: Endpoint<[String: Int]>.get("/count"))[path] ?? 0
    }

    private func assertReads(
        _ list: PagedEndpoint<ListedStudent>,
        requests: Int,
        ids: some Sequence<Int> = 1...31,
        line: UInt = #line
    ) async throws {
        let (found, count) = try await read(list)
        XCTAssertEqual(found, Array(ids), list.endpoint.path, line: line)
        XCTAssertEqual(count, requests, list.endpoint.path, line: line)
    }

    // MARK: The styles

    func testPagesByNumber() async throws {
        let sized = PagingStyle.pageNumber("page", size: 10, in: "size")
        try await assertReads(list("/numbers", sized), requests: 4)
        // The parameters of the style replace the program's.
        let own = list("/numbers", sized, query: ["page": "3", "x": "1", "size": "2", "page": "4"])
        try await assertReads(own, requests: 4)
        try await assertReads(list("/numbers", .pageNumber("page")), requests: 5)
        try await assertReads(list("/even-numbers", sized), requests: 3, ids: 1...20)
        let zero = PagingStyle.pageNumber("page", first: 0, size: 31, in: "size")
        try await assertReads(list("/numbers-from-zero", zero), requests: 2)
        try await assertReads(
            list("/numbers", .pageNumber("page", first: 4, size: 10)),
            requests: 1,
            ids: [31]
        )
    }

    func testTotalOfTheEnvelopeOutweighsAShortPage() async throws {
        var students = list(
            "/numbers-with-total",
            .pageNumber("page", size: 20, in: "size"),
            items: "data.list"
        )
        students.endpoint.envelope = .codeData
        try await assertReads(students, requests: 5)
        var pages: [PagedEndpoint<ListedStudent>.Page] = []
        for try await page in try session().pages(of: students) { pages.append(page) }
        XCTAssertEqual(pages.map(\.number), [1, 2, 3, 4, 5])
        XCTAssertEqual(pages.map(\.elements.count), [7, 7, 7, 7, 3])
        XCTAssertEqual(pages.map(\.total), [31, 31, 31, 31, 31])
        // The field without an envelope.
        students.endpoint.envelope = Envelope.none
        try await assertReads(students.setting(\.total, to: "data.total"), requests: 5)
    }

    func testPagesByOffset() async throws {
        let sized = PagingStyle.offset("offset", size: 8, in: "limit")
        try await assertReads(list("/offsets", sized, items: "rows"), requests: 4)
        try await assertReads(list("/offsets", .offset("offset"), items: "rows"), requests: 5)
        let later = PagingStyle.offset("offset", first: 29, size: 8, in: "limit")
        try await assertReads(list("/offsets", later, items: "rows"), requests: 1, ids: [30, 31])
        // Go's empty list.
        try await assertReads(list("/offsets-null", .offset("offset"), items: "rows"), requests: 5)
    }

    func testPagesByCursor() async throws {
        for (path, field) in [
            ("/cursors", "paging.next"), ("/cursors-as-integers", "next"), ("/cursors-empty-text", "next"),
        ] {
            let paging = PagingStyle.cursor("after", next: .field(field))
            try await assertReads(list(path, paging, items: "items"), requests: 4)
        }
        let constant = PagingStyle.cursor("after", next: .field("next"))
        try await assertReads(list("/cursors-constant", constant, items: "items"), requests: 4)
        try await assertReads(list("/cursors-in-headers", .cursor("after", next: Self.next)), requests: 4)
        let gaps = list("/cursors-with-empty-pages", constant, items: "items")
        try await assertReads(gaps, requests: 7)
    }

    func testPagesByLink() async throws {
        try await assertReads(list("/links", .link), requests: 4)
        try await assertReads(list("/links", .link(size: 10, in: "size")), requests: 4)
    }

    func testDeclaredFieldOutweighsEverything() async throws {
        let declared = list("/declared", .pageNumber("page", size: 10), items: "items").setting(
            \.hasMore,
            to: "more"
        )
        try await assertReads(declared, requests: 7)
    }

    func testElementsCanBeRawJSON() async throws {
        let raw = PagedEndpoint<[UInt8]>(.get("/numbers"), paging: .pageNumber("page", size: 31, in: "size"))
        var elements: [String] = []
        for try await element in try session().elements(of: raw) {
            elements.append(String(decoding: element, as: UTF8.self))
        }
        XCTAssertEqual(elements.count, 31)
        XCTAssertEqual(elements.first, #"{"id":1,"name":"student 1"}"#)
    }

    // MARK: Lists without an end

    func testEndlessListsEndWithAnError() async throws {
        let header = PagingStyle.cursor("after", next: Self.next)
        let numbers = PagingStyle.pageNumber("page", size: 10)
        let lists: [(PagedEndpoint<ListedStudent>, ClientError, requests: Int)] = [
            (list("/endless-cursor-repeats", header), .repeatedPage, 2),
            (list("/endless-cursor-repeats", .link), .repeatedPage, 2),
            (list("/endless-cursor-cycles", header), .repeatedPage, 4),
            (list("/endless-cursor-advances", header), .repeatedPage, 4),
            (list("/endless-empty-pages", header), .tooManyPages, 20),
            (list("/endless-clamped", numbers), .repeatedPage, 4),
            (list("/endless-offset-ignored", .offset("offset"), items: "rows"), .repeatedPage, 2),
            (list("/endless-elements", .pageNumber("page")), .tooManyPages, 20),
            (list("/endless-links", .link), .repeatedPage, 4),
            (
                list("/endless-declared", numbers, items: "items").setting(\.hasMore, to: "more"),
                .repeatedPage, 3
            ),
        ]
        for (list, error, count) in lists {
            let before = try await requestCount(list.endpoint.path)
            await assertThrows(error) { try await self.read(list.setting(\.maximumPageCount, to: 20)) }
            let requests = try await requestCount(list.endpoint.path) - before
            XCTAssertEqual(requests, count, list.endpoint.path)
        }
        let total = list("/endless-total", numbers, items: "items").setting(\.total, to: "total")
        try await assertReads(total, requests: 5)
    }

    func testShiftingLists() async throws {
        // An element is inserted in front before each page: one of each later page was there before.
        let inserted = list("/shifting-insert", .pageNumber("page", size: 10, in: "size"))
        try await assertReads(inserted.identified(by: \.id), requests: 4)
        let removed = list("/shifting-remove", .pageNumber("page", size: 10, in: "size"), items: "items")
            .setting(\.total, to: "total")
        let (rest, _) = try await read(removed.identified(by: \.id))
        XCTAssertEqual(Set(rest).count, rest.count)
        XCTAssertEqual(rest.last, 31)
    }

    // MARK: Links

    func testLinksStayOnTheServer() async throws {
        let other = ports["other"] ?? 0
        for (target, error) in [
            ("http://127.0.0.1:\(other)/links", ClientError.pageLinkRefused),
            ("//127.0.0.1:\(other)/links", .pageLinkRefused),
            ("http://localhost:\(ports["main"] ?? 0)/", .pageLinkRefused),
            ("https://127.0.0.1:\(ports["main"] ?? 0)/links", .pageLinkRefused),
            ("http://127.0.0.1:\(ports["main"] ?? 0)@127.0.0.1:\(other)/links", .malformedResponse),
            ("file:///etc/passwd", .malformedResponse), ("/\\127.0.0.1:\(other)/links", .malformedResponse),
        ] {
            let elsewhere = list("/links-elsewhere", .link, query: ["to": target])
            await assertThrows(error) { try await self.read(elsewhere) }
        }
        let here = list("/links-elsewhere", .link, query: ["to": "/links/../links?page=4"])
        let (ids, _) = try await read(here)
        XCTAssertEqual(ids, Array(1...10) + [31])
        let count = try await requestCount("/links")
        XCTAssertEqual(count, 1, "no link to elsewhere was followed")
        // A redirect is followed, but the list does not move with it.
        await assertThrows(.pageLinkRefused) { try await self.read(self.list("/redirected-links", .link)) }
    }

    /// Another server must not choose what is requested from the first one with credentials.
    func testPageOfAnotherServerDoesNotLeadBack() async throws {
        await assertThrows(.pageLinkRefused) { try await self.read(self.list("/detour", .link)) }
        let count = try await requestCount("/links-back-target")
        XCTAssertEqual(count, 0)
    }

    func testListDoesNotEndWithAMalformedHeader() async throws {
        await assertThrows(.malformedResponse) { try await self.read(self.list("/links-malformed", .link)) }
    }
}
