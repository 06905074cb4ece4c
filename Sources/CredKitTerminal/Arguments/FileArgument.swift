// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// A file name, which may contain any bytes; `-` means standard input.
public struct FileArgument: ExpressibleByArgument, Sendable {
    /// Standard input.
    public static let standardInput = FileArgument(bytes: [UInt8(ascii: "-")])

    /// The bytes of the name.
    public let bytes: [UInt8]

    /// Creates a name.
    ///
    /// - Parameter bytes: The bytes of the name.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates a name from an argument.
    ///
    /// - Parameter argument: The argument, as ``RawArguments`` decoded it.
    public init(argument: String) {
        bytes = RawArguments.encode(argument)
    }

    /// Shells complete the names of files.
    public static var defaultCompletionKind: CompletionKind { .file() }

    /// Whether the name is `-`.
    public var isStandardInput: Bool { bytes == Self.standardInput.bytes }

    /// The descriptor that the name refers to (`-`, `/dev/stdin`, `/dev/fd/N` and those of `/proc`), otherwise `nil`.
    public var descriptor: Int32? {
        if isStandardInput || display == "/dev/stdin" { return 0 }
        for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"] where display.hasPrefix(folder)
        {
            return Int32(display.dropFirst(folder.count))
        }
        return nil
    }

    /// The name as text. Bytes that are not UTF-8 become replacement characters.
    public var display: String { String(decoding: bytes, as: UTF8.self) }

    /// The name as messages show it, quoted for a shell.
    public var quoted: String { ShellQuoting.quote(bytes) }

    /// The name as in ``quoted``, but with standard input named in words.
    public var quotedForMessage: String { isStandardInput ? "'standard input'" : quoted }
}
