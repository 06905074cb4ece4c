// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitCommandTestSupport
import Foundation
import XCTest

/// The documentation is true: every command in it prints what stands below it.
final class DocumentationTests: XCTestCase {
    func testEveryCommandPrintsWhatTheReadmeSays() throws {
        XCTAssertGreaterThan(try runCommands(of: "README.md"), 10)
    }

    func testTheRoadFromMD5RunsAsPrinted() throws {
        XCTAssertGreaterThan(try runCommands(of: "docs/migrating-from-md5.md"), 10)
    }

    /// Runs the `console` blocks of a page one after the other in one folder. Where the page has `…`, anything may
    /// stand in its place; a first line `[n]` is the exit status, 0 otherwise.
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
                // Messages stand among the output, as at a terminal.
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
