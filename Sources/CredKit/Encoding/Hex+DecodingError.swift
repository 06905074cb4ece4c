// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Hex {
    /// Why and where a text is not valid hexadecimal. Two errors are equal if their codes are equal, so an error can
    /// be caught by its name.
    public struct DecodingError: Error, Sendable, Equatable, CustomStringConvertible {
        private enum Code { case invalidCharacter, oddLength }

        private let code: Code

        /// The offset of the error in bytes from the start of the text; if a digit is missing, the length of the
        /// text.
        public let offset: Int

        /// A character that is not a hexadecimal digit.
        public static let invalidCharacter = invalidCharacter(at: 0)
        /// The last byte has only one digit.
        public static let oddLength = oddLength(at: 0)

        static func invalidCharacter(at offset: Int) -> Self {
            .init(code: .invalidCharacter, offset: offset)
        }
        static func oddLength(at offset: Int) -> Self { .init(code: .oddLength, offset: offset) }

        /// Returns whether both errors are of the same kind; their offsets may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// A description for people.
        public var description: String {
            switch code {
            case .invalidCharacter: "not a hexadecimal digit at offset \(offset)"
            case .oddLength: "the number of digits is odd: one is missing at offset \(offset)"
            }
        }
    }
}
