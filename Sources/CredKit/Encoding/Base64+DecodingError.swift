// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// Why a text is not Base64, and where.
    ///
    /// Two errors are equal when their codes are, so that they can be caught by name:
    ///
    /// ```swift
    /// do {
    ///     key = try Base64.standard.decode(text)
    /// } catch .missingPadding {
    ///     key = try Base64.standard.unpadded.decode(text)
    /// }
    /// ```
    ///
    /// Errors hold the offset and never a part of the text, which may be a secret.
    public struct DecodingError: Error, Sendable, Equatable, CustomStringConvertible {
        private enum Code {
            case invalidCharacter, invalidPadding, missingPadding, incompleteGroup, nonZeroTrailingBits
        }

        private let code: Code

        /// Where the text is wrong: the offset in bytes from its start; for what is missing, the text's length.
        /// Skipped whitespace counts.
        public let offset: Int

        private init(_ code: Code, offset: Int) {
            self.code = code
            self.offset = offset
        }

        /// A character that is not in the alphabet; or any character behind the padding.
        public static let invalidCharacter = invalidCharacter(at: 0)
        /// A `=` that is not at the end of the last group, or in a text that has no padding.
        public static let invalidPadding = invalidPadding(at: 0)
        /// The last group is shorter than four characters and not padded.
        public static let missingPadding = missingPadding(at: 0)
        /// The last group has a single character, which is less than a byte.
        public static let incompleteGroup = incompleteGroup(at: 0)
        /// The last character has bits that no byte takes up. A strict decoder refuses them, since otherwise
        /// several texts would stand for one value.
        public static let nonZeroTrailingBits = nonZeroTrailingBits(at: 0)

        static func invalidCharacter(at offset: Int) -> Self { .init(.invalidCharacter, offset: offset) }
        static func invalidPadding(at offset: Int) -> Self { .init(.invalidPadding, offset: offset) }
        static func missingPadding(at offset: Int) -> Self { .init(.missingPadding, offset: offset) }
        static func incompleteGroup(at offset: Int) -> Self { .init(.incompleteGroup, offset: offset) }
        static func nonZeroTrailingBits(at offset: Int) -> Self {
            .init(.nonZeroTrailingBits, offset: offset)
        }

        /// Whether both errors are of the same kind; their offsets may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// A sentence for people.
        public var description: String {
            switch code {
            case .invalidCharacter: "not a Base64 character at offset \(offset)"
            case .invalidPadding: "unexpected padding at offset \(offset)"
            case .missingPadding: "the padding is missing at offset \(offset)"
            case .incompleteGroup: "the text ends within a group at offset \(offset)"
            case .nonZeroTrailingBits:
                "the last character, at offset \(offset), has bits that belong to no byte"
            }
        }
    }
}
