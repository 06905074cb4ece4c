// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Remembers which password a server has rejected, so that it is not tried again until it changes, without keeping it.
struct RejectedPassword: Sendable {
    /// Random, and in no other process: the code is of no use to anybody else.
    private let key: SecretBytes
    private let code: MessageDigest<32>

    init(_ password: SecretBytes) throws(LoginError) {
        do throws(SecretMemoryError) {
            key = try SecretBytes(randomByteCount: 32)
        } catch {
            throw .outOfMemory
        }
        code = Self.code(of: password, key: key)
    }

    /// Whether it is the same password. Comparing takes the same time wherever two differ.
    func isSame(as password: SecretBytes) -> Bool { code == Self.code(of: password, key: key) }

    private static func code(of password: SecretBytes, key: SecretBytes) -> MessageDigest<32> {
        var code = HMAC<SHA256>(key: HMAC<SHA256>.Key(key))
        password.withSecretBytes { code.update($0) }
        return code.finalizeAndWipe()
    }
}
