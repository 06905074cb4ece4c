// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc

/// A file with a word on each line, which is read in pieces.
struct WordFile {
    private let argument: FileArgument

    init(_ argument: FileArgument) { self.argument = argument }

    /// Calls `body` with each line, without its line feed, and without a carriage return before that unless `keepsReturns`.
    func forEachLine(keepsReturns: Bool = false, _ body: (Span<UInt8>) throws -> Void) throws {
        var splitter = LineSplitter(keepsReturns: keepsReturns)
        try forEachChunk { chunk in
            try splitter.split(chunk, body)
        }
        try reportingName { try splitter.finish(body) }
    }

    /// Returns the number of lines of a file that can be read twice.
    func countLines() throws -> Int {
        var status = stat()
        guard !argument.isStandardInput,
            stat(argument.bytes.map { CChar(bitPattern: $0) } + [0], &status) != 0
                || status.st_mode & S_IFMT == S_IFREG
        else {
            throw CommandFailure(
                .malformed,
                "\(argument.quotedForMessage): it can be read only once; give the number of passwords with --capacity"
            )
        }
        var count = 1
        try forEachChunk { chunk in
            chunk.withUnsafeBytes { bytes in count += bytes.count { $0 == UInt8(ascii: "\n") } }
        }
        return count
    }

    private func forEachChunk(_ body: (Span<UInt8>) throws -> Void) throws {
        try reportingName { try InputFile(argument).forEachChunk(body) }
    }

    private func reportingName(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as FileError {
            throw CommandFailure(.inputOutput, "\(argument.quotedForMessage): \(error.message)")
        } catch let error as PasswordError {
            let failure = CommandFailure(reporting: error)
            throw CommandFailure(failure.status, "\(argument.quotedForMessage): \(error)")
        }
    }
}
