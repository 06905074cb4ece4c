// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Writes a line for each of some files, in their order.
struct ChecksumOutput: MD5Files.Receiver {
    private let algorithm: String
    private let style: ChecksumLine.Style
    private let terminatedByNUL: Bool

    /// The files that have no line yet.
    private(set) var files: ArraySlice<FileArgument>
    /// Whether there was a file that could not be read.
    private(set) var didFail = false
    /// Why lines that came from the other threads could not be written.
    private(set) var failure: CommandFailure?

    private var lines: [UInt8] = []
    private var meter = ProgressMeter()

    init(
        algorithm: String,
        style: ChecksumLine.Style,
        terminatedByNUL: Bool,
        files: ArraySlice<FileArgument>
    ) {
        self.algorithm = algorithm
        self.style = style
        self.terminatedByNUL = terminatedByNUL
        self.files = files
    }

    /// Adds the line of the next file, or says why there is none.
    mutating func write(_ outcome: Result<some Collection<UInt8>, FileError>) throws(CommandFailure) {
        guard let file = files.popFirst() else { return }
        switch outcome {
        case .success(let digest):
            ChecksumLine(algorithm: algorithm, digest: Hex.encode(digest), file: file)
                .write(style, terminatedByNUL: terminatedByNUL, to: &lines)
        case .failure(let error):
            // Where both go to one terminal or file, lines and messages stand in the order of the files.
            try flush()
            StandardStreams.report("\(file.quoted): \(error.message)")
            didFail = true
        }
    }

    /// Writes the lines out, in place of what a terminal shows of the progress.
    mutating func flush() throws(CommandFailure) {
        meter.finish()
        if !lines.isEmpty { try StandardStreams.write(lines) }
        lines.removeAll(keepingCapacity: true)
    }

    mutating func receive(_ outcomes: [MD5Files.Outcome]) -> Bool {
        do throws(CommandFailure) {
            for outcome in outcomes { try write(outcome) }
            try flush()
            return true
        } catch {
            failure = error
            return false
        }
    }

    mutating func advance(by byteCount: Int) {
        meter.advance(by: byteCount)
    }
}
