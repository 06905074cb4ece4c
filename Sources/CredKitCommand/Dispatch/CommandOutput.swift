// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// The results of a command on standard output: text for people and pipes, or JSON for programs.
struct CommandOutput {
    /// Whether the results are JSON: one object per line.
    let isJSON: Bool
    /// Whether nothing is printed, because only the exit status is of interest.
    let isQuiet: Bool

    init(json: Bool, quiet: Bool = false) {
        isJSON = json
        isQuiet = quiet
    }

    /// Prints one result.
    ///
    /// - Parameters:
    ///   - result: The result as JSON; docs/json.md describes its keys.
    ///   - text: The result as text, without the last line feed.
    /// - Throws: ``CommandFailure``, or an error of the text.
    func print(_ result: some Encodable, text: @autoclosure () throws -> String) throws {
        try print([result]) { _ in try text() }
    }

    /// Prints results, each on a line.
    ///
    /// - Parameters:
    ///   - results: The results as JSON.
    ///   - text: Returns the text of a result, without the last line feed.
    /// - Throws: ``CommandFailure``, or an error of the text.
    func print<Result: Encodable>(_ results: [Result], text: (Result) throws -> String) throws {
        guard !isQuiet else { return }
        var output: [UInt8] = []
        for result in results {
            output += isJSON ? try JSONLine(encoding: result).bytes : Array("\(try text(result))\n".utf8)
        }
        try StandardStreams.write(StandardStreams.showable(output))
    }
}

extension StandardStreams {
    /// Writes a message to standard error, on one line.
    static func report(_ message: String) {
        report(message, from: "credkit")
    }
}
