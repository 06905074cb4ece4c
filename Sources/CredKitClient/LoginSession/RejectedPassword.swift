// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Recognizes a password that the server has rejected, so that it is not tried again until it changes. The
/// password itself is not stored.
struct RejectedPassword: Sendable {
    /// Random. The code is useless without it.
    private let key: SecretBytes
    private let code: MessageDigest<32>

    init(_ password: SecretBytes) throws(ClientError) {
        do throws(SecretMemoryError) {
            key = try SecretBytes(randomByteCount: 32)
        } catch {
            throw .outOfMemory
        }
        code = Self.code(of: password, key: key)
    }

    /// Restores the value of ``stored``; `nil` if it is malformed.
    init?(stored: [UInt8]) {
        guard stored.count == 64, let key = try? SecretBytes(Array(stored.prefix(32))),
            let code = MessageDigest<32>(bytes: stored.suffix(32))
        else { return nil }
        self.key = key
        self.code = code
    }

    /// Key and code, to be stored only where the password could be stored: encrypted.
    var stored: [UInt8] { key.withSecretBytes { key in key.indices.map { key[$0] } } + code.bytes }

    /// Whether it is the same password. The comparison takes constant time.
    func isSame(as password: SecretBytes) -> Bool { code == Self.code(of: password, key: key) }

    private static func code(of password: SecretBytes, key: SecretBytes) -> MessageDigest<32> {
        var code = HMAC<SHA256>(key: HMAC<SHA256>.Key(key))
        password.withSecretBytes { code.update($0) }
        return code.finalizeAndWipe()
    }
}
