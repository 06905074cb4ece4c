// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base32 {
    /// Why and where a text is not valid Base32. Two errors are equal if their codes are equal, so an error can be caught
    /// by its name.
    ///
    /// Errors contain the offset and never a part of the text, which may be secret.
    public struct DecodingError: Error, Sendable, Equatable, CustomStringConvertible {
        /// What is wrong, as a part of a sentence.
        private enum Code: String {
            case invalidCharacter = "not a Base32 character"
            case invalidPadding = "unexpected padding"
            case missingPadding = "the padding is missing"
            case incompleteGroup = "the text ends within a group"
            case nonZeroTrailingBits = "the last character has nonzero bits that belong to no byte,"
        }

        private let code: Code

        /// The offset of the error in bytes from the start of the text, skipped spaces included; if something is missing,
        /// the length of the text.
        public let offset: Int

        private init(_ code: Code, offset: Int) {
            self.code = code
            self.offset = offset
        }

        /// A character that is not in the alphabet, or any character behind the padding.
        public static let invalidCharacter = invalidCharacter(at: 0)
        /// Padding in a text that has none, or of the wrong length.
        public static let invalidPadding = invalidPadding(at: 0)
        /// The padding is missing or too short.
        public static let missingPadding = missingPadding(at: 0)
        /// The last group has 1, 3 or 6 characters, which no number of bytes makes.
        public static let incompleteGroup = incompleteGroup(at: 0)
        /// The last character has nonzero bits that belong to no byte. They are rejected, because otherwise several texts
        /// would represent the same value.
        public static let nonZeroTrailingBits = nonZeroTrailingBits(at: 0)

        static func nonZeroTrailingBits(at offset: Int) -> Self {
            .init(.nonZeroTrailingBits, offset: offset)
        }
        static func incompleteGroup(at offset: Int) -> Self { .init(.incompleteGroup, offset: offset) }
        static func missingPadding(at offset: Int) -> Self { .init(.missingPadding, offset: offset) }
        static func invalidPadding(at offset: Int) -> Self { .init(.invalidPadding, offset: offset) }
        static func invalidCharacter(at offset: Int) -> Self { .init(.invalidCharacter, offset: offset) }

        /// Returns whether both errors are of the same kind; their offsets may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// A description for people.
        public var description: String { "\(code.rawValue) at offset \(offset)" }
    }
}
