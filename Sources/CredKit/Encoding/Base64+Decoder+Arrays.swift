// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64.Decoder {
    /// Decodes the next piece and appends the bytes.
    ///
    /// - Parameters:
    ///   - text: The next bytes of the text.
    ///   - output: Receives the bytes; if an error is thrown, those before the error.
    /// - Throws: ``Base64/DecodingError``, with the offset from the start of the whole text.
    public mutating func update(
        _ text: Span<UInt8>,
        into output: inout [UInt8]
    ) throws(Base64.DecodingError) {
        let capacity = maximumOutputByteCount(forInputByteCount: text.count)
        try output.append(addingCapacity: capacity) { (span) throws(Base64.DecodingError) in
            try update(text, into: &span)
        }
    }

    /// Decodes the next piece and appends the bytes.
    ///
    /// - Parameters:
    ///   - text: The next bytes of the text.
    ///   - output: Receives the bytes; if an error is thrown, those before the error.
    /// - Throws: ``Base64/DecodingError``, with the offset from the start of the whole text.
    @inlinable
    public mutating func update(
        _ text: some Collection<UInt8>,
        into output: inout [UInt8]
    ) throws(Base64.DecodingError) {
        try text.withContiguousSpan { (span) throws(Base64.DecodingError) in
            try update(span, into: &output)
        }
    }

    /// Ends the text: appends the last bytes if the text has no padding, and checks that nothing is missing.
    /// Afterwards the decoder is in its initial state.
    ///
    /// - Parameter output: Receives at most two bytes.
    /// - Throws: ``Base64/DecodingError``; its offset is the length of the whole text if something is missing.
    public mutating func finalize(into output: inout [UInt8]) throws(Base64.DecodingError) {
        try output.append(addingCapacity: 3) { (span) throws(Base64.DecodingError) in
            try finalize(into: &span)
        }
    }
}
