// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The name of a file, of any bytes; `-` is standard input.
struct FileArgument: ExpressibleByArgument {
    static let standardInput = FileArgument(bytes: [UInt8(ascii: "-")])

    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(argument: String) {
        bytes = RawArguments.encode(argument)
    }

    static var defaultCompletionKind: CompletionKind { .file() }

    var isStandardInput: Bool { bytes == Self.standardInput.bytes }

    /// The descriptor that the name stands for, if it is one of the ways to name one.
    var descriptor: Int32? {
        if isStandardInput || display == "/dev/stdin" { return 0 }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where display.hasPrefix(folder) {
            return Int32(display.dropFirst(folder.count))
        }
        return nil
    }

    /// The name as text, with a replacement character for what is not UTF-8.
    var display: String { String(decoding: bytes, as: UTF8.self) }

    /// The name as messages show it: as a shell would read it.
    var quoted: String { ShellQuoting.quote(bytes) }

    /// The same, with standard input named in words.
    var quotedForMessage: String { isStandardInput ? "'standard input'" : quoted }
}
