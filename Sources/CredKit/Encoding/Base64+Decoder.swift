// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Base64 {
    /// Starts an incremental decoding of a text that comes in pieces.
    ///
    /// - Parameter skipping: What to pass over.
    /// - Returns: The decoder.
    public func makeDecoder(skipping: Skipping = .nothing) -> Decoder {
        Decoder(base64: self, skipping: skipping, isLax: false)
    }

    /// Starts an incremental decoding as coreutils' decoder does it: the last character may have bits that no
    /// byte takes up, and another text may follow the padding.
    package func makeLaxDecoder(skipping: Skipping) -> Decoder {
        Decoder(base64: self, skipping: skipping, isLax: true)
    }

    /// An incremental decoder: the pieces may be cut anywhere, the bytes are those of the whole.
    ///
    /// ```swift
    /// var decoder = Base64.standard.makeDecoder(skipping: .whitespace)
    /// var bytes: [UInt8] = []
    /// while let chunk = nextChunk() { try decoder.update(chunk, into: &bytes) }
    /// try decoder.finalize(into: &bytes)
    /// ```
    ///
    /// Bytes that were written before an error are those of the valid groups that stand before it. Do not act
    /// on them before ``finalize(into:)-(OutputSpan<UInt8>)`` has returned. After an error the decoder is of no further use.
    public struct Decoder: Sendable {
        private let base64: Base64
        private let skipping: Skipping
        private let isLax: Bool
        /// The values of the group that is not complete yet, six bits each, the first one highest.
        private var values: UInt32 = 0
        private var valueCount = 0
        /// The `=` of the group that is not complete yet.
        private var paddingCount = 0
        /// Whether a padded group has ended the text.
        private var hasEnded = false
        /// The bytes of text that were read.
        private var offset = 0
        /// Where the last character with a value stood.
        private var lastValueOffset = 0

        init(base64: Base64, skipping: Skipping, isLax: Bool) {
            self.base64 = base64
            self.skipping = skipping
            self.isLax = isLax
        }

        /// The most bytes that ``update(_:into:)-(Span<UInt8>,OutputSpan<UInt8>)`` can write.
        ///
        /// - Parameter byteCount: The length of the next piece of text in bytes, at least 0.
        /// - Returns: A number of bytes.
        public func maximumOutputByteCount(forInputByteCount byteCount: Int) -> Int {
            base64.maximumDecodedByteCount(of: valueCount + byteCount)
        }

        /// Decodes the next piece into memory of the caller's.
        ///
        /// - Parameters:
        ///   - text: The next bytes of the text.
        ///   - output: Where the bytes go; its free capacity must be at least
        ///     ``maximumOutputByteCount(forInputByteCount:)``, less is a programming error and stops the
        ///     process.
        /// - Throws: ``DecodingError``, with the offset from the start of the whole text.
        public mutating func update(
            _ text: Span<UInt8>,
            into output: inout OutputSpan<UInt8>
        ) throws(DecodingError) {
            let skipsLineFeeds = skipping.includes(0x0A)
            var lineEnd = skipsLineFeeds ? 0 : text.count
            var index = 0
            while index < text.count {
                // Whole groups go to the kernel a line at a time, so that a line feed does not cost it a block.
                if index >= lineEnd {
                    lineEnd = text.firstIndex(of: 0x0A, from: index)
                    if isBetweenGroups && lineEnd < text.count {
                        let lines = text.extracting(index...)
                        let count = decodeLines(lines, of: lineEnd - index, into: &output)
                        index += count
                        offset += count
                        if count > 0 { continue }
                    }
                }
                if isBetweenGroups {
                    let groups = decodeGroups(text.extracting(index..<lineEnd), into: &output)
                    index += groups * 4
                    offset += groups * 4
                    guard index < text.count else { break }
                }
                if !(skipsLineFeeds && text[index] == 0x0A) {
                    try append(text[index], into: &output)
                }
                index += 1
                offset += 1
            }
        }

        /// Decodes the next piece and appends the bytes.
        ///
        /// - Parameters:
        ///   - text: The next bytes of the text.
        ///   - output: Gets the bytes; when an error is thrown, those that stand before it.
        /// - Throws: ``DecodingError``, with the offset from the start of the whole text.
        public mutating func update(
            _ text: Span<UInt8>,
            into output: inout [UInt8]
        ) throws(DecodingError) {
            let capacity = maximumOutputByteCount(forInputByteCount: text.count)
            try output.append(addingCapacity: capacity) { (span) throws(DecodingError) in
                try update(text, into: &span)
            }
        }

        /// Decodes the next piece and appends the bytes.
        ///
        /// - Parameters:
        ///   - text: The next bytes of the text.
        ///   - output: Gets the bytes; when an error is thrown, those that stand before it.
        /// - Throws: ``DecodingError``, with the offset from the start of the whole text.
        @inlinable
        public mutating func update(
            _ text: some Collection<UInt8>,
            into output: inout [UInt8]
        ) throws(DecodingError) {
            try text.withContiguousSpan { (span) throws(DecodingError) in
                try update(span, into: &output)
            }
        }

        /// Ends the text: writes the last bytes of one that has no padding, and checks that nothing is missing.
        /// Afterwards the decoder is as new.
        ///
        /// - Parameter output: Gets at most two bytes.
        /// - Throws: ``DecodingError``, with the length of the whole text as the offset of what is missing.
        public mutating func finalize(into output: inout OutputSpan<UInt8>) throws(DecodingError) {
            if valueCount > 0 {
                guard valueCount > 1 else { throw .incompleteGroup(at: offset) }
                guard !base64.isPadded else { throw .missingPadding(at: offset) }
                try checkTrailingBits()
                writeGroup(into: &output)
            }
            self = Decoder(base64: base64, skipping: skipping, isLax: isLax)
        }

        /// Ends the text: appends the last bytes of one that has no padding, and checks that nothing is
        /// missing. Afterwards the decoder is as new.
        ///
        /// - Parameter output: Gets at most two bytes.
        /// - Throws: ``DecodingError``, with the length of the whole text as the offset of what is missing.
        public mutating func finalize(into output: inout [UInt8]) throws(DecodingError) {
            try output.append(addingCapacity: 3) { (span) throws(DecodingError) in
                try finalize(into: &span)
            }
        }

        /// Appends the whole bytes that the characters of an incomplete last group hold, as coreutils' decoder
        /// writes them before it reports an error.
        package mutating func salvage(into output: inout [UInt8]) {
            output.append(addingCapacity: 3) { writeGroup(into: &$0) }
        }

        private var isBetweenGroups: Bool { valueCount == 0 && paddingCount == 0 && !hasEnded }

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
            } else if !skipping.includes(character) {
                throw .invalidCharacter(at: offset)
            }
        }

        private func checkTrailingBits() throws(DecodingError) {
            let unused: UInt32 = valueCount == 2 ? 0b1111 : 0b11
            guard isLax || values & unused == 0 else {
                throw .nonZeroTrailingBits(at: lastValueOffset)
            }
        }

        /// Writes the bytes of the current group, one fewer than it has characters, and starts a new one.
        private mutating func writeGroup(into output: inout OutputSpan<UInt8>) {
            let bits = values << UInt32(6 * (4 - valueCount))
            for index in 0..<max(0, valueCount - 1) {
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index)))
            }
            values = 0
            valueCount = 0
            paddingCount = 0
        }

        /// Decodes lines of one length and of whole groups, as long as there are any.
        ///
        /// - Returns: The number of characters that were decoded, line feeds included.
        private func decodeLines(
            _ text: Span<UInt8>,
            of length: Int,
            into output: inout OutputSpan<UInt8>
        ) -> Int {
            guard length > 0 && length.isMultiple(of: 4) else { return 0 }
            precondition(
                output.freeCapacity >= text.count / 4 * 3,
                "The output has less room than the bytes take."
            )
            return unsafe text.withUnsafeBytes { source in
                unsafe output.withUnsafeMutableBufferPointer { target, count in
                    guard let to = target.baseAddress else { return 0 }
                    let decoded = unsafe Base64Kernel.decodeLines(
                        source,
                        length: length,
                        to: to + count,
                        as: base64
                    )
                    count += decoded.bytes
                    return decoded.characters
                }
            }
        }

        /// Decodes whole groups of characters of the alphabet from the front of a text.
        ///
        /// - Returns: The number of groups that were decoded.
        private func decodeGroups(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Int {
            let groups = text.count / 4
            precondition(output.freeCapacity >= groups * 3, "The output has less room than the bytes take.")
            return unsafe text.withUnsafeBytes { source in
                unsafe output.withUnsafeMutableBufferPointer { target, count in
                    guard let from = source.baseAddress, let to = target.baseAddress else { return 0 }
                    let decoded = unsafe Base64Kernel.decode(from, groups: groups, to: to + count, as: base64)
                    count += decoded * 3
                    return decoded
                }
            }
        }
    }
}

extension Span<UInt8> {
    /// The index of the first `byte` at or after `start`; the count if there is none.
    fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, Int32(byte), count - start)
            else { return count }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
