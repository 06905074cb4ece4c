// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCrypt
internal import Glibc

/// crypt(3) as implemented by libxcrypt, in memory provided by CredKit. The 32 KiB of working memory of a call
/// contain the password and values derived from it. They are therefore guarded memory that is zeroed before the call
/// and wiped afterwards.
enum UnixCrypt {
    /// The longest password that libxcrypt accepts, in bytes: 511.
    static let longestPassword = Int(CRYPT_MAX_PASSPHRASE_SIZE) - 1

    /// Throws for a password that crypt(3), which reads a C string, would truncate or not accept. bcrypt's limit of 72
    /// bytes is another one: see ``SchemeParameters/longestCString``.
    static func checkFitsCrypt(_ password: Span<UInt8>) throws(PasswordError) {
        guard password.count <= longestPassword else {
            throw .passwordTooLong(
                "the password is too long: the schemes of crypt(3) accept at most \(longestPassword) bytes"
            )
        }
        guard password.indices.allSatisfy({ password[$0] != 0 }) else { throw .passwordContainsNUL }
    }

    /// Returns the hash string for a password of at most ``longestPassword`` bytes without a NUL. The part of the
    /// setting behind scheme, costs and salt is ignored.
    static func hash(_ password: Span<UInt8>, setting: String) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        // The working memory of libxcrypt, followed by the password as a C string.
        let scratchSize = Int(credkit_crypt_data_size())
        var length = 0
        let memory = try unsafe SecretBytes.derived(count: scratchSize + longestPassword + 1) { memory in
            guard let scratch = memory.baseAddress, password.count <= longestPassword else {
                return .passwordTooLong
            }
            for index in password.indices { unsafe memory[scratchSize + index] = password[index] }
            let phrase = unsafe UnsafeRawPointer(scratch + scratchSize).assumingMemoryBound(to: CChar.self)
            guard let text = unsafe credkit_crypt(phrase, setting, scratch) else {
                return errno == ENOMEM ? .outOfMemory : .backendFailed("libxcrypt cannot compute this hash")
            }
            length = unsafe strlen(text)
            // The position of the result in the working memory is internal to libxcrypt, so the result is moved to
            // the front.
            unsafe memmove(scratch, text, length)
            return length > 0 ? nil : .backendFailed("libxcrypt cannot compute this hash")
        }
        return try memory.withSecretBytes { (memory) throws(PasswordError) in
            try .copying(memory.extracting(first: length))
        }
    }

    /// Makes a new setting with a random salt for a scheme, given by its prefix (`$2b$`), and a cost.
    static func makeSetting(prefix: String, cost: Int) throws(PasswordError) -> String {
        let salt = SecureRandom.bytes(count: 16)
        var output = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        let size = Int32(output.count)
        let isMade = unsafe salt.withUnsafeBufferPointer { salt in
            unsafe salt.withMemoryRebound(to: CChar.self) { salt in
                unsafe crypt_gensalt_rn(
                    prefix,
                    UInt(cost),
                    salt.baseAddress,
                    Int32(salt.count),
                    &output,
                    size
                ) != nil
            }
        }
        guard isMade else { throw .backendFailed("libxcrypt cannot make a salt for this scheme and cost") }
        return String(decoding: output.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
