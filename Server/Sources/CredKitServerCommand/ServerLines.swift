// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// The lines of a file of the server. Empty lines and lines that begin with `#` are left out.
struct ServerLines {
    /// A line without its end.
    struct Line {
        let bytes: ArraySlice<UInt8>
        fileprivate let place: String

        /// Returns the failure to parse the line. Its message does not contain the line: that holds a secret.
        func failure(_ reason: String) -> CommandFailure { CommandFailure(.malformed, "\(place): \(reason)") }
    }

    private let bytes: [UInt8]
    private let name: String

    /// Creates the lines of a file.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - name: The name of the file, for messages.
    init(_ bytes: [UInt8], named name: String) {
        self.bytes = bytes
        self.name = name
    }

    /// Reads a file.
    init(reading file: FileArgument) throws(CommandFailure) {
        self.init(try ServerFile.read(file, upTo: ServerUsers.maximumByteCount), named: file.quotedForMessage)
    }

    /// Calls a function with each line, up to the first failure.
    func forEach(_ body: (Line) throws(CommandFailure) -> Void) throws(CommandFailure) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, var line) in lines.enumerated() {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            try body(Line(bytes: line, place: "\(name): line \(index + 1)"))
        }
    }

    /// Calls a function with each line, and collects all failures.
    func collect(_ problems: inout [CommandFailure], _ body: (Line) throws(CommandFailure) -> Void) {
        var found: [CommandFailure] = []
        // The function below catches what the body throws.
        try? forEach { (line) throws(CommandFailure) in
            Self.collect(&found) { () throws(CommandFailure) in try body(line) }
        }
        problems += found
    }

    /// Calls a function, and collects its failure.
    static func collect(_ problems: inout [CommandFailure], _ body: () throws(CommandFailure) -> Void) {
        do throws(CommandFailure) {
            try body()
        } catch {
            problems.append(error)
        }
    }

    /// Throws if a condition of the whole file is not met.
    func require(_ condition: Bool, _ reason: String) throws(CommandFailure) {
        guard condition else { throw CommandFailure(.malformed, "\(name): \(reason)") }
    }
}
