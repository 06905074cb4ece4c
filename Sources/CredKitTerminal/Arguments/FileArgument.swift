// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// A file name, which may contain any bytes; `-` means standard input.
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

    /// The descriptor that the name refers to (`-`, `/dev/stdin`, `/dev/fd/N`, `/proc/self/fd/N`), otherwise `nil`.
    package var descriptor: Int32? {
        if isStandardInput || display == "/dev/stdin" { return 0 }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where display.hasPrefix(folder) {
            return Int32(display.dropFirst(folder.count))
        }
        return nil
    }

    /// The name as text. Bytes that are not UTF-8 become replacement characters.
    package var display: String { String(decoding: bytes, as: UTF8.self) }

    /// The name as messages show it, quoted for a shell.
    package var quoted: String { ShellQuoting.quote(bytes) }

    /// The name as in ``quoted``, but with standard input named in words.
    package var quotedForMessage: String { isStandardInput ? "'standard input'" : quoted }
}
