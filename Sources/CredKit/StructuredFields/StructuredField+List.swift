// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// Any number of items and inner lists.
    ///
    /// ```swift
    /// let list = try StructuredField.List(fieldLines: ["gzip, br;q=0.5", "(1 2)"])
    /// list.members.count                                // 3
    /// ```
    public struct List: FieldValue, ExpressibleByArrayLiteral {
        /// The members, in order.
        public var members: [Member]

        /// Creates a list.
        ///
        /// - Parameter members: The members, in order.
        public init(_ members: [Member]) { self.members = members }

        /// Creates a list.
        ///
        /// - Parameter elements: The members, in order.
        public init(arrayLiteral elements: Member...) { self.init(elements) }

        /// Parses the value of a field whose type is List.
        ///
        /// - Parameter bytes: The value as it was received.
        /// - Throws: ``ParsingError``, with the offset of the error.
        public init(parsing bytes: some Collection<UInt8>) throws(ParsingError) {
            var parser = try Parser(bytes)
            parser.skipSpaces()
            self = try parser.list()
            try parser.finish()
        }

        /// Serializes the list, as RFC 9651 §4.1.1 defines.
        ///
        /// - Returns: ASCII text; empty if there are no members, in which case the field must not be sent.
        /// - Throws: ``SerializationError`` if the list contains anything that a field cannot represent.
        public func serialized() throws(SerializationError) -> String {
            var serializer = Serializer()
            try serializer.append(self)
            return serializer.text
        }
    }
}
