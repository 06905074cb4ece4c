// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// Returns the maximum number of bytes that a text can decode to.
    ///
    /// - Parameter byteCount: The length of the text in bytes of UTF-8, at least 0.
    /// - Returns: A number of bytes.
    public func maximumDecodedByteCount(of byteCount: Int) -> Int {
        byteCount / 4 * 3 + byteCount % 4
    }

    /// Decodes a text.
    ///
    /// Decoding is strict: each value has exactly one valid text.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - ignoring: The characters to skip. If whitespace is skipped, the time reveals its positions, and a value
    ///     has more than one valid text.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    public func decode(
        _ text: some StringProtocol,
        ignoring: IgnoredCharacters = .none
    ) throws(DecodingError) -> [UInt8] {
        try decode(text.utf8, ignoring: ignoring)
    }

    /// Decodes a text in the form of ASCII bytes.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - ignoring: The characters to skip.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    @inlinable
    public func decode(
        _ text: some Collection<UInt8>,
        ignoring: IgnoredCharacters = .none
    ) throws(DecodingError) -> [UInt8] {
        try text.withContiguousSpan { (span) throws(DecodingError) in
            try decode(span, ignoring: ignoring)
        }
    }

    /// Decodes a text in the form of ASCII bytes.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - ignoring: The characters to skip.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    public func decode(
        _ text: Span<UInt8>,
        ignoring: IgnoredCharacters = .none
    ) throws(DecodingError) -> [UInt8] {
        try [UInt8](capacity: maximumDecodedByteCount(of: text.count)) { (output) throws(DecodingError) in
            try decode(text, ignoring: ignoring, into: &output)
        }
    }

    /// Decodes a text into memory of the caller, without allocating memory.
    ///
    /// - Parameters:
    ///   - text: The text; it must be padded if, and only if, ``isPadded``.
    ///   - ignoring: The characters to skip.
    ///   - output: Receives the bytes. Its free capacity must be at least ``maximumDecodedByteCount(of:)``; less is a
    ///     programming error and stops the process.
    /// - Throws: ``DecodingError``, with the offset of the error; the output then contains the bytes before it.
    public func decode(
        _ text: Span<UInt8>,
        ignoring: IgnoredCharacters = .none,
        into output: inout OutputSpan<UInt8>
    ) throws(DecodingError) {
        if ignoring == .none && decodeValid(text, into: &output) { return }
        var decoder = makeDecoder(ignoring: ignoring)
        try decoder.update(text, into: &output)
        try decoder.finalize(into: &output)
    }

    /// Decodes a valid text. Returns `false` for an invalid one, and leaves it to the decoder to find the error.
    private func decodeValid(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
        // With less room, the decoder continues as far as it suffices.
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
