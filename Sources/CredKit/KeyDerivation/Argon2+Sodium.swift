// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// Argon2 ([RFC 9106](https://www.rfc-editor.org/rfc/rfc9106)), version 19, with one lane: keys from passwords.
package enum Argon2 {
    /// How memory is addressed. Argon2id is the recommended one.
    enum Variant: String, Sendable {
        case argon2id, argon2i
    }

    /// The size of the salts that libsodium computes with, in bytes.
    package static let saltByteCount = Int(crypto_pwhash_SALTBYTES)

    /// Derive a key by Argon2id. The costs must have been checked.
    ///
    /// - Parameters:
    ///   - secret: The password.
    ///   - salt: ``saltByteCount`` bytes.
    ///   - memoryKiB: The memory in KiB, from 8 on.
    ///   - passes: The passes over the memory, from 1 on.
    ///   - count: The size of the key in bytes, from 16 on.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError/outOfMemory``.
    package static func deriveKey(
        from secret: SecretBytes,
        salt: [UInt8],
        memoryKiB: Int,
        passes: Int,
        count: Int = 32
    ) throws(KeyDerivationError) -> SecretBytes {
        try secret.withSecretBytes { (secret) throws(KeyDerivationError) in
            try deriveKey(
                from: secret,
                variant: .argon2id,
                salt: salt,
                memoryKiB: memoryKiB,
                passes: passes,
                count: count
            )
        }
    }

    /// Derive a key: Argon2id from one pass on, Argon2i from three.
    static func deriveKey(
        from password: Span<UInt8>,
        variant: Variant,
        salt: [UInt8],
        memoryKiB: Int,
        passes: Int,
        count: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        BackendCalls.note()
        precondition(sodium_init() >= 0, "libsodium found no source of randomness.")
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { digest in
            guard let target = digest.baseAddress else { return .outOfMemory }
            let status = unsafe SodiumText.withCharacters(of: password) { characters, length in
                unsafe crypto_pwhash(
                    target,
                    UInt64(digest.count),
                    characters,
                    length,
                    salt,
                    UInt64(passes),
                    memoryKiB * 1024,
                    variant == .argon2id ? crypto_pwhash_ALG_ARGON2ID13 : crypto_pwhash_ALG_ARGON2I13
                )
            }
            // Parameters were checked before, so that memory is all that can be missing.
            return status == 0 ? nil : .outOfMemory
        }
    }
}
