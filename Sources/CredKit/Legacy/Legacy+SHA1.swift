// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// SHA-1 ([FIPS 180-4](https://csrc.nist.gov/pubs/fips/180-4/upd1/final)): 20 bytes.
    ///
    /// ```swift
    /// Legacy.SHA1.hash(data: "abc".utf8).hex    // "a9993e364706816aba3e25717850c26c9cd0d89d"
    /// ```
    ///
    /// > Warning: Two files with one SHA-1 can be made with freely chosen beginnings for some 10,000 dollars of
    /// > computing (Leurent and Peyrin, 2020), and NIST withdraws it by the end of 2030. For passwords it is as
    /// > fast to guess as MD5. Use SHA-256 for files and Argon2id for passwords.
    public struct SHA1: DigestAlgorithm {
        /// `SHA1`.
        public static let name = "SHA1"
        /// 20.
        public static let digestByteCount = 20
        /// 64.
        public static let blockByteCount = 64

        private var state = SHA1State()

        /// A function that nothing has been fed to.
        public init() {}

        /// Feeds the next bytes of the message.
        ///
        /// - Parameter bytes: The next bytes, any number of them.
        public mutating func update(_ bytes: Span<UInt8>) { state.update(bytes) }

        /// The digest of all that was fed so far. More can be fed afterwards.
        ///
        /// - Returns: The digest.
        public func finalize() -> MessageDigest<20> { state.finalize() }

        /// The digest of all that was fed, leaving a state of zeros. Afterwards the function is of no further
        /// use.
        ///
        /// - Returns: The digest.
        public mutating func finalizeAndWipe() -> MessageDigest<20> { state.finalizeAndWipe() }

        /// Overwrites the state with zeros. Afterwards the function is of no further use.
        public mutating func wipe() { state.wipe() }
    }
}
