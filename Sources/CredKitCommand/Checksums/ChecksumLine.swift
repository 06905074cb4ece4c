// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc

/// A line of output: a digest and the file that it was computed from.
struct ChecksumLine {
    /// The forms of a line.
    enum Style {
        case text, binary, tag, json
    }

    let algorithm: String
    let digest: String
    let file: FileArgument

    /// Appends the line with its end.
    func write(_ style: Style, terminatedByNUL: Bool = false, to text: inout [UInt8]) {
        if style == .json {
            text += JSONLine(["algorithm": algorithm, "digest": digest, "file": file.display]).bytes
            return
        }
        // A name that would break the line is escaped, and a backslash at the start of the line marks this.
        let escaped = terminatedByNUL ? nil : FileNameEscaping.escape(file.bytes)
        if escaped != nil { text.append(UInt8(ascii: "\\")) }
        if style == .tag {
            text += "\(algorithm) (".utf8
            text += escaped ?? file.bytes
            text += ") = \(digest)".utf8
        } else {
            text += digest.utf8
            text.append(UInt8(ascii: " "))
            text.append(UInt8(ascii: style == .binary ? "*" : " "))
            text += escaped ?? file.bytes
        }
        text.append(terminatedByNUL ? 0 : UInt8(ascii: "\n"))
    }
}

/// The escapes in checksum files for characters that would break a line.
enum FileNameEscaping {
    private static let escapes: [(byte: UInt8, letter: UInt8)] = [
        (UInt8(ascii: "\\"), UInt8(ascii: "\\")), (UInt8(ascii: "\n"), UInt8(ascii: "n")),
        (UInt8(ascii: "\r"), UInt8(ascii: "r")),
    ]

    /// Returns the name with escapes, or `nil` if it needs none.
    static func escape(_ name: [UInt8]) -> [UInt8]? {
        let needsEscapes = name.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return escapes.contains { memchr(start, Int32($0.byte), bytes.count) != nil }
        }
        guard needsEscapes else { return nil }
        return name.flatMap { byte in
            escapes.first { $0.byte == byte }.map { [UInt8(ascii: "\\"), $0.letter] } ?? [byte]
        }
    }

    /// Returns the name that a text with escapes stands for, or `nil` if it has an unknown escape or a NUL.
    static func unescape(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var name: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == 0 { return nil }
            guard byte == UInt8(ascii: "\\") else {
                name.append(byte)
                continue
            }
            guard let letter = rest.popFirst(), let escape = escapes.first(where: { $0.letter == letter })
            else {
                return nil
            }
            name.append(escape.byte)
        }
        return name
    }
}
