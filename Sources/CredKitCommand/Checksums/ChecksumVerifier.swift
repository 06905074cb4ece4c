// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Glibc

/// Checks the files that checksum lists name, and says how that went as `md5sum --check` does.
struct ChecksumVerifier<Function: DigestAlgorithm> {
    private let options: ChecksumCheckOptions
    private let json: Bool
    private var parser = ChecksumLineParser(
        algorithm: Function.name,
        digestByteCount: Function.digestByteCount
    )

    /// Whether nothing was wrong in any list so far.
    private(set) var allGood = true

    init(options: ChecksumCheckOptions, json: Bool) {
        self.options = options
        self.json = json
    }

    /// What was counted in one list.
    private struct Tally {
        var proper = 0
        var improper = 0
        var unreadable = 0
        var mismatched = 0
        var matched = 0
    }

    private enum Outcome: String {
        case ok, failed, unreadable

        var text: String {
            switch self {
            case .ok: "OK"
            case .failed: "FAILED"
            case .unreadable: "FAILED open or read"
            }
        }
    }

    /// Checks all files that one list names.
    mutating func verify(_ list: FileArgument) throws {
        var tally = Tally()
        do {
            var number = 0
            try LineReader(InputFile(list)).forEachLine { line, isWhole in
                number += 1
                try verify(line: line, isWhole: isWhole, number: number, in: list, tally: &tally)
            }
        } catch let error as FileError {
            let message = error.operation == .open ? error.message : "read error"
            StandardStreams.report("\(list.quotedForMessage): \(message)")
            allGood = false
            return
        }
        conclude(tally, list: list)
    }

    /// Checks the file that one line names.
    private mutating func verify(
        line: ArraySlice<UInt8>,
        isWhole: Bool,
        number: Int,
        in list: FileArgument,
        tally: inout Tally
    ) throws {
        // Comments and empty lines say nothing.
        if line.isEmpty || line.first == UInt8(ascii: "#") { return }
        // A list that comes from standard input cannot name it as a file, too.
        guard isWhole, let entry = parser.parse(line),
            !(list.isStandardInput && entry.name == FileArgument.standardInput.bytes)
        else {
            tally.improper += 1
            if options.report == .warn {
                StandardStreams.report(
                    "\(list.quotedForMessage): \(number): improperly formatted \(Function.name) checksum line"
                )
            }
            return
        }
        tally.proper += 1
        let file = FileArgument(bytes: entry.name)
        do {
            let isMatch = ConstantTime.areEqual(try InputFile(file).digest(Function.self), entry.digest)
            if isMatch { tally.matched += 1 } else { tally.mismatched += 1 }
            try write(isMatch ? .ok : .failed, file)
        } catch let error as FileError {
            if options.ignoreMissing && error.operation == .open && error.errorNumber == ENOENT { return }
            StandardStreams.report("\(file.quoted): \(error.message)")
            tally.unreadable += 1
            try write(.unreadable, file)
        }
    }

    private func write(_ outcome: Outcome, _ file: FileArgument) throws {
        if options.report == .status || (options.report == .quiet && outcome == .ok) { return }
        if json {
            try StandardStreams.write(JSONLine(["file": file.display, "status": outcome.rawValue]).bytes)
            return
        }
        // Here only a line feed makes a name break the line, and so be escaped.
        let escaped = file.bytes.contains(UInt8(ascii: "\n")) ? FileNameEscaping.escape(file.bytes) : nil
        let name = escaped.map { [UInt8(ascii: "\\")] + $0 } ?? file.bytes
        try StandardStreams.write(name + Array(": \(outcome.text)\n".utf8))
    }

    private mutating func conclude(_ tally: Tally, list: FileArgument) {
        guard tally.proper > 0 else {
            StandardStreams.report("\(list.quotedForMessage): no properly formatted checksum lines found")
            allGood = false
            return
        }
        if options.report != .status {
            let warnings = [
                (tally.improper, "line is improperly formatted", "lines are improperly formatted"),
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
            && !(options.strict && tally.improper > 0)
        allGood = allGood && isGood
    }
}
