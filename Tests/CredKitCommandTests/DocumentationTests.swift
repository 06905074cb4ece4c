// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitCommandTestSupport
import Foundation
import XCTest

/// Runs the documented commands, and compares their output with the documentation.
final class DocumentationTests: XCTestCase {
    func testReadmeCommandsPrintTheDocumentedOutput() throws {
        XCTAssertGreaterThan(try DocumentedCommands.run("README.md"), 0)
    }

    func testCommandPagePrintsTheDocumentedOutput() throws {
        XCTAssertGreaterThan(try DocumentedCommands.run("docs/command.md"), 20)
    }

    func testMigrationFromMD5RunsAsDocumented() throws {
        XCTAssertGreaterThan(try DocumentedCommands.run("docs/migrating-from-md5.md"), 10)
    }
}
