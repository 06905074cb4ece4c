// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// MD5 ([RFC 1321](https://www.rfc-editor.org/rfc/rfc1321)): 16 bytes.
    ///
    /// ```swift
    /// Legacy.MD5.hash(data: "abc".utf8).hex     // "900150983cd24fb0d6963f7d28e17f72"
    /// ```
    ///
    /// > Warning: Two files with the same MD5 can be made in seconds, with freely chosen beginnings (RFC 6151), so it
    /// > does not protect data against tampering. It is even worse for passwords: a graphics card tries more than
    /// > 10¹⁰ a second. Use SHA-256 for files and Argon2id for passwords.
    public struct MD5: DigestAlgorithm {
        /// `MD5`.
        public static let name = "MD5"
        /// 16.
        public static let digestByteCount = 16
        /// 64.
        public static let blockByteCount = 64

        private var state = MD5State()

        /// Creates a computation for an empty message.
        public init() {}

        /// Appends bytes to the message.
        ///
        /// - Parameter bytes: The next bytes, any number of them.
        public mutating func update(_ bytes: Span<UInt8>) { state.update(bytes) }

        /// Returns the digest of the message so far. More bytes can be appended afterwards.
        ///
        /// - Returns: The digest.
        public func finalize() -> MessageDigest<16> { state.finalize() }

        /// Returns the digest of the message and overwrites the state with zeros. The value must not be used
        /// afterwards.
        ///
        /// - Returns: The digest.
        public mutating func finalizeAndWipe() -> MessageDigest<16> { state.finalizeAndWipe() }

        /// Overwrites the state with zeros. The value must not be used afterwards.
        public mutating func wipe() { state.wipe() }
    }
}

extension Legacy.MD5 {
    /// Returns the digests (RFC 1321) of many messages, computed sixteen at once.
    ///
    /// ```swift
    /// Legacy.MD5.hashes(of: ["a".utf8, "b".utf8]).map { $0.hex }
    /// ```
    ///
    /// With AVX-512 or AVX2, sixteen or more messages of similar lengths take a quarter of the time of single calls.
    /// A single message takes longer than with the function for one.
    ///
    /// > Warning: MD5 is only for existing tables and protocols that use it; see ``Legacy/MD5`` for its weaknesses.
    ///
    /// - Parameter messages: The messages, any number of them; arrays, `String.UTF8View`s …
    /// - Returns: One digest per message, in their order.
    @inlinable
    public static func hashes<Message: Collection<UInt8>>(
        of messages: some Collection<Message>
    ) -> [MessageDigest<16>] {
        MD5Batch().digests(of: messages, by: CollectionAccess<Message>.self)
    }

    /// Computes the digests (RFC 1321) of many messages that are stored contiguously, sixteen at once, without
    /// allocating memory.
    ///
    /// With AVX-512 or AVX2, sixteen or more messages of similar lengths take a fifth to a tenth of the time of
    /// single calls. A single message takes longer than with the function for one.
    ///
    /// > Warning: MD5 is only for existing tables and protocols that use it; see ``Legacy/MD5`` for its weaknesses.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - ends: The end offset of each message. The first message begins at 0, each other at the end of the previous
    ///     one; an empty message ends where it begins. An offset that is smaller than the previous one or larger than
    ///     the number of bytes is a programming error and stops the process.
    ///   - digests: Receives one digest per message, in their order. Its free capacity must be at least the number of
    ///     messages; less is a programming error and stops the process.
    public static func hash(
        _ bytes: Span<UInt8>,
        endingAt ends: Span<Int>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        MD5Batch().hash(bytes, endingAt: ends, into: &digests)
    }
}
