// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

extension Ed25519 {
    /// Returns whether bytes are a public key that a private key can belong to: a point of the group in its
    /// only encoding. OpenSSL accepts others; under the neutral one, a signature is valid for every message.
    static func isPublicKey(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == keyByteCount else { return false }
        return unsafe crypto_core_ed25519_is_valid_point(bytes) == 1
    }
}
