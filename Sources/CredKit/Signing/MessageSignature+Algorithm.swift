// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// How signatures are computed. The raw value is the name in the registry of RFC 9421.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        /// HMAC with SHA-256. Everyone who can verify a signature can make one.
        case hmacSHA256 = "hmac-sha256"
        /// EdDSA over the curve edwards25519.
        case ed25519 = "ed25519"
        /// ECDSA over the curve P-256, for verifying.
        case ecdsaP256SHA256 = "ecdsa-p256-sha256"
        /// ECDSA over the curve P-384, for verifying.
        case ecdsaP384SHA384 = "ecdsa-p384-sha384"
        /// RSASSA-PSS with SHA-512 and a salt of 64 bytes, for verifying.
        case rsaPSSSHA512 = "rsa-pss-sha512"
        /// RSASSA-PKCS1-v1_5 with SHA-256, for verifying.
        case rsaPKCS1SHA256 = "rsa-v1_5-sha256"
    }

    /// The minimum length of a key for HMAC, in bytes: 16. Use 32 random bytes.
    public static let minimumHMACKeyByteCount = 16
}
