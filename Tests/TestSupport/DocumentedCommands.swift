// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Runs the commands of a page, and compares their output with the page.
public enum DocumentedCommands {
    /// Runs the `console` blocks of a page in order in one folder. A `…` in the page matches any text. A first line
    /// `[n]` is the exit status, 0 by default. A block after a line `<!-- not-run: REASON -->` is left out.
    ///
    /// - Parameters:
    ///   - page: The path of the page in the package.
    ///   - programs: The built programs that the commands use.
    ///   - replacements: What to replace in the page, such as ports, which may be in use.
    ///   - beginning: What to run before each command, such as exports.
    ///   - end: What to run at the end, also if a command failed.
    /// - Returns: The number of commands.
    /// - Throws: The error that prevents the page from being read or a command from starting.
    public static func run(
        _ page: String,
        programs: [String] = ["credkit"],
        replacing replacements: [String: String] = [:],
        beginningWith beginning: String = "",
        endingWith end: String = ""
    ) throws -> Int {
        let shell = try Shell(programs: programs)
        defer {
            _ = try? shell.run(end)
            shell.remove()
        }
        var text = try String(contentsOf: TestScripts.root.appendingPathComponent(page), encoding: .utf8)
        for (old, new) in replacements { text = text.replacingOccurrences(of: old, with: new) }
        var commands = 0
        let parts = text.components(separatedBy: "```console\n")
        for (before, block) in zip(parts, parts.dropFirst()) {
            let session = block.components(separatedBy: "\n```")[0]
            let marker = before.split(separator: "\n").last ?? ""
            guard !marker.hasPrefix("<!-- not-run: ") else { continue }
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
                let outcome = try shell.run("\(closing)\(beginning)\n{ \(command)\n} 2>&1")
                let expected = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
                XCTAssertTrue(
                    matches(outcome.text.trimmingCharacters(in: .newlines), expected),
                    "\(page): \(command): printed\n\(outcome.text)and not\n\(expected)"
                )
                XCTAssertEqual(outcome.status, status, "\(page): \(command)")
                commands += 1
            }
        }
        return commands
    }

    /// Closes what a server in the background would inherit: the test would wait until the server has ended.
    private static let closing = """
        for name in /proc/self/fd/*; do
            name=${name##*/}; [ $name -le 2 ] || eval "exec $name>&-"
        done

        """

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let regex = pattern.components(separatedBy: "…").map(NSRegularExpression.escapedPattern)
            .joined(separator: ".*")
        return text.range(of: "(?s)^\(regex)$", options: .regularExpression) == text
            .startIndex..<text.endIndex
    }
}
