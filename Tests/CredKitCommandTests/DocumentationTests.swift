// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitCommandTestSupport
import Foundation
import XCTest

/// Runs the documented commands, and compares their output with the documentation.
final class DocumentationTests: XCTestCase {
    func testReadmeCommandsPrintTheDocumentedOutput() throws {
        XCTAssertGreaterThan(try runCommands(of: "README.md"), 0)
    }

    func testCommandPagePrintsTheDocumentedOutput() throws {
        XCTAssertGreaterThan(try runCommands(of: "docs/command.md"), 20)
    }

    func testMigrationFromMD5RunsAsDocumented() throws {
        XCTAssertGreaterThan(try runCommands(of: "docs/migrating-from-md5.md"), 10)
    }

    /// Runs the `console` blocks of a page in order in one folder. A `…` in the page matches any text. A first line
    /// `[n]` is the exit status, 0 by default.
    private func runCommands(of page: String) throws -> Int {
        let shell = try Shell()
        defer { shell.remove() }
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
        var commands = 0
        for block in text.components(separatedBy: "```console\n").dropFirst() {
            let session = block.components(separatedBy: "\n```")[0]
            for step in "\n\(session)".components(separatedBy: "\n$ ").dropFirst() {
                var lines = step.components(separatedBy: "\n")[...]
                var command = lines.removeFirst()
                while command.hasSuffix("\\"), let next = lines.popFirst() { command += "\n\(next)" }
                if command.contains("<<'END'") {
                    while let next = lines.popFirst() {
                        command += "\n\(next)"
                        if next == "END" { break }
                    }
                }
                var status: Int32 = 0
                if let last = lines.last, last.hasPrefix("["), last.hasSuffix("]") {
                    status = Int32(last.dropFirst().dropLast()) ?? -1
                    lines.removeLast()
                }
                // Messages and output are interleaved, as at a terminal.
                let outcome = try shell.run("{ \(command)\n} 2>&1")
                let expected = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
                XCTAssertTrue(
                    Self.matches(outcome.text.trimmingCharacters(in: .newlines), expected),
                    "\(page): \(command): printed\n\(outcome.text)and not\n\(expected)"
                )
                XCTAssertEqual(outcome.status, status, "\(page): \(command)")
                commands += 1
            }
        }
        return commands
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let regex = pattern.components(separatedBy: "…").map(NSRegularExpression.escapedPattern)
            .joined(separator: ".*")
        return text.range(of: "(?s)^\(regex)$", options: .regularExpression) == text
            .startIndex..<text.endIndex
    }
}
