// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Lists of Django REST framework, of Datasette and of Docker's registry.
final class RealServerPagingTests: RealServerTestCase {
    private func list(_ path: String, _ paging: PagingStyle) -> PagedEndpoint<ListedStudent> {
        PagedEndpoint(.get(path), paging: paging, items: "results")
    }

    private func ids(_ list: PagedEndpoint<ListedStudent>, _ session: LoginSession) async throws -> (
        ids: [Int], sizes: [Int]
    ) {
        var (ids, sizes): ([Int], [Int]) = ([], [])
        for try await page in session.pages(of: list) {
            ids += page.elements.map(\.id)
            sizes.append(page.elements.count)
        }
        return (ids, sizes)
    }

    func testPagesOfDjangoRESTFramework() async throws {
        let server = try server()
        let session = try session(server.url)
        let numbers = PagingStyle.pageNumber("page", size: 10, in: "size")
        let offsets = PagingStyle.offset("offset", size: 10, in: "limit")
        for list in [
            list("/pages", numbers), list("/pages", numbers).setting(\.total, to: "count"),
            list("/offsets", offsets), list("/offsets", offsets).setting(\.total, to: "count"),
        ] {
            let (ids, sizes) = try await ids(list, session)
            XCTAssertEqual(ids, Array(1...31), list.endpoint.path)
            XCTAssertEqual(sizes, [10, 10, 10, 1], list.endpoint.path)
        }
        // The server decides about the size, and says how many elements there are.
        for path in ["/pages", "/offsets"] {
            let style = path == "/pages" ? PagingStyle.pageNumber("page") : .offset("offset")
            let (ids, sizes) = try await ids(list(path, style).setting(\.total, to: "count"), session)
            XCTAssertEqual(ids, Array(1...31), path)
            XCTAssertEqual(sizes, [8, 8, 8, 7], path)
        }
    }

    func testLinksOfDjangoRESTFramework() async throws {
        let server = try server()
        let session = try session(server.url)
        for path in ["/pages", "/offsets", "/cursors"] {
            let (found, sizes) = try await ids(list(path, .link(field: "next")), session)
            XCTAssertEqual(found, Array(1...31), path)
            XCTAssertEqual(sizes, [8, 8, 8, 7], path)
        }
        let sized = list("/cursors", .link(field: "next", size: 10, in: "size"))
        let (found, sizes) = try await ids(sized, session)
        XCTAssertEqual(found, Array(1...31))
        XCTAssertEqual(sizes, [10, 10, 10, 1])
        // The limit of pages, and a program that needs only some elements.
        let limited = await failure {
            _ = try await self.ids(sized.setting(\.maximumPageCount, to: 3), session)
        }
        XCTAssertEqual(limited, .tooManyPages)
        var first: [Int] = []
        for try await student in session.elements(of: sized) {
            first.append(student.id)
            if first.count == 12 { break }
        }
        XCTAssertEqual(first, Array(1...12))
        // The server's links name the host that it was asked for, which is another one here.
        var elsewhere = sized
        elsewhere.endpoint.headers[HTTPField.Name("X-Forwarded-Host")!] = "school.example"
        let refused = await failure { _ = try await self.ids(elsewhere, session) }
        XCTAssertEqual(refused, .pageLinkRefused)
    }

    /// Without a total or a size, only the error of the page after the last one ends the list.
    func testPageAfterTheLastOneIsAnError() async throws {
        let server = try server()
        let session = try session(server.url)
        let error = await failure {
            _ = try await self.ids(self.list("/pages", .pageNumber("page")), session)
        }
        XCTAssertEqual(error, .unexpectedStatus)
        XCTAssertEqual(error?.statusCode, 404)
        let (offsets, sizes) = try await ids(list("/offsets", .offset("offset")), session)
        XCTAssertEqual(offsets, Array(1...31))
        XCTAssertEqual(sizes, [8, 8, 8, 7, 0])
    }

    func testCatalogOfDockersRegistry() async throws {
        let names = (1...31).map { "school/app\($0 + 10)" }
        for name in names {
            let path = root + "/docker/registry/v2/repositories/\(name)/_layers"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let path = folder + "/registry.yml"
        let text = """
            version: 0.1
            storage: {filesystem: {rootdirectory: \(root)}}
            http: {addr: "127.0.0.1:PORT"}
            """
        let server = try RealServer(["docker-registry", "serve", path], files: [path: text])
        let session = try session(server.url)
        for (size, sizes) in [(10, [10, 10, 10, 1]), (31, [31]), (nil, [31])] {
            let catalog = PagedEndpoint<String>(
                .get("/v2/_catalog"),
                paging: .link(size: size, in: "n"),
                items: "repositories"
            )
            var (found, pages): ([String], [Int]) = ([], [])
            for try await page in session.pages(of: catalog) {
                found += page.elements
                pages.append(page.elements.count)
            }
            XCTAssertEqual(found, names)
            XCTAssertEqual(pages, sizes)
        }
    }

    func testCursorsOfDatasette() async throws {
        let server = try RealServer(python: "cursor_server.py", [folder + "/school.db"])
        let session = try session(server.url)
        func students(by column: String, size: Int) -> PagedEndpoint<ListedStudent> {
            PagedEndpoint(
                .get("/school/students.json", query: ["_shape": "objects", "_sort": column]),
                paging: .cursor("_next", next: .field("next"), size: size, in: "_size"),
                items: "rows"
            )
        }
        let byName = (0..<3).flatMap { name in (1...31).filter { ($0 - 1) % 3 == name } }
        for (column, expected) in [("id", Array(1...31)), ("name", byName)] {
            for (size, sizes) in [(10, [10, 10, 10, 1]), (31, [31]), (100, [31])] {
                let (found, pages) = try await ids(students(by: column, size: size), session)
                XCTAssertEqual(found, expected, column)
                XCTAssertEqual(pages, sizes, column)
            }
        }
    }

    private func server() throws -> RealServer { try RealServer(python: "list_server.py") }
}
