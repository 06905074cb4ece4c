// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The name of a file, of any bytes; `-` is standard input.
package struct FileArgument: ExpressibleByArgument {
    package static let standardInput = FileArgument(bytes: [UInt8(ascii: "-")])

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(argument: String) {
        bytes = RawArguments.encode(argument)
    }

    package static var defaultCompletionKind: CompletionKind { .file() }

    package var isStandardInput: Bool { bytes == Self.standardInput.bytes }

    /// The descriptor that the name stands for, if it is one of the ways to name one.
    package var descriptor: Int32? {
        if isStandardInput || display == "/dev/stdin" { return 0 }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where display.hasPrefix(folder) {
            return Int32(display.dropFirst(folder.count))
        }
        return nil
    }

    /// The name as text, with a replacement character for what is not UTF-8.
    package var display: String { String(decoding: bytes, as: UTF8.self) }

    /// The name as messages show it: as a shell would read it.
    package var quoted: String { ShellQuoting.quote(bytes) }

    /// The same, with standard input named in words.
    package var quotedForMessage: String { isStandardInput ? "'standard input'" : quoted }
}
