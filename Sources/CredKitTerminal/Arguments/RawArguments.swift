// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// The command line, with every byte preserved.
///
/// A file name on Linux may contain any bytes. Swift's own `CommandLine.arguments` replaces bytes that are not UTF-8,
/// and the file would not be found. Here such bytes become the characters U+10FF00 to U+10FFFF, and are converted back
/// where the name is used. Genuine characters in that range (the end of a private-use plane) are treated as bytes that
/// are not UTF-8, so that the conversion back is unambiguous.
public enum RawArguments {
    private static let escapeBase: UInt32 = 0x10_FF00
    private static let firstByteOfEscapes: UInt8 = 0xF4

    /// The arguments without the command's name.
    public static var commandLine: [String] { bytes.map(decode) }

    /// The bytes of the arguments without the command's name. Each argument is copied on access.
    public static var bytes: LazyMapCollection<Range<Int>, [UInt8]> {
        (1..<max(1, Int(CommandLine.argc))).lazy.map { index in
            guard let argument = CommandLine.unsafeArgv[index] else { return [] }
            return Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    /// Returns the text for any bytes, with escape characters for bytes that are not UTF-8.
    public static func decode(_ bytes: [UInt8]) -> String {
        // Most names are UTF-8 without characters in the escape range, all of which begin with this byte.
        if !bytes.contains(firstByteOfEscapes), let text = String(validating: bytes, as: UTF8.self) {
            return text
        }
        var text = ""
        var rest = bytes[...]
        while let byte = rest.first {
            // A valid UTF-8 sequence here is one scalar of 1 to 4 bytes.
            let scalar = (1...min(4, rest.count)).lazy.compactMap { count in
                String(validating: rest.prefix(count), as: UTF8.self)?.unicodeScalars.first
            }.first
            if let scalar, scalar.value < escapeBase {
                text.unicodeScalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                text.unicodeScalars.append(Unicode.Scalar(escapeBase + UInt32(byte)) ?? "\u{FFFD}")
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Returns the bytes that a text stands for.
    public static func encode(_ text: String) -> [UInt8] {
        if !text.utf8.contains(firstByteOfEscapes) { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            scalar.value >= escapeBase
                ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }
}
