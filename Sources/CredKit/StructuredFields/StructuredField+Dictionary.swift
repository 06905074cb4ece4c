// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
