// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// Why and where a text is not valid Base64.
    ///
    /// Two errors are equal if their codes are equal, so an error can be caught by its name:
    ///
    /// ```swift
    /// do {
    ///     key = try Base64.standard.decode(text)
    /// } catch .missingPadding {
    ///     key = try Base64.standard.unpadded.decode(text)
    /// }
    /// ```
    ///
    /// Errors contain the offset and never a part of the text, which may be secret.
    public struct DecodingError: Error, Sendable, Equatable, CustomStringConvertible {
        private enum Code {
            case invalidCharacter, invalidPadding, missingPadding, incompleteGroup, nonZeroTrailingBits
        }

        private let code: Code

        /// The offset of the error in bytes from the start of the text, skipped whitespace included; if something is
        /// missing, the length of the text.
        public let offset: Int

        private init(_ code: Code, offset: Int) {
            self.code = code
            self.offset = offset
        }

        /// A character that is not in the alphabet, or any character behind the padding.
        public static let invalidCharacter = invalidCharacter(at: 0)
        /// A `=` that is not at the end of the last group, or that occurs in a text without padding.
        public static let invalidPadding = invalidPadding(at: 0)
        /// The last group is shorter than four characters and not padded.
        public static let missingPadding = missingPadding(at: 0)
        /// The last group has a single character, which is less than a byte.
        public static let incompleteGroup = incompleteGroup(at: 0)
        /// The last character has nonzero bits that belong to no byte. A strict decoder rejects them, because
        /// otherwise several texts would represent the same value.
        public static let nonZeroTrailingBits = nonZeroTrailingBits(at: 0)

        static func invalidCharacter(at offset: Int) -> Self { .init(.invalidCharacter, offset: offset) }
        static func invalidPadding(at offset: Int) -> Self { .init(.invalidPadding, offset: offset) }
        static func missingPadding(at offset: Int) -> Self { .init(.missingPadding, offset: offset) }
        static func incompleteGroup(at offset: Int) -> Self { .init(.incompleteGroup, offset: offset) }
        static func nonZeroTrailingBits(at offset: Int) -> Self {
            .init(.nonZeroTrailingBits, offset: offset)
        }

        /// Returns whether both errors are of the same kind; their offsets may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// A description for people.
        public var description: String {
            switch code {
            case .invalidCharacter: "not a Base64 character at offset \(offset)"
            case .invalidPadding: "unexpected padding at offset \(offset)"
            case .missingPadding: "the padding is missing at offset \(offset)"
            case .incompleteGroup: "the text ends within a group at offset \(offset)"
            case .nonZeroTrailingBits:
                "the last character, at offset \(offset), has nonzero bits that belong to no byte"
            }
        }
    }
}
