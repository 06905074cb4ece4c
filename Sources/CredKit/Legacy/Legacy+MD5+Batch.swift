// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.MD5 {
    /// The digests (RFC 1321) of many messages, sixteen at once.
    ///
    /// ```swift
    /// Legacy.MD5.hashes(of: ["a".utf8, "b".utf8]).map { $0.hex }
    /// ```
    ///
    /// Sixteen or more messages of similar lengths take a quarter of the time that they take one after the other,
    /// with AVX-512 or AVX2; a single one takes longer than by the function for one.
    ///
    /// > Warning: See ``Legacy/MD5`` for what MD5 cannot do: it is there for tables and protocols that have it.
    ///
    /// - Parameter messages: The messages, any number of them; arrays, `String.UTF8View`s …
    /// - Returns: A digest for each, in their order.
    @inlinable
    public static func hashes<Message: Collection<UInt8>>(
        of messages: some Collection<Message>
    ) -> [MessageDigest<16>] {
        MD5Batch().digests(of: messages, by: CollectionAccess<Message>.self)
    }

    /// The digests (RFC 1321) of many messages that stand one behind the other in memory, sixteen at once, allocating
    /// nothing.
    ///
    /// Sixteen or more messages of similar lengths take a fifth to a tenth of the time that they take one after the other,
    /// with AVX-512 or AVX2; a single one takes longer than by the function for one.
    ///
    /// > Warning: See ``Legacy/MD5`` for what MD5 cannot do: it is there for tables and protocols that have it.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - ends: The offset behind each message; none is smaller than the one before it or larger than the number of bytes,
    ///     else it is a programming error and stops the process. The first message begins at 0, each other at the end of
    ///     the last; of an empty one both are the same.
    ///   - digests: Where a digest for each goes, in their order. Its free capacity must be at least the number of
    ///     messages; less is a programming error and stops the process.
    public static func hash(
        _ bytes: Span<UInt8>,
        endingAt ends: Span<Int>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        MD5Batch().hash(bytes, endingAt: ends, into: &digests)
    }
}
