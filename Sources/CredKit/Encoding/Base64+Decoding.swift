// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// The most bytes that a text can decode to.
    ///
    /// - Parameter byteCount: The length of the text in bytes of UTF-8, at least 0.
    /// - Returns: A number of bytes.
    public func maximumDecodedByteCount(of byteCount: Int) -> Int {
        byteCount / 4 * 3 + byteCount % 4
    }

    /// Decodes a text.
    ///
    /// Strict: exactly one text is accepted for each value.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - skipping: What to pass over. Skipping whitespace reveals by its time where that stands, and gives up
    ///     that one value has one text.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of what is wrong.
    public func decode(
        _ text: some StringProtocol,
        skipping: Skipping = .nothing
    ) throws(DecodingError) -> [UInt8] {
        try decode(text.utf8, skipping: skipping)
    }

    /// Decodes a text that is given as bytes of ASCII.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - skipping: What to pass over.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of what is wrong.
    @inlinable
    public func decode(
        _ text: some Collection<UInt8>,
        skipping: Skipping = .nothing
    ) throws(DecodingError) -> [UInt8] {
        try text.withContiguousSpan { (span) throws(DecodingError) in
            try decode(span, skipping: skipping)
        }
    }

    /// Decodes a text that is given as bytes of ASCII.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - skipping: What to pass over.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of what is wrong.
    public func decode(
        _ text: Span<UInt8>,
        skipping: Skipping = .nothing
    ) throws(DecodingError) -> [UInt8] {
        try [UInt8](capacity: maximumDecodedByteCount(of: text.count)) { (output) throws(DecodingError) in
            try decode(text, skipping: skipping, into: &output)
        }
    }

    /// Decodes a text into memory of the caller's, allocating nothing.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - skipping: What to pass over.
    ///   - output: Where the bytes go. Its free capacity must be at least ``maximumDecodedByteCount(of:)``;
    ///     less is a programming error and stops the process.
    /// - Throws: ``DecodingError``, with the offset of what is wrong; the output then holds what came before.
    public func decode(
        _ text: Span<UInt8>,
        skipping: Skipping = .nothing,
        into output: inout OutputSpan<UInt8>
    ) throws(DecodingError) {
        if skipping == .nothing && decodeValid(text, into: &output) { return }
        var decoder = makeDecoder(skipping: skipping)
        try decoder.update(text, into: &output)
        try decoder.finalize(into: &output)
    }

    /// Decodes a text that is valid; of one that is not, nothing, and what is wrong is for the decoder to say.
    private func decodeValid(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
        // With less room the decoder goes on as far as that suffices.
        guard output.freeCapacity >= maximumDecodedByteCount(of: text.count) else { return false }
        return unsafe text.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBufferPointer { target, count in
                guard let base = target.baseAddress else { return unsafe source.isEmpty }
                guard let written = unsafe Base64Kernel.decode(text: source, to: base + count, as: self)
                else {
                    return false
                }
                count += written
                return true
            }
        }
    }
}
