// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// Stream ciphers, which encrypt and decrypt in the same way.
///
/// They only read data of other programs. CredKit itself seals with ``AESGCM``.
package enum StreamCipher: Sendable {
    /// [Salsa20](https://cr.yp.to/snuffle/spec.pdf) with a nonce of 8 bytes.
    case salsa20
    /// ChaCha20 ([RFC 8439](https://www.rfc-editor.org/rfc/rfc8439#section-2.4)) with a nonce of 12 bytes, from block 0 on.
    case chacha20

    /// The size of a key in bytes.
    package static let keyByteCount = 32

    /// The size of a nonce in bytes.
    package var nonceByteCount: Int {
        switch self {
        case .salsa20: 8
        case .chacha20: 12
        }
    }

    /// Decrypts. The caller must have authenticated the bytes before: decryption does not detect forgeries.
    ///
    /// - Parameters:
    ///   - encrypted: The encrypted bytes, at least 1.
    ///   - key: The key, 32 bytes.
    ///   - nonce: The nonce, ``nonceByteCount`` bytes.
    /// - Returns: As many bytes.
    /// - Throws: ``CipherError``; ``CipherError/notAuthentic`` if there are no bytes.
    package func open(
        _ encrypted: Span<UInt8>,
        key: SecretBytes,
        nonce: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        precondition(
            key.count == Self.keyByteCount && nonce.count == nonceByteCount,
            "The key or the nonce has the wrong size."
        )
        precondition(sodium_init() >= 0, "libsodium found no source of randomness.")
        guard encrypted.count > 0 else { throw .notAuthentic }
        return try unsafe .plaintext(capacity: encrypted.count) { output in
            guard let target = output.baseAddress else { return nil }
            let status: Int32 = key.withSecretBytes { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe encrypted.withUnsafeBufferPointer { encrypted in
                        guard let source = encrypted.baseAddress, let key = key.baseAddress else { return -1 }
                        let count = UInt64(encrypted.count)
                        switch self {
                        case .salsa20:
                            return unsafe crypto_stream_salsa20_xor(target, source, count, nonce, key)
                        case .chacha20:
                            return unsafe crypto_stream_chacha20_ietf_xor(target, source, count, nonce, key)
                        }
                    }
                }
            }
            return status == 0 ? encrypted.count : nil
        }
    }
}
