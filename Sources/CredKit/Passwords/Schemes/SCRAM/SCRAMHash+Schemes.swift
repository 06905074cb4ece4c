// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// SCRAM's verifier with SHA-256 ([RFC 7677](https://www.rfc-editor.org/rfc/rfc7677)), in the forms of PostgreSQL and
    /// Dovecot. To a thief of the table it is PBKDF2, which graphics cards compute fast; for a form over TLS use ``argon2id``.
    ///
    /// Which ``SCRAM/Preparation`` a verifier was made with is not part of its text: verifying tries each of them, and in
    /// Dovecot's form the unchanged bytes too, where they differ.
    ///
    /// > Important: Only a verifier can verify a login by SCRAM. Never replace one with the new hash that verifying returns if
    /// > its user still logs in by SCRAM.
    public static let scramSHA256 = Self("scram-sha-256")

    /// SCRAM's verifier with SHA-512; see ``scramSHA256``.
    public static let scramSHA512 = Self("scram-sha-512")

    /// SCRAM's verifier with SHA-1 ([RFC 5802](https://www.rfc-editor.org/rfc/rfc5802)), of XMPP servers and others. Verified
    /// only; see ``scramSHA256``.
    public static let scramSHA1 = Self("scram-sha-1")

    /// SCRAM's verifier with SHA-256 of a timestamped login's password-equivalent:
    /// ``SCRAM/Verifier/init(passwordEquivalent:hashFunction:iterations:salt:)``. Verifying takes the key of the
    /// password-equivalent, as ``hexHMACMD5`` does.
    public static let layeredScramSHA256 = Self("layered-scram-sha-256")

    /// SCRAM's verifier with SHA-512 of a timestamped login's password-equivalent; see ``layeredScramSHA256``.
    public static let layeredScramSHA512 = Self("layered-scram-sha-512")
}

extension PasswordHash {
    /// The verifier, if the hash is one: such a hash must not be replaced by another scheme's as long as its user logs in by
    /// SCRAM.
    package var scramRecord: SCRAM.Record? { (stored as? SCRAMHash)?.record }

    /// Whether the hash is SCRAM's verifier, of a password or of a password-equivalent.
    package var isSCRAM: Bool { stored is SCRAMHash }
}
