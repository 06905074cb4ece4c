// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The way in which an application escapes a password for HTML, before it hashes it.
enum HTMLEscaping: Sendable {
    /// IP.Board 2 and 3, which clean all values of a request: by the table of `legacyEscape`, with which IPS 4 (`IPS\Request`)
    /// verifies their hashes. `<!--`, `-->` and `<script` have their own replacements.
    case ipBoard
    /// OpenCart 1.5 to 3 (`upload/system/library/request.php`): `htmlspecialchars` of PHP with `ENT_COMPAT`.
    case openCart

    /// The length of the longest replacement of one byte.
    private static let longestReplacement = 6

    /// Returns the escaped password.
    func apply(to password: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: Self.longestReplacement * password.count) { output in
                var index = 0
                while index < password.count {
                    let (text, count) = replacement(at: index, of: password)
                    if let text {
                        for byte in text.utf8 { output.append(byte) }
                    } else {
                        output.append(password[index])
                    }
                    index += count
                }
            }
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the text that replaces the bytes at an index, `nil` for a byte that stays, and the number of these bytes.
    private func replacement(at index: Int, of password: Span<UInt8>) -> (text: String?, count: Int) {
        let character = Unicode.Scalar(password[index])
        switch character {
        case "&": return ("&amp;", 1)
        case "\"": return ("&quot;", 1)
        case "<" where self == .openCart: return ("&lt;", 1)
        case ">" where self == .openCart: return ("&gt;", 1)
        case _ where self == .openCart: return (nil, 1)
        case "<":
            // The hyphens stay, and can belong to a `-->` as well.
            if Self.has("!--", at: index + 1, of: password) { return ("&#60;&#33;", 2) }
            if Self.has("script", at: index + 1, of: password) { return ("&#60;script", 7) }
            return ("&lt;", 1)
        case ">":
            return (index >= 2 && Self.has("--", at: index - 2, of: password) ? "&#62;" : "&gt;", 1)
        case "\n": return ("<br />", 1)
        case "$": return ("&#036;", 1)
        case "!": return ("&#33;", 1)
        case "'": return ("&#39;", 1)
        case "\\": return ("&#092;", 1)
        default: return (nil, 1)
        }
    }

    /// Returns whether a text of lowercase letters, or without letters, stands at an index, in any case.
    private static func has(_ text: String, at index: Int, of password: Span<UInt8>) -> Bool {
        var index = index
        for byte in text.utf8 {
            guard index < password.count else { return false }
            let other = password[index]
            guard (65...90 ~= other ? other | 0x20 : other) == byte else { return false }
            index += 1
        }
        return true
    }
}
