// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// Why a value cannot be written as a Structured Field.
    ///
    /// Errors do not contain a part of the value, which may be secret.
    public struct SerializationError: Error, Sendable, Equatable, CustomStringConvertible {
        private enum Code { case invalidKey, invalidString, invalidToken, numberOutOfRange }

        private let code: Code

        /// A key is empty, or has other characters than lower-case letters, digits and `_-.*`, or does not begin with a
        /// letter or `*`.
        public static let invalidKey = Self(code: .invalidKey)
        /// A string has other characters than printable ASCII. Use ``BareItem/displayString(_:)`` for them if the field
        /// allows it.
        public static let invalidString = Self(code: .invalidString)
        /// A token is empty, or has characters that tokens cannot have.
        public static let invalidToken = Self(code: .invalidToken)
        /// An integer or date has more than 15 digits, or a decimal more than 12 before the point.
        public static let numberOutOfRange = Self(code: .numberOutOfRange)

        /// A description for people.
        public var description: String {
            switch code {
            case .invalidKey: "cannot serialize a structured field: a key is not valid"
            case .invalidString: "cannot serialize a structured field: a string is not printable ASCII"
            case .invalidToken: "cannot serialize a structured field: a token is not valid"
            case .numberOutOfRange: "cannot serialize a structured field: a number is out of range"
            }
        }
    }
}
