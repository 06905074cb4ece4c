// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// A key that verifies signatures. It determines the algorithm, whatever a message says.
    public struct VerificationKey: Sendable, CustomStringConvertible, CustomReflectable {
        private enum Storage {
            case hmac(HMAC<SHA256>.Key)
            case publicKey(PublicKey)
        }

        private let storage: Storage

        /// The algorithm.
        public let algorithm: Algorithm

        /// Creates a key for HMAC.
        ///
        /// - Parameter secret: At least 16 bytes, better 32, all of them random.
        /// - Returns: The key.
        /// - Throws: ``Error``, with the code `invalidKey`, if the secret is too short.
        public static func hmacSHA256(_ secret: some SecretInput) throws(Error) -> Self {
            let isLongEnough = secret.withSecretBytes { $0.count >= minimumHMACKeyByteCount }
            guard isLongEnough else {
                throw .invalidKey("a key for HMAC needs at least \(minimumHMACKeyByteCount) bytes")
            }
            return Self(storage: .hmac(HMAC<SHA256>.Key(secret)), algorithm: .hmacSHA256)
        }

        /// Creates a key for Ed25519.
        ///
        /// - Parameter publicKey: The public key as RFC 8032 defines it, 32 bytes.
        /// - Returns: The key.
        /// - Throws: ``Error``, with the code `invalidKey`, if there are more or fewer bytes, or if no private key can belong
        ///   to them.
        public static func ed25519(_ publicKey: [UInt8]) throws(Error) -> Self {
            guard publicKey.count == Ed25519.keyByteCount else {
                throw .invalidKey("a public key for Ed25519 has 32 bytes")
            }
            guard Ed25519.isPublicKey(publicKey), let key = PublicKey(ed25519: publicKey) else {
                throw .invalidKey("no private key can belong to this public key for Ed25519")
            }
            return Self(storage: .publicKey(key), algorithm: .ed25519)
        }

        /// Creates a key for any algorithm but HMAC.
        ///
        /// - Parameters:
        ///   - pem: The public key as PEM (SubjectPublicKeyInfo): one object between `-----BEGIN PUBLIC KEY-----` and
        ///     `-----END PUBLIC KEY-----`, with nothing but white space around it.
        ///   - algorithm: The algorithm.
        /// - Returns: The key.
        /// - Throws: ``Error``, with the code `invalidKey`, if this is no public key, or if it is not for the algorithm: a
        ///   key for Ed25519 that a private key can belong to, on the curve of the algorithm, or for RSA with 2,048 to 16,384
        ///   bits and an odd exponent from 3 to 64 bits. A key that is only for RSASSA-PSS may restrict the algorithm's parameters,
        ///   but not to others.
        public static func publicKey(pem: String, algorithm: Algorithm) throws(Error) -> Self {
            guard algorithm != .hmacSHA256 else { throw .invalidKey("a key for HMAC is not public") }
            guard let key = PublicKey(pem: pem) else { throw .invalidKey("this is no public key in PEM") }
            guard key.isUsable(for: algorithm) else {
                throw .invalidKey("the key cannot be used for \(algorithm.rawValue)")
            }
            return Self(storage: .publicKey(key), algorithm: algorithm)
        }

        /// Verifies a signature of bytes.
        ///
        /// - Parameters:
        ///   - signature: The signature.
        ///   - base: The bytes.
        /// - Returns: Whether the signature was made of these bytes with the key that belongs to this one.
        public func isValid(_ signature: Span<UInt8>, of base: Span<UInt8>) -> Bool {
            switch storage {
            case .hmac(let key):
                let code = HMAC<SHA256>.authenticationCode(for: base, using: key)
                return code.withContiguousSpan { ConstantTime.areEqual($0, signature) }
            case .publicKey(let key):
                return key.isValid(signature, of: base, algorithm: algorithm)
            }
        }

        /// Verifies a signature of bytes.
        ///
        /// - Parameters:
        ///   - signature: The signature.
        ///   - base: The bytes.
        /// - Returns: Whether the signature was made of these bytes with the key that belongs to this one.
        @inlinable
        public func isValid(_ signature: some Collection<UInt8>, of base: some Collection<UInt8>) -> Bool {
            signature.withContiguousSpan { signature in
                base.withContiguousSpan { base in isValid(signature, of: base) }
            }
        }

        /// The algorithm, without the key.
        public var description: String { "‹key for \(algorithm.rawValue)›" }

        /// A mirror without children: dumping a key reveals nothing of it.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
