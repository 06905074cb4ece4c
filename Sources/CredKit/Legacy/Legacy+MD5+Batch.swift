// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.MD5 {
    /// The digests of many messages, sixteen at once: five to ten times as fast as one after the other.
    ///
    /// ```swift
    /// Legacy.MD5.hashes(of: ["a".utf8, "b".utf8]).map { $0.hex }
    /// ```
    ///
    /// The messages may be of any lengths; those of similar lengths make the best use of it.
    ///
    /// - Parameter messages: The messages; arrays, `String.UTF8View`s …
    /// - Returns: A digest for each, in their order.
    @inlinable
    public static func hashes(of messages: some Collection<some Collection<UInt8>>) -> [MessageDigest<16>] {
        MD5Batch().digests(of: messages)
    }

    /// The digests of many messages that stand one behind the other in memory, sixteen at once, allocating nothing.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - ends: The offset behind each message, in ascending order and at most the number of bytes; anything else is
    ///     a programming error and stops the process. The first message begins at 0, each other at the end of the last.
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
