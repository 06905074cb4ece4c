// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// Argon2 ([RFC 9106](https://www.rfc-editor.org/rfc/rfc9106)), version 19, with one lane: derives keys from
/// passwords.
package enum Argon2 {
    /// The way memory is addressed. Argon2id is recommended.
    enum Variant: String, Sendable {
        case argon2id, argon2i
    }

    /// The size in bytes of the salts that libsodium requires.
    package static let saltByteCount = Int(crypto_pwhash_SALTBYTES)

    /// Estimates the time of a computation in seconds, on one core of an AMD EPYC of the 2020s, accurate to a factor of
    /// three.
    package static func estimatedSeconds(memory: MemorySize, passes: Int, lanes: Int = 1) -> Double {
        // Each pass has four slices per lane, each with a cost of its own.
        let secondsPerPass = Double(memory.kibibytes) * 0.42e-6 + Double(lanes) * 16e-6
        return secondsPerPass * Double(passes)
    }

    /// Derives a key with Argon2id. The caller must have checked the costs.
    ///
    /// - Parameters:
    ///   - secret: The password.
    ///   - salt: The salt, ``saltByteCount`` bytes.
    ///   - memory: The memory, at least 8 KiB, in whole KiB.
    ///   - passes: The number of passes over the memory, at least 1.
    ///   - count: The size of the key in bytes, at least 16.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError/outOfMemory``.
    package static func deriveKey(
        from secret: SecretBytes,
        salt: [UInt8],
        memory: MemorySize,
        passes: Int,
        count: Int = 32
    ) throws(KeyDerivationError) -> SecretBytes {
        try secret.withSecretBytes { (secret) throws(KeyDerivationError) in
            try deriveKey(
                from: secret,
                variant: .argon2id,
                salt: salt,
                memory: memory,
                passes: passes,
                count: count
            )
        }
    }

    /// Derives a key. Argon2id requires at least one pass, Argon2i at least three.
    static func deriveKey(
        from password: Span<UInt8>,
        variant: Variant,
        salt: [UInt8],
        memory: MemorySize,
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
                    memory.bytes,
                    variant == .argon2id ? crypto_pwhash_ALG_ARGON2ID13 : crypto_pwhash_ALG_ARGON2I13
                )
            }
            // The parameters have been checked, so a failure can only mean that there is not enough memory.
            return status == 0 ? nil : .outOfMemory
        }
    }
}
