// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Values of HTTP fields that are defined as Structured Fields, by
/// [RFC 9651](https://www.rfc-editor.org/rfc/rfc9651).
///
/// The definition of a field says which of the three types it has: an ``Item``, a ``List`` or a ``Dictionary``.
///
/// ```swift
/// let digests = try StructuredField.Dictionary(parsing: "sha-256=:aGVsbG8=:, unixsum=42;legacy")
/// digests["sha-256"]?.bareItem?.byteSequenceValue                         // the bytes of "hello"
/// digests["unixsum"]?.parameters["legacy"]                                // .boolean(true)
///
/// var covered: StructuredField.InnerList = ["@method", "content-digest"]
/// covered.parameters["created"] = 1_618_884_473
/// try covered.serialized()                       // ("@method" "content-digest");created=1618884473
/// ```
///
/// Parsing is strict: a field is accepted as a whole or rejected, as the RFC requires, and everything in it keeps its
/// order. Serializing a parsed value gives the canonical text, of which HTTP message signatures (RFC 9421) are made.
///
/// ## Limits
/// The time and memory of parsing are proportional to the length of the text. A text of more than
/// ``maximumByteCount`` bytes is rejected, and so is a container with more than ``maximumMemberCount`` members. Both
/// numbers meet the minimums of the RFC. Serialization has no limits of its own.
public enum StructuredField {
    /// The maximum length of a field that is parsed, in bytes: 262,144. This is enough for 1,024 members with keys and
    /// values of more than 100 bytes each.
    public static let maximumByteCount = 262_144

    /// The maximum number of members of each list, inner list and dictionary, and of the parameters of each item, when
    /// parsing: 1,024. A key that occurs more than once counts once.
    public static let maximumMemberCount = 1_024
}

extension StructuredField {
    /// Items and inner lists with keys, in order.
    ///
    /// ```swift
    /// let priority = try StructuredField.Dictionary(parsing: "u=2, i")
    /// priority["u"]?.bareItem?.integerValue             // 2
    /// priority["i"] == true                             // a key without a value has the value true
    /// ```
    public typealias Dictionary = OrderedValues<Member>
}

extension StructuredField.OrderedValues: StructuredField.FieldValue where Value == StructuredField.Member {
    /// Parses the value of a field whose type is Dictionary.
    ///
    /// The last value of a repeated key replaces the ones before and takes their position, as RFC 9651 §4.2.2 requires.
    ///
    /// - Parameter bytes: The value as it was received.
    /// - Throws: ``StructuredField/ParsingError``, with the offset of the error.
    public init(parsing bytes: some Collection<UInt8>) throws(StructuredField.ParsingError) {
        var parser = try StructuredField.Parser(bytes)
        parser.skipSpaces()
        self = try parser.dictionary()
        try parser.finish()
    }

    /// Serializes the dictionary, as RFC 9651 §4.1.2 defines.
    ///
    /// - Returns: ASCII text; empty if there are no members, in which case the field must not be sent.
    /// - Throws: ``StructuredField/SerializationError`` if the dictionary contains anything that a field cannot
    ///   represent.
    public func serialized() throws(StructuredField.SerializationError) -> String {
        var serializer = StructuredField.Serializer()
        try serializer.append(self)
        return serializer.text
    }
}

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
