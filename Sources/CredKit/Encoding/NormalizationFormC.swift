// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// The standard library normalizes every string that it compares, but exposes the result only under this name.
@_spi(_Unicode) import Swift

/// Normalization form C of Unicode.
enum NormalizationFormC {
    /// Returns the normal form of a text.
    static func normalized(_ text: String.UnicodeScalarView) -> String.UnicodeScalarView {
        // Twice: the standard library takes U+0F73, U+0F75 and U+0F81 for starters, so it does not sort their
        // decompositions together with the marks before them. The second time they are already decomposed.
        let once = String.UnicodeScalarView(String(text)._nfc)
        return String.UnicodeScalarView(String(once)._nfc)
    }
}
