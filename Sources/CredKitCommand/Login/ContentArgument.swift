// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// Something that stands on the command line, or with `@` before it, the file that has it; `@-` is standard
/// input.
struct ContentArgument: ExpressibleByArgument {
    /// How much is read of a file, in bytes: all of it is held in memory, since a request may have to be sent
    /// twice.
    private static let maximumByteCount = 64 << 20

    private let text: String
    private let file: FileArgument?

    init(argument: String) {
        text = argument
        file = argument.hasPrefix("@") ? FileArgument(argument: String(argument.dropFirst())) : nil
    }

    /// The descriptor that it is read from, if it is known by its number.
    var descriptor: Int32? { file?.descriptor }

    /// All bytes of it.
    func read() throws -> [UInt8] {
        guard let file else { return RawArguments.encode(text) }
        return try file.readAll(limit: Self.maximumByteCount)
    }
}

extension FileArgument {
    /// All bytes of the file, as long as they are not more than a limit.
    func readAll(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            try InputFile(self).forEachChunk { chunk in
                guard chunk.count <= limit - bytes.count else {
                    throw CommandFailure(.malformed, "\(quotedForMessage): longer than \(limit) bytes")
                }
                chunk.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
            }
        } catch let error as FileError {
            throw CommandFailure(.inputOutput, "\(quotedForMessage): \(error.message)")
        }
        return bytes
    }
}
