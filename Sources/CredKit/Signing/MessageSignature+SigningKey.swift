// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// A key that makes signatures. It is stored in guarded memory, or as states of HMAC that are wiped after use.
    public struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
        private enum Storage {
            case hmac(HMAC<SHA256>.Key)
            case ed25519(Ed25519.PrivateKey)
        }

        private let storage: Storage

        /// The key that verifies the signatures.
        public let verificationKey: VerificationKey

        /// The algorithm.
        public var algorithm: Algorithm { verificationKey.algorithm }

        /// Creates a key for HMAC.
        ///
        /// - Parameter secret: At least 16 bytes, better 32, all of them random.
        /// - Returns: The key.
        /// - Throws: ``Error``, with the code `invalidKey`, if the secret is too short.
        public static func hmacSHA256(_ secret: some SecretInput) throws(Error) -> Self {
            let verificationKey = try VerificationKey.hmacSHA256(secret)
            return Self(storage: .hmac(HMAC<SHA256>.Key(secret)), verificationKey: verificationKey)
        }

        /// Creates a key for Ed25519.
        ///
        /// - Parameter privateKey: The private key as RFC 8032 defines it, 32 bytes.
        /// - Returns: The key.
        /// - Throws: ``Error``, with the code `invalidKey` if there are more or fewer bytes, or `outOfMemory`.
        public static func ed25519(_ privateKey: some SecretInput) throws(Error) -> Self {
            let key: Ed25519.PrivateKey?
            do throws(SecretMemoryError) {
                key = try Ed25519.PrivateKey.expanding(privateKey)
            } catch {
                throw .outOfMemory
            }
            guard let key else { throw .invalidKey("a private key for Ed25519 has 32 bytes") }
            return Self(storage: .ed25519(key), verificationKey: try .ed25519(key.publicKey))
        }

        /// Creates a key for Ed25519.
        ///
        /// - Parameter pem: The private key as PEM (PKCS #8), not encrypted: one object between
        ///   `-----BEGIN PRIVATE KEY-----` and `-----END PRIVATE KEY-----`, with nothing but white space around it.
        /// - Returns: The key.
        /// - Throws: ``Error``, with the code `invalidKey` if this is something else, or `outOfMemory`.
        public static func ed25519(pem: some SecretInput) throws(Error) -> Self {
            let seed: SecretBytes?
            do throws(SecretMemoryError) {
                seed = try Ed25519.privateKey(pem: pem)
            } catch {
                throw .outOfMemory
            }
            guard let seed else {
                throw .invalidKey("this is not an unencrypted private key for Ed25519 in PEM")
            }
            return try ed25519(seed)
        }

        /// Signs bytes.
        ///
        /// - Parameter base: The bytes.
        /// - Returns: The signature.
        /// - Throws: ``Error``, with the code `outOfMemory`.
        public func sign(_ base: Span<UInt8>) throws(Error) -> [UInt8] {
            switch storage {
            case .hmac(let key): return HMAC<SHA256>.authenticationCode(for: base, using: key).bytes
            case .ed25519(let key):
                guard let signature = key.sign(base) else { throw .outOfMemory }
                return signature
            }
        }

        /// Signs bytes.
        ///
        /// - Parameter base: The bytes.
        /// - Returns: The signature.
        /// - Throws: ``Error``, with the code `outOfMemory`.
        @inlinable
        public func sign(_ base: some Collection<UInt8>) throws(Error) -> [UInt8] {
            try base.withContiguousSpan { (base) throws(Error) in try sign(base) }
        }

        /// The algorithm, without the key.
        public var description: String { "‹key for \(algorithm.rawValue)›" }

        /// A mirror without children: dumping a key reveals nothing of it.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
