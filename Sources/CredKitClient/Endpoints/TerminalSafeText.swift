// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Makes untrusted text safe to show on one line of a terminal.
enum TerminalSafeText {
    /// Replaces invisible characters, and those that would move the cursor, begin an escape sequence or
    /// change the writing direction, with blanks.
    static func text(_ text: String, upTo count: Int) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(count) { plain.append(scalar.isPrintable ? scalar : " ") }
        return String(plain)
    }
}
