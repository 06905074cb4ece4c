// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The OpaqueString profile of RFC 8265 §4.2, over the FreeformClass of RFC 8264 §4.3.
enum OpaqueString {
    /// Returns the normal form of a password, which is compared or hashed.
    static func enforce(_ text: String) throws(PasswordError) -> String {
        guard !text.isEmpty else { throw .passwordNotAllowed("the password is empty") }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        let scalars = Array(NormalizationFormC.normalized(mapped))
        // Allowed characters are checked last (RFC 8264 §7): canonically equivalent passwords must have the same
        // result, and normalizing twice must equal normalizing once. U+0387 becomes U+00B7, which is allowed only
        // between certain letters.
        let context = Context(scalars)
        for index in scalars.indices where !isAllowed(scalars, at: index, context) {
            throw .passwordNotAllowed(
                "the password contains a character that is not allowed: a control, unassigned or private one, "
                    + "or one that is allowed only between certain others"
            )
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Properties of the whole text that some characters depend on, computed once.
    private struct Context {
        let hasJapanese: Bool
        let hasArabicDigits: Bool
        let hasExtendedArabicDigits: Bool

        init(_ text: [Unicode.Scalar]) {
            hasJapanese = text.contains(where: isJapanese)
            hasArabicDigits = text.contains { 0x660...0x669 ~= $0.value }
            hasExtendedArabicDigits = text.contains { 0x6F0...0x6F9 ~= $0.value }
        }
    }

    private static func isAllowed(_ text: [Unicode.Scalar], at index: Int, _ context: Context) -> Bool {
        let scalar = text[index]
        // RFC 5892 §2.6 comes first, then characters that need a certain context (Appendix A).
        switch scalar.value {
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
        case 0xB7: return index > 0 && text[index - 1] == "l" && text.dropFirst(index + 1).first == "l"
        case 0x375: return text.dropFirst(index + 1).first.map(isGreek) ?? false
        case 0x5F3, 0x5F4: return index > 0 && isHebrew(text[index - 1])
        case 0x30FB: return context.hasJapanese
        case 0x660...0x669: return !context.hasExtendedArabicDigits
        case 0x6F0...0x6F9: return !context.hasArabicDigits
        case 0x200C, 0x200D:
            return index > 0 && text[index - 1].properties.canonicalCombiningClass == .virama
        // Old Hangul Jamo.
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return false
        default: break
        }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return false }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return false
        default: return true
        }
    }

    private static func isGreek(_ scalar: Unicode.Scalar) -> Bool {
        0x370...0x3FF ~= scalar.value || 0x1F00...0x1FFF ~= scalar.value
    }

    private static func isHebrew(_ scalar: Unicode.Scalar) -> Bool {
        0x591...0x5F4 ~= scalar.value || 0xFB1D...0xFB4F ~= scalar.value
    }

    /// Returns whether a character is Hiragana, Katakana or Han.
    private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30FB: false
        case 0x3041...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: true
        default: scalar.properties.isIdeographic
        }
    }
}
