// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.TimestampedLogin {
    /// The proofs that a server expects for several time texts, of which any may be meant: up to sixteen in the time of
    /// two or three.
    ///
    /// - Parameters:
    ///   - passwordEquivalent: What the server keeps.
    ///   - timeTexts: The texts.
    /// - Returns: A proof for each, in their order. Compare them with `==`, which takes the same time wherever two
    ///   differ. Those of minutes to come log in when their time has come.
    public func proofs(
        passwordEquivalent: MessageDigest<16>,
        atTimeTexts timeTexts: [String]
    ) -> [MessageDigest<16>] {
        withProofs(passwordEquivalent: passwordEquivalent, atTimeTexts: timeTexts) { proofs in
            proofs.indices.map { proofs[$0] }
        }
    }

    /// Calls `body` with the proofs for several time texts, which are wiped afterwards.
    package func withProofs<Result>(
        passwordEquivalent: MessageDigest<16>,
        atTimeTexts timeTexts: [String],
        _ body: (Span<MessageDigest<16>>) -> Result
    ) -> Result {
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
            return unsafe withUnsafeTemporaryAllocation(
                of: MessageDigest<16>.self,
                capacity: timeTexts.count
            ) { memory in
                defer {
                    unsafe UnsafeMutableRawBufferPointer(memory).withMemoryRebound(
                        to: UInt8.self,
                        Wiping.wipe
                    )
                }
                var proofs = unsafe OutputSpan(buffer: memory, initializedCount: 0)
                unsafe Legacy.HMACMD5.authenticate(
                    messages.span,
                    endingAt: ends.span,
                    using: key,
                    into: &proofs
                )
                _ = unsafe proofs.finalize(for: memory)
                return body(unsafe memory.span)
            }
        }
    }
}
