// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// Creates an incremental encoder for data that comes in pieces.
    ///
    /// - Parameters:
    ///   - lineLength: The characters per line; 0, the default, or less writes one line.
    ///   - lineEnding: The separator between two lines. The last line does not end with it.
    /// - Returns: The encoder.
    public func makeEncoder(lineLength: Int = 0, lineEnding: LineEnding = .lineFeed) -> Encoder {
        Encoder(base64: self, lineLength: max(0, lineLength), lineEnding: lineEnding)
    }

    /// An incremental encoder. The pieces may be split anywhere; the result is that of the whole data.
    ///
    /// ```swift
    /// var encoder = Base64.standard.makeEncoder(lineLength: 76)
    /// var text: [UInt8] = []
    /// while let chunk = nextChunk() { encoder.update(chunk, into: &text) }
    /// encoder.finalize(into: &text)
    /// ```
    public struct Encoder: Sendable {
        let base64: Base64
        let lineLength: Int
        let lineEnding: LineEnding
        /// The bytes of the incomplete group, 0 to 2.
        private var pending: (UInt8, UInt8) = (0, 0)
        private var pendingCount = 0
        /// The number of characters on the current line.
        var column = 0

        init(base64: Base64, lineLength: Int, lineEnding: LineEnding) {
            self.base64 = base64
            self.lineLength = lineLength
            self.lineEnding = lineEnding
        }

        /// Returns the maximum number of bytes that ``update(_:into:)-(Span<UInt8>,OutputSpan<UInt8>)`` with this
        /// many bytes and ``finalize(into:)-(OutputSpan<UInt8>)`` can write together.
        ///
        /// - Parameter byteCount: The number of bytes to encode, at least 0.
        /// - Returns: A number of bytes of text, line endings included.
        public func maximumOutputByteCount(forInputByteCount byteCount: Int) -> Int {
            let characters = base64.encodedByteCount(of: pendingCount + byteCount)
            guard lineLength > 0 else { return characters }
            return characters + (column + characters) / lineLength * lineEnding.byteCount
        }

        /// Encodes the next piece into memory of the caller.
        ///
        /// - Parameters:
        ///   - bytes: The next bytes of the data.
        ///   - output: Receives the characters, as ASCII. Its free capacity must be at least
        ///     ``maximumOutputByteCount(forInputByteCount:)``; less is a programming error and stops the process.
        public mutating func update(_ bytes: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
            var rest = bytes
            // Complete the group that the previous piece left incomplete.
            while pendingCount > 0 && !rest.isEmpty {
                append(rest[0], into: &output)
                rest = rest.extracting(droppingFirst: 1)
            }
            let groups = rest.count / 3
            unsafe rest.withUnsafeBytes { source in
                if let base = source.baseAddress {
                    unsafe encode(groups: groups, from: base, into: &output)
                }
            }
            rest = rest.extracting(droppingFirst: groups * 3)
            // The remaining bytes start the next group.
            for index in rest.indices {
                append(rest[index], into: &output)
            }
        }

        /// Writes the end of the text: the last group and its padding. Afterwards the encoder is in its initial
        /// state.
        ///
        /// - Parameter output: Receives the characters, as ASCII. Its free capacity must be at least
        ///   ``maximumOutputByteCount(forInputByteCount:)`` of 0.
        public mutating func finalize(into output: inout OutputSpan<UInt8>) {
            if pendingCount > 0 {
                writeGroup(pending.0, pending.1, 0, characters: pendingCount + 1, into: &output)
                if base64.isPadded {
                    for _ in pendingCount..<3 { write(UInt8(ascii: "="), into: &output) }
                }
            }
            self = base64.makeEncoder(lineLength: lineLength, lineEnding: lineEnding)
        }

        private mutating func append(_ byte: UInt8, into output: inout OutputSpan<UInt8>) {
            switch pendingCount {
            case 0: pending.0 = byte
            case 1: pending.1 = byte
            default: writeGroup(pending.0, pending.1, byte, characters: 4, into: &output)
            }
            pendingCount = (pendingCount + 1) % 3
            if pendingCount == 0 { pending = (0, 0) }
        }

        /// Writes the first `characters` of the four characters of one group.
        mutating func writeGroup(
            _ first: UInt8,
            _ second: UInt8,
            _ third: UInt8,
            characters: Int,
            into output: inout OutputSpan<UInt8>
        ) {
            let bytes: InlineArray<3, UInt8> = [first, second, third]
            let text = InlineArray<4, UInt8> { base64.encode(bytes.span, into: &$0) }
            for index in 0..<characters { write(text[index], into: &output) }
        }

        /// Writes one character, on a new line if the current one is full.
        private mutating func write(_ character: UInt8, into output: inout OutputSpan<UInt8>) {
            if lineLength > 0 {
                if column == lineLength { endLine(into: &output) }
                column += 1
            }
            output.append(character)
        }

        mutating func endLine(into output: inout OutputSpan<UInt8>) {
            if lineEnding == .carriageReturnLineFeed { output.append(0x0D) }
            output.append(0x0A)
            column = 0
        }
    }
}
