// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// ECDSA on the curve P-256 with SHA-256, `ES256` of [RFC 7518](https://www.rfc-editor.org/rfc/rfc7518#section-3.4), with
/// private keys in guarded memory.
///
/// OpenSSL gets a copy of the key for each signature, and wipes it afterwards.
package enum P256 {
    private static let keyByteCount = 32
    private static let pointByteCount = 65
    private static let signatureByteCount = 64

    /// A private key.
    package struct PrivateKey: Sendable {
        /// The private number, 32 bytes, the most significant byte first.
        package let bytes: SecretBytes

        /// The public key: the byte 4, and both coordinates with 32 bytes each.
        package let publicKey: [UInt8]

        /// Restores a key; `nil` if this is no private key.
        ///
        /// - Parameter bytes: The private number.
        package init?(_ bytes: SecretBytes) {
            guard bytes.count == keyByteCount else { return nil }
            var point = [UInt8](repeating: 0, count: pointByteCount)
            let isKey = bytes.withSecretBytes { key in
                unsafe key.withUnsafeBufferPointer { key in
                    guard let key = key.baseAddress else { return false }
                    return unsafe credkit_p256_public_key(key, &point) == 1
                }
            }
            _ = OpenSSLErrors.takeReason()
            guard isKey else { return nil }
            self.bytes = bytes
            publicKey = point
        }

        /// Makes a key.
        ///
        /// - Returns: The key; `nil` if OpenSSL has no memory left.
        /// - Throws: ``SecretMemoryError`` if there is no guarded memory left.
        package static func random() throws(SecretMemoryError) -> PrivateKey? {
            // One of 2³² numbers is too large.
            for _ in 0..<3 {
                if let key = PrivateKey(try SecretBytes(randomByteCount: keyByteCount)) { return key }
            }
            return nil
        }

        /// Signs a message.
        ///
        /// - Parameter message: The message, which is hashed with SHA-256.
        /// - Returns: r and s with 32 bytes each, as JWS and RFC 9421 have them; `nil` if OpenSSL has no memory left.
        package func sign(_ message: Span<UInt8>) -> [UInt8]? {
            var signature = [UInt8](repeating: 0, count: signatureByteCount)
            let isSigned = bytes.withSecretBytes { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe message.withUnsafeBufferPointer { message in
                        guard let key = key.baseAddress else { return false }
                        return unsafe credkit_p256_sign(
                            key,
                            publicKey,
                            message.baseAddress,
                            message.count,
                            &signature
                        ) == 1
                    }
                }
            }
            _ = OpenSSLErrors.takeReason()
            return isSigned ? signature : nil
        }
    }
}
