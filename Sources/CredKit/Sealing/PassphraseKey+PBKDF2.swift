// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PassphraseKey {
    /// A key by PBKDF2 with HMAC-SHA256 ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018#section-5.2)), to read what
    /// other programs have written. The number of iterations must have been checked.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase.
    ///   - salt: The salt.
    ///   - iterations: The number of iterations, at least 1.
    ///   - count: The number of bytes, at least 1.
    /// - Returns: The key.
    /// - Throws: ``SealingError/outOfMemory``.
    package static func derive(
        from passphrase: SecretBytes,
        salt: [UInt8],
        iterations: Int,
        count: Int
    ) throws(SealingError) -> SecretBytes {
        do {
            return try passphrase.withSecretBytes { (passphrase) throws(PasswordError) in
                try PBKDF2Hash.computeDigest(
                    of: passphrase,
                    salt: salt,
                    function: .sha256,
                    iterations: iterations,
                    count: count
                )
            }
        } catch {
            throw .outOfMemory
        }
    }
}
