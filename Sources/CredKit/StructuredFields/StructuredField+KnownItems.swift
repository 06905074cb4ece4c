// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// The text and the items of an inner list that was parsed before. Where a parser meets the same bytes again, it
    /// takes the same items.
    ///
    /// How an inner list is parsed up to its closing parenthesis depends on the bytes of the list alone.
    final class KnownItems: Sendable {
        /// The list from its opening to its closing parenthesis.
        let text: [UInt8]
        let items: [Item]
        /// Whether a parameter of an item was replaced by a later one.
        let hasRepeatedKeys: Bool
        /// Whether serializing the items gives the same text.
        let isCanonical: Bool

        /// Parses a list.
        ///
        /// - Parameter text: An inner list without parameters of its own, and nothing else.
        /// - Throws: ``ParsingError`` for other texts.
        init(parsing text: [UInt8]) throws(ParsingError) {
            var parser = try Parser(text)
            guard parser.skip("(") else { throw parser.unexpected }
            let items = try parser.items()
            guard parser.next == nil else { throw parser.unexpected }
            self.items = items
            self.text = text
            hasRepeatedKeys = parser.hasRepeatedKeys
            isCanonical = parser.isCanonical
        }
    }
}
