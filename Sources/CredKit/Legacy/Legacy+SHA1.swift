// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// SHA-1 ([FIPS 180-4](https://csrc.nist.gov/pubs/fips/180-4/upd1/final)): 20 bytes.
    ///
    /// ```swift
    /// Legacy.SHA1.hash(data: "abc".utf8).hex    // "a9993e364706816aba3e25717850c26c9cd0d89d"
    /// ```
    ///
    /// > Warning: Two files with the same SHA-1 can be made with freely chosen beginnings for some 10,000 dollars of
    /// > computing (Leurent and Peyrin, 2020), and NIST will withdraw SHA-1 by the end of 2030. Passwords are as fast
    /// > to guess as with MD5. Use SHA-256 for files and Argon2id for passwords.
    public struct SHA1: DigestAlgorithm {
        /// `SHA1`.
        public static let name = "SHA1"
        /// 20.
        public static let digestByteCount = 20
        /// 64.
        public static let blockByteCount = 64

        private var state = SHA1State()

        /// Creates a computation for an empty message.
        public init() {}

        /// Appends bytes to the message.
        ///
        /// - Parameter bytes: The next bytes, any number of them.
        public mutating func update(_ bytes: Span<UInt8>) { state.update(bytes) }

        /// Returns the digest of the message so far. More bytes can be appended afterwards.
        ///
        /// - Returns: The digest.
        public func finalize() -> MessageDigest<20> { state.finalize() }

        /// Returns the digest of the message and overwrites the state with zeros. The value must not be used
        /// afterwards.
        ///
        /// - Returns: The digest.
        public mutating func finalizeAndWipe() -> MessageDigest<20> { state.finalizeAndWipe() }

        /// Overwrites the state with zeros. The value must not be used afterwards.
        public mutating func wipe() { state.wipe() }
    }
}
