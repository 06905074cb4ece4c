// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordRequirements {
    /// A word that an attacker would try for a certain user.
    ///
    /// A password is rejected if it consists of such words and fewer than eight other characters. That includes a word that
    /// is repeated or reversed, in other case, with digits or signs around it, or with signs in place of letters
    /// (`4l1ce`). Following the guideline, a word within an otherwise long password is accepted.
    ///
    /// Words are compared in normalization form C, whatever the normalization of passwords. Those of fewer than three
    /// characters are not compared, because they occur in too many passwords; two ideographs or syllables of Hangul are enough.
    public struct ContextWord: Sendable, Hashable {
        enum Kind { case userName, serviceName }

        let kind: Kind
        let text: String

        /// A name of the user: the login name, the first or last name, the address. The whole name is a word, and so are its
        /// parts between spaces, dots and other signs. The first 256 characters and 16 parts of a name are compared.
        ///
        /// - Parameter name: The name.
        /// - Returns: The word.
        public static func userName(_ name: String) -> Self { Self(kind: .userName, text: name) }

        /// A name of the service: its brand, its domain, that of the company.
        ///
        /// - Parameter name: The name.
        /// - Returns: The word.
        public static func serviceName(_ name: String) -> Self { Self(kind: .serviceName, text: name) }
    }
}

extension PasswordRequirements.ContextWord {
    /// A name has no more bytes and parts that are looked at: users choose theirs.
    private static let maximumByteCount = 256
    private static let maximumPartCount = 16

    /// The name and its parts, forwards and backwards, folded as passwords are.
    func foldedWords() throws(PasswordError) -> [[UInt8]] {
        let name = text.prefix(Self.maximumByteCount)
        guard name.utf8.count <= 4 * Self.maximumByteCount else { return [] }
        let scalars = NormalizationFormC.normalized(String(name).unicodeScalars)
        let parts = scalars.split { !Self.isOfWord($0) }.prefix(Self.maximumPartCount)
        var folded: [[UInt8]] = []
        for word in [Array(scalars)] + parts.map(Array.init) where Self.isLongEnough(word) {
            let text = String(String.UnicodeScalarView(word))
            // Reversed by characters: a mark stays behind its letter.
            for order in [text, String(text.reversed())] {
                folded.append(try FoldedPassword(Array(order.utf8).span).bytes)
            }
        }
        return folded
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Letters with an accent for which there is no character.
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        }
    }

    /// Returns whether a word is so long that it does not occur in any text.
    private static func isLongEnough(_ word: [Unicode.Scalar]) -> Bool {
        word.count >= 3
            || word.count == 2
                && word.allSatisfy { $0.properties.isIdeographic || 0xAC00...0xD7A3 ~= $0.value }
    }
}
