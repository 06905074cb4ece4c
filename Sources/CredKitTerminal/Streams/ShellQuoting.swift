// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Shows names in messages so that nothing in them can be taken for a part of the message or upset a terminal,
/// and so that a shell reads them back: as they are where that is safe, else in quotes, as coreutils does.
package enum ShellQuoting {
    /// What makes quotes necessary wherever it stands.
    private static let special = Set("!\"$&()*;<=>[^`|?\\': ".utf8)

    /// What double quotes are not used for.
    private static let singleQuotesOnly = special.union("#~{}".utf8).subtracting("': ".utf8)

    package static func quote(_ name: [UInt8]) -> String {
        let scalars = parts(of: name)
        let isPlain = scalars.allSatisfy { $0.isPrintable }
        if isPlain && !needsQuotes(name) { return String(decoding: name, as: UTF8.self) }

        // "it's" reads better than 'it'\''s', where nothing else in it asks for single quotes.
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

    /// A text in which escapes stand for what cannot be shown.
    package static func escapingUnprintable(_ text: String) -> String {
        parts(of: RawArguments.encode(text)).map(\.text).joined()
    }

    /// Whether a character can be shown: no control character, none that changes how others are shown, and no
    /// byte that is not UTF-8.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }

    /// Cuts a name into its characters, and those that cannot be shown into escapes.
    private static func parts(of name: [UInt8]) -> [Part] {
        RawArguments.decode(name).unicodeScalars.flatMap { scalar -> [Part] in
            isPrintable(scalar)
                ? [Part(text: String(scalar), isPrintable: true)]
                : RawArguments.encode(String(scalar)).map { Part(text: escape($0), isPrintable: false) }
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        let letters: [UInt8: String] = [
            7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r",
        ]
        if let letter = letters[byte] { return "\\\(letter)" }
        let octal = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
    }
}
