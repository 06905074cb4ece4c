// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// A value on the command line or, after `@`, the name of the file that contains it; `@-` is standard input.
struct ContentArgument: ExpressibleByArgument {
    /// The maximum size of a file in bytes. All of it is held in memory, because a request may have to be sent twice.
    private static let maximumByteCount = 64 << 20

    private let text: String
    private let file: FileArgument?

    init(argument: String) {
        text = argument
        // Bytes, because an accent after the @ would belong to the same character.
        let isFile = argument.utf8.first == UInt8(ascii: "@")
        file = isFile ? FileArgument(bytes: Array(RawArguments.encode(argument).dropFirst())) : nil
    }

    /// Whether the value is the content of a file.
    var isFile: Bool { file != nil }

    /// The descriptor that the value is read from, if its number is known.
    var descriptor: Int32? { file?.descriptor }

    /// Reads all bytes of the value.
    ///
    /// - Parameter isTrusted: Whether a file that others can change is refused.
    /// - Returns: The bytes.
    /// - Throws: ``CommandFailure``.
    func read(isTrusted: Bool = false) throws -> [UInt8] {
        guard let file else { return RawArguments.encode(text) }
        return try file.readAll(limit: Self.maximumByteCount, isTrusted: isTrusted)
    }
}

extension FileArgument {
    /// Reads all bytes of the file. Throws ``CommandFailure`` if there are more than `limit`, or if the file is to be trusted and
    /// others can change it.
    func readAll(limit: Int, isTrusted: Bool = false) throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            let file = try InputFile(self)
            if isTrusted { try file.refuseIfOthersCanChange() }
            try file.forEachChunk { chunk in
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

/// A text that is sent or stored, and therefore must be UTF-8.
struct TextArgument: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let text = String(validating: RawArguments.encode(argument), as: UTF8.self) else { return nil }
        self.text = text
    }
}
