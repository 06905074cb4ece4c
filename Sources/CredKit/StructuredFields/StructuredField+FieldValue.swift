// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// A type that a field can have as a whole: ``Item``, ``List`` or ``Dictionary``.
    public protocol FieldValue: Hashable, Sendable {
        /// Parses the value of a field.
        ///
        /// - Parameter bytes: The value as it was received. Several field lines are joined with a comma before; see
        ///   ``init(fieldLines:)``.
        /// - Throws: ``ParsingError``, with the offset of the error.
        init(parsing bytes: some Collection<UInt8>) throws(ParsingError)

        /// Serializes the value in the canonical form of RFC 9651 §4.1.
        ///
        /// - Returns: ASCII text. It is empty for a list or dictionary without members, whose field must not be sent.
        /// - Throws: ``SerializationError`` if the value contains anything that a field cannot represent.
        func serialized() throws(SerializationError) -> String
    }
}

extension StructuredField.FieldValue {
    /// Parses the value of a field.
    ///
    /// - Parameter text: The value as it was received.
    /// - Throws: ``StructuredField/ParsingError``, with the offset of the error in bytes of UTF-8.
    public init(parsing text: some StringProtocol) throws(StructuredField.ParsingError) {
        try self.init(parsing: text.utf8)
    }

    /// Parses the value of a field that was received in any number of lines.
    ///
    /// The lines are joined with a comma and a space, as RFC 9651 §4.2 requires. No lines are the same as one empty
    /// line: an empty list or dictionary, and not an item.
    ///
    /// - Parameter lines: The values of all lines with the name of the field, in the order in which they were received.
    /// - Throws: ``StructuredField/ParsingError``, with the offset of the error in the joined value.
    public init(
        fieldLines lines: some Sequence<some StringProtocol>
    ) throws(StructuredField.ParsingError) {
        try self.init(parsing: Self.joined(lines))
    }

    /// Joins the lines of a field. Of lines that are too long together, only the beginning is returned, which is too long
    /// as well.
    static func joined(_ lines: some Sequence<some StringProtocol>) -> [UInt8] {
        var joined: [UInt8] = []
        for (index, line) in lines.enumerated() {
            if index > 0 { joined += [UInt8(ascii: ","), UInt8(ascii: " ")] }
            // One byte more than the limit suffices to be rejected.
            joined += line.utf8.prefix(StructuredField.maximumByteCount + 1)
            guard joined.count <= StructuredField.maximumByteCount else { break }
        }
        return joined
    }
}
