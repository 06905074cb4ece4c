// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Checks the files that checksum lists name, and reports the results as `md5sum --check` does.
struct ChecksumVerifier<Function: DigestAlgorithm> {
    private let options: ChecksumCheckOptions
    private let json: Bool
    private var parser = ChecksumLineParser(
        algorithm: Function.name,
        digestByteCount: Function.digestByteCount
    )

    /// Whether all lists so far passed the check.
    private(set) var allGood = true

    init(options: ChecksumCheckOptions, json: Bool) {
        self.options = options
        self.json = json
    }

    /// Checks all files that one list names.
    mutating func verify(_ list: FileArgument) throws {
        var comparison = ChecksumComparison(options: options, json: json)
        var proper = 0
        var improper = 0
        do {
            var number = 0
            // Collect about ten thousand files: starting threads for fewer takes longer than reading more lines.
            let reader = try LineReader(InputFile(list), chunkByteCount: 1 << 20)
            try reader.forEachLine { line, isWhole in
                number += 1
                // Skip comments and empty lines.
                if line.isEmpty || line.first == UInt8(ascii: "#") { return }
                // A list that comes from standard input cannot name standard input as a file, too.
                if isWhole, let entry = parser.parse(line),
                    !(list.isStandardInput && entry.name == FileArgument.standardInput.bytes)
                {
                    proper += 1
                    comparison.add(FileArgument(bytes: entry.name), digest: entry.digest)
                    return
                }
                improper += 1
                if options.report == .warn {
                    // Report after the results of the previous lines.
                    try comparison.hashFiles(Function.self)
                    StandardStreams.report(
                        "\(list.quotedForMessage): \(number): improperly formatted \(Function.name) checksum line"
                    )
                }
            } beforeWaiting: {
                try comparison.hashFiles(Function.self)
            }
            // The last line may have no line ending.
            try comparison.hashFiles(Function.self)
        } catch let error as FileError {
            let message = error.operation == .open ? error.message : "read error"
            StandardStreams.report("\(list.quotedForMessage): \(message)")
            allGood = false
            return
        }
        conclude(comparison.tally, proper: proper, improper: improper, list: list)
    }

    private mutating func conclude(
        _ tally: ChecksumComparison.Tally,
        proper: Int,
        improper: Int,
        list: FileArgument
    ) {
        guard proper > 0 else {
            StandardStreams.report("\(list.quotedForMessage): no properly formatted checksum lines found")
            allGood = false
            return
        }
        if options.report != .status {
            let warnings = [
                (improper, "line is improperly formatted", "lines are improperly formatted"),
                (tally.unreadable, "listed file could not be read", "listed files could not be read"),
                (tally.mismatched, "computed checksum did NOT match", "computed checksums did NOT match"),
            ]
            for (count, one, many) in warnings where count > 0 {
                StandardStreams.report("WARNING: \(count) \(count == 1 ? one : many)")
            }
            if options.ignoreMissing && tally.matched == 0 {
                StandardStreams.report("\(list.quotedForMessage): no file was verified")
            }
        }
        let isGood =
            tally.matched > 0 && tally.mismatched == 0 && tally.unreadable == 0
            && !(options.strict && improper > 0)
        allGood = allGood && isGood
    }
}
