// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.TimestampedLogin {
    /// Returns the proofs that a server expects for several challenges, any of which the client may have used: up to
    /// sixteen proofs in the time of two or three.
    ///
    /// - Parameters:
    ///   - passwordEquivalent: The stored password-equivalent.
    ///   - challenges: The challenges.
    /// - Returns: One proof per challenge, in their order. Compare them with `==`, whose time does not depend on
    ///   where two differ. A proof for a future minute is valid for login when that minute comes.
    public func proofs(
        passwordEquivalent: MessageDigest<16>,
        challenges: [String]
    ) -> [MessageDigest<16>] {
        withProofs(
            passwordEquivalent: passwordEquivalent,
            count: challenges.count,
            challenge: { challenges[$0] }
        ) {
            proofs in
            proofs.indices.map { proofs[$0] }
        }
    }

    /// Parses a proof that a client posted; returns `nil` unless it is 32 hexadecimal digits, in either case.
    package static func proof(hex text: String) -> MessageDigest<16>? {
        text.withSecretBytes { MessageDigest<16>(hexDigits: $0) }
    }

    /// Finds the challenge that a proof was made for. All proofs are computed and compared, whichever of them
    /// matches.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - passwordEquivalent: The stored password-equivalent.
    ///   - count: The number of challenges.
    ///   - challenge: Returns the challenge with a number below `count`.
    /// - Returns: The number of the challenge, the last one of equal challenges; `nil` if the proof was made for none
    ///   of them.
    package func index(
        ofProof proof: MessageDigest<16>,
        passwordEquivalent: MessageDigest<16>,
        among count: Int,
        challenge: (Int) -> String
    ) -> Int? {
        withProofs(passwordEquivalent: passwordEquivalent, count: count, challenge: challenge) { proofs in
            var match: Int?
            for index in proofs.indices where proofs[index] == proof { match = index }
            return match
        }
    }

    /// Calls `body` with the proofs for several challenges, and wipes them afterwards.
    private func withProofs<Result>(
        passwordEquivalent: MessageDigest<16>,
        count: Int,
        challenge: (Int) -> String,
        _ body: (Span<MessageDigest<16>>) -> Result
    ) -> Result {
        let byteCount = (0..<count).reduce(0) { $0 + 2 * passwordEquivalent.count + challenge($1).utf8.count }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { messages in
            defer { unsafe Wiping.wipe(messages) }
            return unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { ends in
                var rest = UnsafeMutableRawBufferPointer(messages)
                passwordEquivalent.withSecretHex { equivalent in
                    for index in 0..<count {
                        unsafe rest.take(equivalent)
                        challenge(index).utf8.withContiguousSpan { unsafe rest.take($0) }
                        unsafe ends.initializeElement(at: index, to: byteCount - rest.count)
                    }
                }
                return unsafe withProofs(of: messages.span, endingAt: ends.span, body)
            }
        }
    }

    private func withProofs<Result>(
        of messages: Span<UInt8>,
        endingAt ends: Span<Int>,
        _ body: (Span<MessageDigest<16>>) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: MessageDigest<16>.self, capacity: ends.count) { memory in
            defer {
                unsafe UnsafeMutableRawBufferPointer(memory).withMemoryRebound(to: UInt8.self, Wiping.wipe)
            }
            var proofs = unsafe OutputSpan(buffer: memory, initializedCount: 0)
            Legacy.HMACMD5.authenticate(messages, endingAt: ends, using: key, into: &proofs)
            _ = unsafe proofs.finalize(for: memory)
            return body(unsafe memory.span)
        }
    }
}
