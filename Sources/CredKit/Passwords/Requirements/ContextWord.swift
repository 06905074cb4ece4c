// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordRequirements {
    /// A word that an attacker would try for a certain user.
    ///
    /// A password is rejected if it consists of such words and fewer than eight other characters. That includes a word that
    /// is repeated or reversed, in other case, with digits or signs around it, or with signs in place of letters
    /// (`4l1ce`). Following the guideline, a word within an otherwise long password is accepted.
    public struct ContextWord: Sendable, Hashable {
        enum Kind { case userName, serviceName }

        let kind: Kind
        let text: String

        /// A name of the user: the login name, the first or last name, the address. The parts between spaces, dots and other
        /// signs are words of their own.
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
    /// Shorter parts of names occur in any text.
    private static let leastLength = 3
    /// A name has no more bytes and parts that are looked at: users choose theirs.
    private static let maximumByteCount = 256
    private static let maximumPartCount = 16

    /// The name and its parts, forwards and backwards, folded as passwords are.
    func foldedWords(_ normalization: PasswordNormalization) throws(PasswordError) -> [[UInt8]] {
        let name = text.prefix(Self.maximumByteCount)
        guard name.utf8.count <= 4 * Self.maximumByteCount else { return [] }
        let normalized = (try? normalization.apply(to: Array(name.utf8).span)) ?? nil
        let bytes =
            normalized?.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } } ?? Array(name.utf8)
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        let parts = scalars.split { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
            .prefix(Self.maximumPartCount)
        let words = [Array(scalars)] + parts.map(Array.init)
        var folded: [[UInt8]] = []
        for word in words where word.count >= Self.leastLength {
            for order in [word, word.reversed()] {
                let text = String(String.UnicodeScalarView(order))
                folded.append(try FoldedPassword(Array(text.utf8).span).bytes)
            }
        }
        return folded
    }
}
