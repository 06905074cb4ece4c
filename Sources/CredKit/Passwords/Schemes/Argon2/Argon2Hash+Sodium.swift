// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium
internal import Glibc

extension Argon2Hash {
    /// The size of the salts that libsodium computes with.
    static let saltByteCount = Int(crypto_pwhash_SALTBYTES)

    /// Argon2id with one lane, ``saltByteCount`` bytes of salt, from 8 KiB, one pass and a digest of 16 bytes on.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        memoryKiB: Int,
        passes: Int,
        count: Int
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        precondition(sodium_init() >= 0, "libsodium found no source of randomness.")
        return try unsafe .derived(count: count) { digest in
            guard let target = digest.baseAddress else { return .outOfMemory }
            let status = unsafe withCharacters(of: password) { characters, length in
                unsafe crypto_pwhash(
                    target,
                    UInt64(digest.count),
                    characters,
                    length,
                    salt,
                    UInt64(passes),
                    memoryKiB * 1024,
                    crypto_pwhash_ALG_ARGON2ID13
                )
            }
            // Parameters were checked before, so that memory is all that can be missing.
            return status == 0 ? nil : .outOfMemory
        }
    }

    /// Whether a text, which was read and found well-formed, is of the password: any lanes, either variant.
    static func verify(_ password: Span<UInt8>, against text: String) throws(PasswordError) -> Bool {
        BackendCalls.note()
        precondition(sodium_init() >= 0, "libsodium found no source of randomness.")
        let isArgon2id = text.hasPrefix("$argon2id$")
        let (status, trouble) = unsafe withCharacters(of: password) { characters, length in
            // The one thing that tells a wrong password from a lack of memory.
            errno = 0
            let status =
                unsafe isArgon2id
                ? crypto_pwhash_argon2id_str_verify(text, characters, length)
                : crypto_pwhash_argon2i_str_verify(text, characters, length)
            return (status, errno)
        }
        if status == 0 { return true }
        guard trouble == EINVAL else {
            throw trouble == ENOMEM ? .outOfMemory : .backendFailed("libsodium could not check this hash")
        }
        return false
    }

    /// libsodium wants a pointer even to nothing.
    private static func withCharacters<Result>(
        of password: Span<UInt8>,
        _ body: (UnsafePointer<CChar>, UInt64) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: CChar(0)) { nothing in
            unsafe password.withUnsafeBytes { bytes in
                unsafe body(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nothing,
                    UInt64(bytes.count)
                )
            }
        }
    }
}
