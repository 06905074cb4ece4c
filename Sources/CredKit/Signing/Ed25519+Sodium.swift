// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// Ed25519 ([RFC 8032](https://www.rfc-editor.org/rfc/rfc8032)) with private keys in guarded memory.
///
/// libsodium signs with a key in place. OpenSSL would need a copy on the heap, and with each copy it computes the public
/// key again, which doubles the time of a signature.
package enum Ed25519 {
    /// The length of a private and of a public key, in bytes.
    static let keyByteCount = 32
    private static let signatureByteCount = 64

    /// A private key, expanded for signing.
    package struct PrivateKey: Sendable {
        /// The private key as RFC 8032 defines it, followed by the public key.
        private let bytes: SecretBytes
        package let publicKey: [UInt8]

        /// Expands a private key.
        ///
        /// - Parameter seed: The private key as RFC 8032 defines it.
        /// - Returns: The key; `nil` if there are not 32 bytes.
        /// - Throws: ``SecretMemoryError`` if there is no guarded memory left.
        package static func expanding(_ seed: some SecretInput) throws(SecretMemoryError) -> PrivateKey? {
            try seed.withSecretBytes { (seed) throws(SecretMemoryError) in
                guard seed.count == keyByteCount else { return nil }
                var publicKey = [UInt8](repeating: 0, count: keyByteCount)
                let bytes = try SecretBytes(capacity: 2 * keyByteCount) { output in
                    unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                        unsafe seed.withUnsafeBufferPointer { seed in
                            guard let seed = seed.baseAddress, let base = buffer.baseAddress else { return }
                            guard unsafe crypto_sign_seed_keypair(&publicKey, base, seed) == 0 else { return }
                            initializedCount = 2 * keyByteCount
                        }
                    }
                }
                guard bytes.count == 2 * keyByteCount else { return nil }
                return PrivateKey(bytes: bytes, publicKey: publicKey)
            }
        }

        /// Signs bytes; `nil` if libsodium refuses to.
        package func sign(_ message: Span<UInt8>) -> [UInt8]? {
            var signature = [UInt8](repeating: 0, count: signatureByteCount)
            let status = bytes.withSecretBytes { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe message.withUnsafeBufferPointer { message in
                        guard let key = key.baseAddress else { return Int32(-1) }
                        return unsafe crypto_sign_detached(
                            &signature,
                            nil,
                            message.baseAddress,
                            UInt64(message.count),
                            key
                        )
                    }
                }
            }
            return status == 0 ? signature : nil
        }
    }

    /// Returns whether bytes are a public key that a private key can belong to: a point of the group in its
    /// only encoding. OpenSSL accepts others; under the neutral one, a signature is valid for every message.
    static func isPublicKey(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == keyByteCount else { return false }
        return unsafe crypto_core_ed25519_is_valid_point(bytes) == 1
    }

    /// Returns whether a signature is valid under a public key. libsodium also refuses one whose point has a small order, which no
    /// signer makes.
    static func isValid(_ signature: [UInt8], of message: Span<UInt8>, under publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureByteCount, publicKey.count == keyByteCount else { return false }
        return unsafe message.withUnsafeBufferPointer { message in
            unsafe crypto_sign_verify_detached(
                signature,
                message.baseAddress,
                UInt64(message.count),
                publicKey
            ) == 0
        }
    }
}
