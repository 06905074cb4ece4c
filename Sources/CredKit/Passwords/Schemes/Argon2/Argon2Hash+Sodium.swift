// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CCredKitSodium
internal import Glibc

extension Argon2Hash {
    /// Verifies a password with libsodium, which supports any number of lanes and both variants.
    func verifyWithSodium(_ password: Span<UInt8>) throws(PasswordError) -> Bool {
        BackendCalls.note()
        precondition(sodium_init() >= 0, "libsodium found no source of randomness.")
        let text = phcText
        let start = ThreadClock.computedSeconds
        let status = unsafe SodiumText.withCharacters(of: password) { characters, length in
            unsafe variant == .argon2id
                ? crypto_pwhash_argon2id_str_verify(text, characters, length)
                : crypto_pwhash_argon2i_str_verify(text, characters, length)
        }
        if status == 0 { return true }
        // libsodium 1.0.18 reports a lack of memory like a wrong password, errno included. Only the time shows
        // whether anything was computed: a block of 1 KiB takes at least 0.15 µs. For small memory the time is too
        // short to measure, so a test allocation shows whether enough memory is available.
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
}
