// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// MD5 ([RFC 1321](https://www.rfc-editor.org/rfc/rfc1321)): 16 bytes.
    ///
    /// ```swift
    /// Legacy.MD5.hash(data: "abc".utf8).hex     // "900150983cd24fb0d6963f7d28e17f72"
    /// ```
    ///
    /// > Warning: Two files with one MD5 are made in seconds, with freely chosen beginnings (RFC 6151), so it
    /// > vouches for nothing that somebody may have tampered with. For passwords it is hopeless besides: a
    /// > graphics card tries more than 10¹⁰ a second. Use SHA-256 for files and Argon2id for passwords.
    public struct MD5: DigestAlgorithm {
        /// `MD5`.
        public static let name = "MD5"
        /// 16.
        public static let digestByteCount = 16
        /// 64.
        public static let blockByteCount = 64

        private var state = MD5State()

        /// A function that nothing has been fed to.
        public init() {}

        /// Feeds the next bytes of the message.
        ///
        /// - Parameter bytes: The next bytes, any number of them.
        public mutating func update(_ bytes: Span<UInt8>) { state.update(bytes) }

        /// The digest of all that was fed so far. More can be fed afterwards.
        ///
        /// - Returns: The digest.
        public func finalize() -> MessageDigest<16> { state.finalize() }

        /// The digest of all that was fed, leaving a state of zeros. Afterwards the function is of no further
        /// use.
        ///
        /// - Returns: The digest.
        public mutating func finalizeAndWipe() -> MessageDigest<16> { state.finalizeAndWipe() }

        /// Overwrites the state with zeros. Afterwards the function is of no further use.
        public mutating func wipe() { state.wipe() }
    }
}
