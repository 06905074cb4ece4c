// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns the text with an octal escape of each byte in place of every unprintable character, such as `\012`, for
    /// prompts and for messages of other programs. What commands print has the escapes of
    /// `ShellQuoting.escapingUnprintable`, such as `\n`.
    ///
    /// - Parameter kept: Unprintable characters that remain.
    /// - Returns: The text.
    package func escapingUnprintableAsOctal(except kept: Set<Unicode.Scalar> = []) -> String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable || kept.contains(scalar) {
                text.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 {
                let octal = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether a terminal shows the character, and the character changes nothing else.
    ///
    /// The control characters are not printable: C0, DEL and C1. Neither are bidirectional and other invisible format
    /// controls, line separators, and characters without a meaning of their own (private use, unassigned).
    package var isPrintable: Bool {
        if isASCII { return (0x20...0x7E).contains(value) }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return false
        // Some letters and marks are invisible, too, such as the Hangul fillers and the variation selectors, and one
        // symbol: the braille pattern without dots.
        default: return !properties.isDefaultIgnorableCodePoint && value != 0x2800
        }
    }
}
