// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// Why and where a text is not a Structured Field of the expected type.
    ///
    /// Two errors are equal if their codes are equal, so an error can be caught by its name. Errors contain the offset
    /// and never a part of the text, which may be secret. RFC 9651 §4.2 lets a recipient ignore the field, or handle the
    /// whole message as malformed.
    public struct ParsingError: Error, Sendable, Equatable, CustomStringConvertible {
        private enum Code {
            case invalidCharacter, unexpectedEnd, trailingComma, tooManyDigits, invalidBase64, invalidUTF8
            case limitExceeded
        }

        private let code: Code

        /// The offset of the error in bytes from the start of the field; if something is missing, the length.
        public let offset: Int

        private init(_ code: Code, offset: Int) {
            self.code = code
            self.offset = offset
        }

        /// A character that is not allowed at its position, such as one behind the end of an item.
        public static let invalidCharacter = invalidCharacter(at: 0)
        /// The text ends where a value, or the rest of one, is expected.
        public static let unexpectedEnd = unexpectedEnd(at: 0)
        /// A list or dictionary ends with a comma.
        public static let trailingComma = trailingComma(at: 0)
        /// A number has more digits than RFC 9651 allows: 15 in an integer, 12 before and 3 after the point in a decimal.
        public static let tooManyDigits = tooManyDigits(at: 0)
        /// A byte sequence is not Base64.
        public static let invalidBase64 = invalidBase64(at: 0)
        /// A display string is not UTF-8.
        public static let invalidUTF8 = invalidUTF8(at: 0)
        /// The text is longer than ``StructuredField/maximumByteCount``, or has more members in one container than
        /// ``StructuredField/maximumMemberCount``.
        public static let limitExceeded = limitExceeded(at: 0)

        static func invalidCharacter(at offset: Int) -> Self { .init(.invalidCharacter, offset: offset) }
        static func unexpectedEnd(at offset: Int) -> Self { .init(.unexpectedEnd, offset: offset) }
        static func trailingComma(at offset: Int) -> Self { .init(.trailingComma, offset: offset) }
        static func tooManyDigits(at offset: Int) -> Self { .init(.tooManyDigits, offset: offset) }
        static func invalidBase64(at offset: Int) -> Self { .init(.invalidBase64, offset: offset) }
        static func invalidUTF8(at offset: Int) -> Self { .init(.invalidUTF8, offset: offset) }
        static func limitExceeded(at offset: Int) -> Self { .init(.limitExceeded, offset: offset) }

        /// Returns whether both errors are of the same kind; their offsets may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// A description for people.
        public var description: String {
            switch code {
            case .invalidCharacter: "malformed structured field: unexpected character at offset \(offset)"
            case .unexpectedEnd: "malformed structured field: unexpected end at offset \(offset)"
            case .trailingComma: "malformed structured field: trailing comma before offset \(offset)"
            case .tooManyDigits: "malformed structured field: too many digits at offset \(offset)"
            case .invalidBase64: "malformed structured field: not Base64 at offset \(offset)"
            case .invalidUTF8: "malformed structured field: the text at offset \(offset) is not UTF-8"
            case .limitExceeded:
                "the structured field is too long, or has too many members at offset \(offset)"
            }
        }
    }
}
