// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// The algorithm of a credential's signatures. Raw values are the numbers of
    /// [COSE](https://www.iana.org/assignments/cose/cose.xhtml#algorithms).
    public enum Algorithm: Int, Sendable, Hashable, CaseIterable {
        /// ECDSA over the curve P-256 with SHA-256. All authenticators have it.
        case es256 = -7
        /// EdDSA over the curve edwards25519.
        case edDSA = -8
        /// ECDSA over the curve P-384 with SHA-384.
        case es384 = -35
        /// RSASSA-PKCS1-v1_5 with SHA-256 and 2,048 to 16,384 bits, which Windows needs.
        case rs256 = -257

        /// What to offer to authenticators, the preferred one first: ES256, EdDSA and RS256.
        public static let offered: [Algorithm] = [.es256, .edDSA, .rs256]
    }
}
