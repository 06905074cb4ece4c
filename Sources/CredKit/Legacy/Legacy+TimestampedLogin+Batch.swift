// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.TimestampedLogin {
    /// The proofs that a server expects for several time texts, of which any may be meant, in hardly more time than one
    /// takes.
    ///
    /// - Parameters:
    ///   - passwordEquivalent: What the server keeps.
    ///   - timeTexts: The texts.
    /// - Returns: A proof for each, in their order. Compare them with `==`, which takes the same time wherever two
    ///   differ.
    public func proofs(
        passwordEquivalent: MessageDigest<16>,
        atTimeTexts timeTexts: [String]
    ) -> [MessageDigest<16>] {
        let byteCount = timeTexts.reduce(0) { $0 + 2 * passwordEquivalent.count + $1.utf8.count }
        var ends: [Int] = []
        ends.reserveCapacity(timeTexts.count)
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { messages in
            defer { unsafe Wiping.wipe(messages) }
            var rest = UnsafeMutableRawBufferPointer(messages)
            passwordEquivalent.withSecretHex { equivalent in
                for text in timeTexts {
                    unsafe rest.take(equivalent)
                    text.utf8.withContiguousSpan { unsafe rest.take($0) }
                    ends.append(byteCount - rest.count)
                }
            }
            return [MessageDigest<16>](capacity: timeTexts.count) { proofs in
                unsafe Legacy.HMACMD5.authenticate(
                    messages.span,
                    endingAt: ends.span,
                    using: key,
                    into: &proofs
                )
            }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies bytes to the front of the memory, which afterwards begins behind them.
    fileprivate mutating func take(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe copyMemory(from: $0) }
        unsafe self = UnsafeMutableRawBufferPointer(rebasing: self[bytes.count...])
    }
}
