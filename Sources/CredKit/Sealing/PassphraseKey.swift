// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A key from a passphrase, by Argon2id ([RFC 9106](https://www.rfc-editor.org/rfc/rfc9106)) with one lane.
package enum PassphraseKey {
    /// The size of the salts in bytes.
    package static let saltByteCount = Argon2Hash.saltByteCount

    /// Derives a key. The costs must have been checked: from 8 KiB and one pass on.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase.
    ///   - salt: ``saltByteCount`` bytes.
    ///   - memoryKiB: The memory in KiB.
    ///   - passes: The passes over the memory.
    /// - Returns: 32 bytes.
    /// - Throws: ``SealingError/outOfMemory``.
    package static func derive(
        from passphrase: SecretBytes,
        salt: [UInt8],
        memoryKiB: Int,
        passes: Int
    ) throws(SealingError) -> SecretBytes {
        do {
            return try passphrase.withSecretBytes { (passphrase) throws(PasswordError) in
                try Argon2Hash.computeDigest(
                    of: passphrase,
                    salt: salt,
                    memoryKiB: memoryKiB,
                    passes: passes,
                    count: 32
                )
            }
        } catch {
            throw .outOfMemory
        }
    }
}
