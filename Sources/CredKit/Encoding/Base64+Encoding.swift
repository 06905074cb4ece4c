// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// The separator between two lines of a wrapped text.
    public enum LineEnding: Sendable, Hashable {
        /// A line feed, as in text files on Unix.
        case lineFeed
        /// A carriage return and a line feed, as in MIME (RFC 2045), and in PEM sent over a network.
        case carriageReturnLineFeed

        var byteCount: Int { self == .lineFeed ? 1 : 2 }
    }

    /// Returns the number of characters for `byteCount` bytes, without line endings.
    ///
    /// - Parameter byteCount: The number of bytes to encode, from 0 to a number that memory can hold.
    /// - Returns: The number of characters, each one byte of UTF-8.
    public func encodedByteCount(of byteCount: Int) -> Int {
        let (groups, rest) = byteCount.quotientAndRemainder(dividingBy: 3)
        guard rest > 0 else { return groups * 4 }
        return groups * 4 + (isPadded ? 4 : rest + 1)
    }

    /// Encodes bytes as text.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - lineLength: The characters per line; 0, the default, or less writes one line. MIME allows at most 76.
    ///   - lineEnding: The separator between two lines. The last line does not end with it.
    /// - Returns: The text.
    public func encode(
        _ bytes: Span<UInt8>,
        lineLength: Int = 0,
        lineEnding: LineEnding = .lineFeed
    ) -> String {
        guard lineLength > 0 else {
            return unsafe String(unsafeUninitializedCapacity: encodedByteCount(of: bytes.count)) { buffer in
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                encode(bytes, into: &output)
                return unsafe output.finalize(for: buffer)
            }
        }
        var encoder = makeEncoder(lineLength: lineLength, lineEnding: lineEnding)
        let capacity = encoder.maximumOutputByteCount(forInputByteCount: bytes.count)
        return unsafe String(unsafeUninitializedCapacity: capacity) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            encoder.update(bytes, into: &output)
            encoder.finalize(into: &output)
            return unsafe output.finalize(for: buffer)
        }
    }

    /// Encodes bytes as text.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode; an array, a `String.UTF8View`, a ``MessageDigest`` …
    ///   - lineLength: The characters per line; 0, the default, or less writes one line. MIME allows at most 76.
    ///   - lineEnding: The separator between two lines. The last line does not end with it.
    /// - Returns: The text.
    @inlinable
    public func encode(
        _ bytes: some Collection<UInt8>,
        lineLength: Int = 0,
        lineEnding: LineEnding = .lineFeed
    ) -> String {
        bytes.withContiguousSpan { encode($0, lineLength: lineLength, lineEnding: lineEnding) }
    }

    /// Encodes bytes into memory of the caller, on one line, without allocating memory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - output: Receives the characters, as ASCII. Its free capacity must be at least ``encodedByteCount(of:)``;
    ///     less is a programming error and stops the process.
    @inlinable
    public func encode(_ bytes: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target, count in
                let written = unsafe Base64Kernel.encode(
                    source.baseAddress,
                    source.count,
                    target.baseAddress.map { unsafe $0 + count },
                    target.count - count,
                    form
                )
                precondition(written >= 0, "The output has too little capacity for the text.")
                count += written
            }
        }
    }
}
