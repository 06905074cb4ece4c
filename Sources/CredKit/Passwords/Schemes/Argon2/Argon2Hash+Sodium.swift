// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium
internal import Glibc

extension Argon2Hash {
    /// The size of the salts that libsodium computes with.
    static let saltByteCount = Int(crypto_pwhash_SALTBYTES)

    /// Argon2 with one lane, ``saltByteCount`` bytes of salt, from 8 KiB and a digest of 16 bytes on; Argon2id from one
    /// pass on, Argon2i from three.
    static func computeDigest(
        of password: Span<UInt8>,
        variant: Variant = .argon2id,
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
                    variant == .argon2id ? crypto_pwhash_ALG_ARGON2ID13 : crypto_pwhash_ALG_ARGON2I13
                )
            }
            // Parameters were checked before, so that memory is all that can be missing.
            return status == 0 ? nil : .outOfMemory
        }
    }

    /// Whether this is of the password: any lanes, either variant.
    func verifyWithSodium(_ password: Span<UInt8>) throws(PasswordError) -> Bool {
        BackendCalls.note()
        precondition(sodium_init() >= 0, "libsodium found no source of randomness.")
        let text = description
        let start = ThreadClock.computedSeconds
        let status = unsafe Self.withCharacters(of: password) { characters, length in
            unsafe variant == .argon2id
                ? crypto_pwhash_argon2id_str_verify(text, characters, length)
                : crypto_pwhash_argon2i_str_verify(text, characters, length)
        }
        if status == 0 { return true }
        // libsodium 1.0.18 answers a lack of memory as it does a wrong password, errno included. Only the time tells
        // whether anything was computed: a block of a KiB takes 0.15 µs at the least. For small memory that is too
        // short to tell; whether there is so much is asked then.
        let computed = ThreadClock.computedSeconds - start
        let isComputed =
            memoryKiB >= 4096
            ? computed > Double(memoryKiB) * Double(passes) * 0.05e-6
            : Self.canAllocate(memoryKiB * 1024)
        guard isComputed else { throw .outOfMemory }
        return false
    }

    private static func canAllocate(_ byteCount: Int) -> Bool {
        let memory = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard unsafe memory != MAP_FAILED else { return false }
        unsafe munmap(memory, byteCount)
        return true
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
