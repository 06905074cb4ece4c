// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal

/// `credkit blocklist build`: makes a filter file of lists.
struct BlocklistBuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Create a filter file of lists of passwords.",
        discussion: """
            For instance:
              credkit blocklist build --output common.filter common.txt
              credkit blocklist build --pre-hashed --output pwned.filter \\
                pwned-passwords-sha1.txt

            A filter takes some 4 bytes for each password, and is read without loading it. It takes fewer than one in a \
            billion of all other passwords for one of the lists. passwdqc's pwqfilter and pam_passwdqc read it, too. While it \
            is made, it is in memory.
            """
    )

    @Argument(
        help: ArgumentHelp("The lists, one password on each line; - is standard input.", valueName: "list")
    )
    var lists: [FileArgument]

    @Option(help: ArgumentHelp("The filter to write; it must not exist.", valueName: "filter"))
    var output: FileArgument

    @Flag(help: "The lines are hashes, perhaps with a colon and a count, as those of Have I Been Pwned.")
    var preHashed = false

    @OptionGroup
    var function: HashFunctionOption

    @Option(
        help: ArgumentHelp(
            "The number of passwords that would fill the filter; 98% of it are the most (default: for all lines).",
            valueName: "n"
        )
    )
    var capacity: Int?

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    func validate() throws {
        guard !output.isStandardInput else { throw ValidationError("--output takes a file.") }
        guard capacity ?? 1 > 0 else { throw ValidationError("--capacity must be 1 or greater.") }
        guard lists.count(where: { $0.descriptor == 0 }) <= 1 else {
            throw ValidationError("Standard input can be given once.")
        }
    }

    /// The output of `--json`.
    private struct Result: Encodable {
        let passwords: Int
        let duplicates: Int
        let capacity: Int
        let byteCount: Int
        let falsePositiveRate: Double
    }

    func run() throws {
        try PrivateFile.refuseExisting(output)
        let function = function.function ?? (preHashed ? .sha1 : .md4)
        var filter = try makeBuilder(function)
        for list in lists { try add(list, to: &filter, function) }
        try PrivateFile.create(output) { (file) throws(SystemError) in
            try filter.withContent { (bytes) throws(SystemError) in try file.write(bytes) }
        }
        let statistics = filter.statistics
        let result = Result(
            passwords: statistics.wordCount,
            duplicates: statistics.duplicateCount,
            capacity: statistics.capacity,
            byteCount: statistics.byteCount,
            falsePositiveRate: statistics.falsePositiveRate
        )
        if json { try CommandOutput(json: true).print(result, text: "") }
        let others = 1 / statistics.falsePositiveRate
        StandardStreams.report(
            "\(result.passwords) passwords, \(result.duplicates) duplicates; wrong for "
                + (others < 1e15 ? "one in \(Int(others))" : "fewer than one in 10^15") + " others"
        )
    }

    private func makeBuilder(_ function: PasswordBlocklist.HashFunction) throws -> PasswordFilterBuilder {
        if let capacity { return try PasswordFilterBuilder(capacity: capacity, hashedWith: function) }
        var lineCount = 0
        for list in lists { lineCount += try WordFile(list).countLines() }
        return try PasswordFilterBuilder(wordCount: lineCount, hashedWith: function)
    }

    private func add(
        _ list: FileArgument,
        to filter: inout PasswordFilterBuilder,
        _ function: PasswordBlocklist.HashFunction
    ) throws {
        var number = 0
        try WordFile(list).forEachLine { line in
            number += 1
            if !preHashed {
                try filter.insert(span: line)
            } else if try filter.insert(hash: line) == nil {
                throw CommandFailure(
                    .malformed,
                    "\(list.quotedForMessage): line \(number) is not a \(function) hash: expected "
                        + "\(function.digitCount) hexadecimal digits"
                )
            }
        }
    }
}
