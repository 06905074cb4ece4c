// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options of a search for many passwords, with the names that they have in grep and pwqfilter.
struct LineMatchOptions: ParsableArguments {
    @Flag(help: "Print the lines of standard input that are on a list, and exit as grep does.")
    var lines = false

    @Flag(name: [.customShort("v"), .long], help: "Print those on no list.")
    var invertMatch = false

    @Flag(name: .shortAndLong, help: "Print only their number.")
    var count = false

    @Flag(name: [.customShort("n"), .long], help: "Print line numbers.")
    var lineNumber = false

    func validate() throws {
        guard lines || !(invertMatch || count || lineNumber) else {
            throw ValidationError("--invert-match, --count and --line-number need --lines.")
        }
    }

    /// The output of `--json` for a line.
    private struct Match: Encodable {
        let line: Int
        let password: String
    }

    /// Prints the lines of standard input that are selected.
    ///
    /// - Returns: Their number.
    func search(_ lists: [PasswordBlocklist], json: Bool, quiet: Bool) throws -> Int {
        var (number, selected) = (0, 0)
        var output: [UInt8] = []
        func flush() throws {
            try StandardStreams.write(StandardStreams.showable(output))
            output.removeAll(keepingCapacity: true)
        }
        try WordFile(.standardInput).forEachLine(keepsReturns: true) { line in
            number += 1
            var isListed = false
            for list in lists where !isListed { isListed = try Self.contains(line, list) }
            guard isListed != invertMatch else { return }
            selected += 1
            guard !quiet && !count else { return }
            let bytes = line.indices.map { line[$0] }
            if json {
                output += try JSONLine(
                    encoding: Match(line: number, password: String(decoding: bytes, as: UTF8.self))
                ).bytes
            } else {
                if lineNumber { output += Array("\(number):".utf8) }
                output += bytes
                output.append(UInt8(ascii: "\n"))
            }
            if output.count >= FileReader.defaultChunkByteCount { try flush() }
        }
        try flush()
        if count && !quiet { try CommandOutput(json: json).print(["count": selected], text: "\(selected)") }
        return selected
    }

    /// Returns whether a list has a line. A carriage return at its end can be a part of the password, as in `credkit hash`,
    /// or of the line ending: it is listed either way.
    private static func contains(_ line: Span<UInt8>, _ list: PasswordBlocklist) throws(PasswordError) -> Bool
    {
        if try list.contains(span: line) { return true }
        guard line.count > 0, line[line.count - 1] == UInt8(ascii: "\r") else { return false }
        return try list.contains(span: line.extracting(..<(line.count - 1)))
    }
}
