// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// A value with parameters: the whole of a field, or a member of a ``List``, ``Dictionary`` or ``InnerList``.
    ///
    /// ```swift
    /// let item = try StructuredField.Item(parsing: "text/html;q=0.5")
    /// item.value                          // .token("text/html")
    /// item.parameters["q"]?.decimalValue  // 0.5
    /// ```
    public struct Item: FieldValue {
        /// The value.
        public var value: BareItem
        /// What the field says of the value.
        public var parameters: Parameters

        /// Creates an item.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - parameters: What to say of the value.
        public init(_ value: BareItem, parameters: Parameters = [:]) {
            self.value = value
            self.parameters = parameters
        }

        /// Parses the value of a field whose type is Item.
        ///
        /// - Parameter bytes: The value as it was received.
        /// - Throws: ``ParsingError``, with the offset of the error.
        public init(parsing bytes: some Collection<UInt8>) throws(ParsingError) {
            var parser = try Parser(bytes)
            parser.skipSpaces()
            self = try parser.item()
            try parser.finish()
        }

        /// Serializes the item, as RFC 9651 §4.1.3 defines.
        ///
        /// - Returns: ASCII text.
        /// - Throws: ``SerializationError`` if the item contains anything that a field cannot represent.
        public func serialized() throws(SerializationError) -> String {
            var serializer = Serializer()
            try serializer.append(self)
            return serializer.text
        }
    }

    /// The parameters of an item or of an inner list: keys with values, in order.
    ///
    /// A key without a value has the value `true`.
    public typealias Parameters = OrderedValues<BareItem>
}

extension StructuredField.Item: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    /// Creates an integer without parameters.
    ///
    /// - Parameter value: The number.
    public init(integerLiteral value: Int64) { self.init(.integer(value)) }

    /// Creates a string without parameters, not a token.
    ///
    /// - Parameter value: Printable ASCII characters.
    public init(stringLiteral value: String) { self.init(.string(value)) }

    /// Creates a boolean without parameters.
    ///
    /// - Parameter value: True or false.
    public init(booleanLiteral value: Bool) { self.init(.boolean(value)) }
}
