// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64.Encoder {
    /// Encodes the next piece and appends the text.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the data.
    ///   - output: Receives the characters, as ASCII.
    public mutating func update(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        let capacity = maximumOutputByteCount(forInputByteCount: bytes.count)
        output.append(addingCapacity: capacity) { update(bytes, into: &$0) }
    }

    /// Encodes the next piece and appends the text.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the data.
    ///   - output: Receives the characters, as ASCII.
    @inlinable
    public mutating func update(_ bytes: some Collection<UInt8>, into output: inout [UInt8]) {
        bytes.withContiguousSpan { update($0, into: &output) }
    }

    /// Appends the end of the text: the last group and its padding. Afterwards the encoder is in its initial state.
    ///
    /// - Parameter output: Receives the characters, as ASCII.
    public mutating func finalize(into output: inout [UInt8]) {
        output.append(addingCapacity: maximumOutputByteCount(forInputByteCount: 0)) {
            finalize(into: &$0)
        }
    }
}
