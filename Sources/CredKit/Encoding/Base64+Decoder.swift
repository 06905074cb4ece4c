// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// Creates an incremental decoder for a text that comes in pieces.
    ///
    /// - Parameter ignoring: The characters to skip.
    /// - Returns: The decoder.
    public func makeDecoder(ignoring: IgnoredCharacters = .none) -> Decoder {
        Decoder(base64: self, ignoring: ignoring, isLax: false)
    }

    /// Creates an incremental decoder that behaves like coreutils' decoder: unused bits of the last character may be
    /// set, and another text may follow the padding.
    package func makeLenientDecoder(ignoring: IgnoredCharacters) -> Decoder {
        Decoder(base64: self, ignoring: ignoring, isLax: true)
    }

    /// An incremental decoder. The pieces may be split anywhere; the result is that of the whole text.
    ///
    /// ```swift
    /// var decoder = Base64.standard.makeDecoder(ignoring: .whitespace)
    /// var bytes: [UInt8] = []
    /// while let chunk = nextChunk() { try decoder.update(chunk, into: &bytes) }
    /// try decoder.finalize(into: &bytes)
    /// ```
    ///
    /// If an error is thrown, the bytes written so far are those of the valid groups before it. Do not use them
    /// before ``finalize(into:)-(OutputSpan<UInt8>)`` has returned. After an error the decoder must not be used.
    public struct Decoder: Sendable {
        let base64: Base64
        let ignoring: IgnoredCharacters
        let isLax: Bool
        /// The values of the incomplete group, six bits each, the first one highest.
        private var values: UInt32 = 0
        private var valueCount = 0
        /// The number of `=` in the incomplete group.
        private var paddingCount = 0
        /// Whether a padded group has ended the text.
        private var hasEnded = false
        /// The number of bytes of text that were read.
        private var offset = 0
        /// The offset of the last character with a value.
        private var lastValueOffset = 0

        init(base64: Base64, ignoring: IgnoredCharacters, isLax: Bool) {
            self.base64 = base64
            self.ignoring = ignoring
            self.isLax = isLax
        }

        /// Returns the maximum number of bytes that ``update(_:into:)-(Span<UInt8>,OutputSpan<UInt8>)`` can write.
        ///
        /// - Parameter byteCount: The length of the next piece of text in bytes, at least 0.
        /// - Returns: A number of bytes.
        public func maximumOutputByteCount(forInputByteCount byteCount: Int) -> Int {
            base64.maximumDecodedByteCount(of: valueCount + byteCount)
        }

        /// Decodes the next piece into memory of the caller.
        ///
        /// - Parameters:
        ///   - text: The next bytes of the text.
        ///   - output: Receives the bytes. Its free capacity must be at least
        ///     ``maximumOutputByteCount(forInputByteCount:)``; less is a programming error and stops the process.
        /// - Throws: ``DecodingError``, with the offset from the start of the whole text.
        public mutating func update(
            _ text: Span<UInt8>,
            into output: inout OutputSpan<UInt8>
        ) throws(DecodingError) {
            var index = 0
            // The end of the line that was last passed to the kernel.
            var lineEnd = 0
            while index < text.count {
                if isBetweenGroups {
                    let count = decodeGroups(text, from: index, lineEnd: &lineEnd, into: &output)
                    index += count
                    offset += count
                }
                let count = skippedCount(text, from: index)
                index += count
                offset += count
                guard index < text.count else { break }
                try append(text[index], into: &output)
                index += 1
                offset += 1
            }
        }

        /// Ends the text: writes the last bytes if the text has no padding, and checks that nothing is missing.
        /// Afterwards the decoder is in its initial state.
        ///
        /// - Parameter output: Receives at most two bytes.
        /// - Throws: ``DecodingError``; its offset is the length of the whole text if something is missing.
        public mutating func finalize(into output: inout OutputSpan<UInt8>) throws(DecodingError) {
            if valueCount > 0 {
                guard valueCount > 1 else { throw .incompleteGroup(at: offset) }
                guard !base64.isPadded else { throw .missingPadding(at: offset) }
                try checkTrailingBits()
                writeGroup(into: &output)
            }
            self = Decoder(base64: base64, ignoring: ignoring, isLax: isLax)
        }

        /// Appends the whole bytes of an incomplete last group, as coreutils' decoder writes them before it reports
        /// an error.
        package mutating func salvage(into output: inout [UInt8]) {
            output.append(addingCapacity: 3) { writeGroup(into: &$0) }
        }

        private var isBetweenGroups: Bool { valueCount == 0 && paddingCount == 0 && !hasEnded }

        /// Processes one character that is not skipped.
        private mutating func append(
            _ character: UInt8,
            into output: inout OutputSpan<UInt8>
        ) throws(DecodingError) {
            if let value = Base64Kernel.value(of: character, as: base64) {
                guard paddingCount == 0 && !hasEnded else { throw .invalidCharacter(at: offset) }
                values = values << 6 | UInt32(value)
                valueCount += 1
                lastValueOffset = offset
                if valueCount == 4 { writeGroup(into: &output) }
            } else if character == UInt8(ascii: "=") {
                guard base64.isPadded && !hasEnded && valueCount >= 2 else {
                    throw .invalidPadding(at: offset)
                }
                try checkTrailingBits()
                paddingCount += 1
                if valueCount + paddingCount == 4 {
                    writeGroup(into: &output)
                    hasEnded = !isLax
                }
            } else {
                throw .invalidCharacter(at: offset)
            }
        }

        private func checkTrailingBits() throws(DecodingError) {
            guard isLax || !Base64Kernel.hasUnusedBits(values, count: valueCount) else {
                throw .nonZeroTrailingBits(at: lastValueOffset)
            }
        }

        /// Writes the bytes of the current group, one fewer than its characters, and starts a new group.
        private mutating func writeGroup(into output: inout OutputSpan<UInt8>) {
            let bits = values << UInt32(6 * (4 - valueCount))
            for index in 0..<max(0, valueCount - 1) {
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index)))
            }
            values = 0
            valueCount = 0
            paddingCount = 0
        }
    }
}

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
