// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base32 {
    /// Returns the maximum number of bytes that a text can decode to.
    ///
    /// - Parameter byteCount: The length of the text in bytes of UTF-8, at least 0.
    /// - Returns: A number of bytes.
    public func maximumDecodedByteCount(of byteCount: Int) -> Int {
        byteCount / 8 * 5 + byteCount % 8 * 5 / 8
    }

    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - strictness: What is accepted. Bits that belong to no byte must be zero in any case, so that the same
    ///     characters of the alphabet never stand for several values.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    public func decode(
        _ text: some StringProtocol,
        strictness: Strictness = .strict
    ) throws(DecodingError) -> [UInt8] {
        try decode(text.utf8, strictness: strictness)
    }

    /// Decodes a text in the form of ASCII bytes.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - strictness: What is accepted.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    @inlinable
    public func decode(
        _ text: some Collection<UInt8>,
        strictness: Strictness = .strict
    ) throws(DecodingError) -> [UInt8] {
        try text.withContiguousSpan { (span) throws(DecodingError) in
            try decode(span, strictness: strictness)
        }
    }

    /// Decodes a text in the form of ASCII bytes.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - strictness: What is accepted.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    public func decode(
        _ text: Span<UInt8>,
        strictness: Strictness = .strict
    ) throws(DecodingError) -> [UInt8] {
        try [UInt8](capacity: maximumDecodedByteCount(of: text.count)) { (output) throws(DecodingError) in
            try decode(text, strictness: strictness, into: &output)
        }
    }

    /// Decodes a text into memory of the caller, without allocating memory.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - strictness: What is accepted.
    ///   - output: Receives the bytes. Its free capacity must be at least ``maximumDecodedByteCount(of:)``; less is a
    ///     programming error and stops the process.
    /// - Throws: ``DecodingError``, with the offset of the error; the output is then unchanged.
    public func decode(
        _ text: Span<UInt8>,
        strictness: Strictness = .strict,
        into output: inout OutputSpan<UInt8>
    ) throws(DecodingError) {
        try decode(text, strictness == .lenient ? .lenient : .strict, into: &output)
    }

    /// Decodes the seed of one-time codes as authenticator apps read it: they ignore case, spaces, tabs, line ends,
    /// dashes, any padding, and the bits behind the last byte, because some servers draw letters instead of bytes.
    /// Otherwise as ``decode(_:strictness:into:)``.
    func decodeSeed(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) throws(DecodingError) {
        try decode(text, .seed, into: &output)
    }

    private func decode(
        _ text: Span<UInt8>,
        _ leniency: Base32Kernel.Leniency,
        into output: inout OutputSpan<UInt8>
    ) throws(DecodingError) {
        precondition(
            output.freeCapacity >= maximumDecodedByteCount(of: text.count),
            "The output has too little capacity for the bytes."
        )
        let error = unsafe text.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target, count -> DecodingError? in
                let found = unsafe Base32Kernel.decode(
                    source,
                    leniency,
                    to: target.baseAddress.map { unsafe $0 + count }
                )
                if let error = check(found, of: source.count, leniency) { return error }
                count += found.digitCount * 5 / 8
                return nil
            }
        }
        if let error { throw error }
    }

    private func check(
        _ text: Base32Kernel.Text,
        of count: Int,
        _ leniency: Base32Kernel.Leniency
    ) -> DecodingError? {
        guard text.readCount == count else { return .invalidCharacter(at: text.readCount) }
        let rest = text.digitCount % 8
        // Five bits of the rest are not enough for a byte, or a character adds none.
        guard ![1, 3, 6].contains(rest) else { return .incompleteGroup(at: count) }
        let padding = rest == 0 ? 0 : 8 - rest
        switch (leniency, isPadded) {
        case (.strict, true) where text.paddingCount < padding: return .missingPadding(at: count)
        case (.strict, true) where text.paddingCount == padding: break
        case (.strict, false) where text.paddingCount == 0: break
        case (.lenient, _) where text.paddingCount == 0 || text.paddingCount == padding: break
        case (.seed, _): return nil
        default: return .invalidPadding(at: text.digitCount == 0 ? 0 : text.lastDigit + 1)
        }
        return text.hasTrailingBits ? .nonZeroTrailingBits(at: text.lastDigit) : nil
    }
}
