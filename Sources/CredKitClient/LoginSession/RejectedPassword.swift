// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Remembers which password a server has rejected, so that it is not tried again until it changes, without keeping it.
struct RejectedPassword: Sendable {
    /// Random: without it the code is of no use to anybody.
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

    /// Takes up what ``stored`` gave; `nil` for anything else.
    init?(stored: [UInt8]) {
        guard stored.count == 64, let key = try? SecretBytes(Array(stored.prefix(32))),
            let code = MessageDigest<32>(bytes: stored.suffix(32))
        else { return nil }
        self.key = key
        self.code = code
    }

    /// Key and code, to be kept where the password is as well protected: sealed.
    var stored: [UInt8] { key.withSecretBytes { key in key.indices.map { key[$0] } } + code.bytes }

    /// Whether it is the same password. Comparing takes the same time wherever two differ.
    func isSame(as password: SecretBytes) -> Bool { code == Self.code(of: password, key: key) }

    private static func code(of password: SecretBytes, key: SecretBytes) -> MessageDigest<32> {
        var code = HMAC<SHA256>(key: HMAC<SHA256>.Key(key))
        password.withSecretBytes { code.update($0) }
        return code.finalizeAndWipe()
    }
}
