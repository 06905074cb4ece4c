// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Hex {
    /// Why a text is not hexadecimal, and where. Two errors are equal when their codes are, so that they can be
    /// caught by name.
    public struct DecodingError: Error, Sendable, Equatable, CustomStringConvertible {
        private enum Code { case invalidCharacter, oddLength }

        private let code: Code

        /// Where the text is wrong: the offset in bytes from its start; for what is missing, the text's length.
        public let offset: Int

        /// A character that is not a hexadecimal digit.
        public static let invalidCharacter = invalidCharacter(at: 0)
        /// The last byte has one digit only.
        public static let oddLength = oddLength(at: 0)

        static func invalidCharacter(at offset: Int) -> Self {
            .init(code: .invalidCharacter, offset: offset)
        }
        static func oddLength(at offset: Int) -> Self { .init(code: .oddLength, offset: offset) }

        /// Whether both errors are of the same kind; their offsets may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// A sentence for people.
        public var description: String {
            switch code {
            case .invalidCharacter: "not a hexadecimal digit at offset \(offset)"
            case .oddLength: "the number of digits is odd: one is missing at offset \(offset)"
            }
        }
    }
}
