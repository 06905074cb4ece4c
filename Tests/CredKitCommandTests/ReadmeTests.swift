// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// The README is true: every command in it prints what stands below it.
final class ReadmeTests: XCTestCase {
    func testEveryCommandPrintsWhatTheReadmeSays() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        var commands = 0
        for block in readme.components(separatedBy: "```console\n").dropFirst() {
            let session = block.components(separatedBy: "```")[0]
            for step in "\n\(session)".components(separatedBy: "\n$ ").dropFirst() {
                let lines = step.split(separator: "\n", omittingEmptySubsequences: false)
                let outcome = try shell.run(String(lines[0]))
                let expected = lines.dropFirst().joined(separator: "\n")
                XCTAssertEqual(
                    outcome.text.trimmingCharacters(in: .newlines),
                    expected.trimmingCharacters(in: .newlines),
                    String(lines[0])
                )
                XCTAssertEqual(outcome.status, 0, String(lines[0]))
                commands += 1
            }
        }
        XCTAssertGreaterThan(commands, 5)
    }
}
