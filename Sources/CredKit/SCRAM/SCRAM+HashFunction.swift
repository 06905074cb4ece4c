// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The hash function of a verifier and its logins.
    public enum HashFunction: String, Sendable, Hashable, CaseIterable {
        /// SHA-1, of the oldest verifiers (RFC 5802). They are verified as password hashes; no login uses them.
        case sha1 = "SHA-1"
        /// SHA-256 ([RFC 7677](https://www.rfc-editor.org/rfc/rfc7677)).
        case sha256 = "SHA-256"
        /// SHA-512. Several programs have it; it is not registered.
        case sha512 = "SHA-512"

        /// The size of a digest and of each key in bytes.
        public var digestByteCount: Int { derivation.digestByteCount }

        var derivation: PBKDF2.Function {
            switch self {
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }

        /// Returns the digest of a key.
        func hash(_ key: Span<UInt8>) -> [UInt8] {
            switch self {
            case .sha1: Array(Legacy.SHA1.hash(secret: key))
            case .sha256: Array(SHA256.hash(secret: key))
            case .sha512: Array(SHA512.hash(secret: key))
            }
        }

        /// Returns the HMAC of a message, which may be as secret as the key.
        func authenticationCode(for message: some Collection<UInt8>, key: Span<UInt8>) -> [UInt8] {
            message.withContiguousSpan { message in
                switch self {
                case .sha1:
                    Array(HMAC<Legacy.SHA1>.authenticationCode(for: message, using: .init(key)))
                case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: .init(key)))
                case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: .init(key)))
                }
            }
        }

        /// Returns the HMAC of a message in guarded memory.
        func secretCode(for message: String, key: Span<UInt8>) throws(SCRAM.Error) -> SecretBytes {
            var code = authenticationCode(for: message.utf8, key: key)
            defer { unsafe code.withUnsafeMutableBufferPointer { unsafe Wiping.wipe($0) } }
            do throws(SecretMemoryError) { return try SecretBytes(code) } catch { throw .outOfMemory }
        }
    }
}
