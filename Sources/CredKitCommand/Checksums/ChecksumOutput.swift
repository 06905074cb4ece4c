// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Writes a line for each file, as `md5sum` and its family do.
struct ChecksumOutput: ChecksumReceiver {
    let algorithm: String
    let style: ChecksumLine.Style
    let terminatedByNUL: Bool
    var files: ArraySlice<FileArgument>

    var output = PendingOutput()
    var failure: CommandFailure?

    /// Whether a file could not be read.
    private(set) var didFail = false

    mutating func take(
        _ outcome: Result<some Collection<UInt8>, FileError>,
        of file: FileArgument
    ) throws(CommandFailure) {
        switch outcome {
        case .success(let digest):
            ChecksumLine(algorithm: algorithm, digest: Hex.encode(digest), file: file)
                .write(style, terminatedByNUL: terminatedByNUL, to: &output.lines)
        case .failure(let error):
            try output.report("\(file.quoted): \(error.message)")
            didFail = true
        }
    }

    /// Prints a line for each file, in the order of the files.
    ///
    /// - Parameters:
    ///   - function: The hash function.
    ///   - files: The files.
    ///   - style: The form of the lines.
    ///   - terminatedByNUL: Whether lines end with a NUL.
    /// - Throws: ``CommandFailure`` when a file cannot be read, after printing all others, or a line cannot be written.
    static func printDigests<Function: DigestAlgorithm>(
        _ function: Function.Type,
        of files: [FileArgument],
        style: ChecksumLine.Style,
        terminatedByNUL: Bool
    ) throws {
        var lines = ChecksumOutput(
            algorithm: Function.name,
            style: style,
            terminatedByNUL: terminatedByNUL,
            files: files[...]
        )
        try lines.hashFiles(function)
        if lines.didFail { throw CommandFailure(.no) }
    }
}

/// Lines that are written together, replacing the progress on a terminal.
struct PendingOutput: Sendable {
    /// The lines that have not been written yet.
    var lines: [UInt8] = []
    private var meter = ProgressMeter(.bytes)

    /// Writes the lines out.
    mutating func flush() throws(CommandFailure) {
        meter.finish()
        if !lines.isEmpty { try StandardStreams.write(StandardStreams.showable(lines)) }
        lines.removeAll(keepingCapacity: true)
    }

    /// Writes a message to standard error. If both streams go to one terminal or file, their order is preserved.
    mutating func report(_ message: String) throws(CommandFailure) {
        try flush()
        StandardStreams.report(message)
    }

    /// Restarts the progress, because the time up to now was spent on something else.
    mutating func restartMeter() { meter = ProgressMeter(.bytes) }

    /// Counts bytes that were read.
    mutating func advance(by byteCount: Int) { meter.advance(by: byteCount) }
}
