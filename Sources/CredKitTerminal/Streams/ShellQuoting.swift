// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem

/// Quotes names in messages as coreutils does: only where necessary, and so that a shell can read them back. No part of
/// a name can pass for a part of the message or disturb the terminal.
public enum ShellQuoting {
    /// The characters that require quotes at any position.
    private static let special = Set("!\"$&()*;<=>[^`|?\\': ".utf8)

    /// The characters that require single quotes instead of double quotes.
    private static let singleQuotesOnly = special.union("#~{}".utf8).subtracting("': ".utf8)

    /// Returns a name as messages show it.
    ///
    /// - Parameter name: The bytes of the name.
    /// - Returns: The name, in quotes where a shell needs them.
    public static func quote(_ name: [UInt8]) -> String {
        let scalars = parts(of: name)
        let isPlain = scalars.allSatisfy { $0.isPrintable }
        if isPlain && !needsQuotes(name) { return String(decoding: name, as: UTF8.self) }

        // "it's" is easier to read than 'it'\''s' if nothing else in the name requires single quotes.
        if isPlain && name.contains(UInt8(ascii: "'")) && !name.contains(where: singleQuotesOnly.contains) {
            return "\"\(String(decoding: name, as: UTF8.self))\""
        }
        var text = "'"
        var isEscaping = false
        for part in scalars {
            if part.isPrintable {
                if part.text == "'" {
                    text += "'\\''"
                } else {
                    text += isEscaping ? "''\(part.text)" : part.text
                }
            } else {
                if !isEscaping { text += "'$'" }
                text += part.text
            }
            isEscaping = !part.isPrintable
        }
        return text + "'"
    }

    private static func needsQuotes(_ name: [UInt8]) -> Bool {
        guard let first = name.first else { return true }
        if first == UInt8(ascii: "#") || first == UInt8(ascii: "~") { return true }
        if name.count == 1 && (first == UInt8(ascii: "{") || first == UInt8(ascii: "}")) { return true }
        return name.contains { special.contains($0) }
    }

    private struct Part {
        let text: String
        let isPrintable: Bool
    }

    /// Returns a text with escapes in place of unprintable characters.
    public static func escapingUnprintable(_ text: String) -> String {
        parts(of: RawArguments.encode(text)).map(\.text).joined()
    }

    /// Returns bytes of any size as lines for a terminal, with escapes in place of unprintable characters and of bytes
    /// that are not UTF-8. Tabs and line feeds are unchanged, and the carriage return of a CRLF is dropped.
    public static func escapingUnprintableLines(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = bytes.span
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            let isLineEnd =
                byte == UInt8(ascii: "\r") && position + 1 < bytes.count
                && bytes[position + 1] == UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t") || (0x20...0x7E).contains(byte) {
                text.append(byte)
            } else if !isLineEnd {
                let character = UTF8Character(at: position, in: bytes)
                for index in position..<position + character.byteCount {
                    if character.scalar?.isPrintable == true {
                        text.append(bytes[index])
                    } else {
                        text += escape(bytes[index]).utf8
                    }
                }
                position += character.byteCount
                continue
            }
            position += 1
        }
        return text
    }

    /// Splits a name into its printable characters and the escapes of all other bytes.
    private static func parts(of name: [UInt8]) -> [Part] {
        RawArguments.decode(name).unicodeScalars.flatMap { scalar -> [Part] in
            scalar.isPrintable
                ? [Part(text: String(scalar), isPrintable: true)]
                : RawArguments.encode(String(scalar)).map { Part(text: escape($0), isPrintable: false) }
        }
    }

    private static func escape(_ byte: UInt8) -> String { escapes[Int(byte)] }

    /// The escapes of all bytes, for responses that have millions of them.
    private static let escapes = (0...UInt8.max).map { byte -> String in
        let letters: [UInt8: String] = [
            7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r",
        ]
        if let letter = letters[byte] { return "\\\(letter)" }
        let octal = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
    }
}
