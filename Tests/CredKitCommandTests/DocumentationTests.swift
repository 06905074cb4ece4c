// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs the documented commands, and compares their output with the documentation.
final class DocumentationTests: XCTestCase {
    func testReadmeCommandsPrintTheDocumentedOutput() throws {
        XCTAssertGreaterThan(try DocumentedCommands.run("README.md"), 0)
    }

    func testCommandPagePrintsTheDocumentedOutput() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let server = try ServerProcess(
            shell,
            "python3 '\(TestScripts.path("article_server.py"))' --user alice --password 123456 --token --logout"
        )
        defer { _ = server.stop() }
        let count = try DocumentedCommands.run(
            "docs/command.md",
            replacing: ["https://school.example": server.url]
        )
        XCTAssertGreaterThan(count, 20)
    }

    func testArticlesPrintTheDocumentedOutput() throws {
        let sources = TestScripts.root.appendingPathComponent("Sources")
        let articles = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
        XCTAssertGreaterThan(articles.count, 10)
        var count = 0
        for article in articles.sorted() { count += try DocumentedCommands.run("Sources/\(article)") }
        XCTAssertGreaterThan(count, 4)
    }

    func testKeyringsPagePrintsTheDocumentedOutput() throws {
        XCTAssertEqual(try DocumentedCommands.run("docs/keyrings.md"), 2)
    }

    func testLegacyLoginsPagePrintsTheDocumentedOutput() throws {
        XCTAssertEqual(try DocumentedCommands.run("docs/legacy-logins.md"), 6)
    }

    func testMigrationFromMD5RunsAsDocumented() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let mariaDB = try MariaDBServer()
        defer { withExtendedLifetime(mariaDB) {} }
        try Program.succeed(mariaDB.client + ["-e", "CREATE DATABASE shop"], errors: .kept)
        let environment =
            "export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=\(PostgreSQLServer.superuser)"
        let count = try DocumentedCommands.run(
            "docs/migrating-from-md5.md",
            beginningWith: "\(environment)\n\(mariaDB.shellFunction)"
        )
        XCTAssertGreaterThan(count, 10)
    }
}
