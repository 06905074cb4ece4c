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
