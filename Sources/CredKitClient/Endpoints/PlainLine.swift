// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Somebody else's text, as it can be shown on a line of a terminal.
enum PlainLine {
    /// The text with a blank in the place of whatever would move the cursor, begin an escape sequence, turn the
    /// direction of writing, or not be seen.
    static func text(_ text: String, upTo count: Int) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(count) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                plain.append(" ")
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }
}
