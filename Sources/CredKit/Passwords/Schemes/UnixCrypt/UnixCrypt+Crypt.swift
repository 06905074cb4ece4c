// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCrypt
internal import Glibc

/// crypt(3), as libxcrypt has it, over memory of its own: the 32 KiB that a call works in hold the password and
/// what is derived from it, so they are a secret too: zeroed before, guarded, and wiped afterwards.
enum UnixCrypt {
    /// The longest password that libxcrypt takes, in bytes.
    static let longestPassword = Int(CRYPT_MAX_PASSPHRASE_SIZE) - 1

    /// The hash string for a password of at most ``longestPassword`` bytes, no NUL among them. Of the setting, what
    /// stands behind scheme, costs and salt is ignored.
    static func hash(_ password: Span<UInt8>, setting: String) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        // What libxcrypt works in, and behind that the password as a C string.
        let scratchSize = Int(credkit_crypt_data_size())
        var length = 0
        let memory = try unsafe SecretBytes.derived(count: scratchSize + longestPassword + 1) { memory in
            guard let scratch = memory.baseAddress, password.count <= longestPassword else {
                return .passwordTooLong
            }
            for index in password.indices { unsafe memory[scratchSize + index] = password[index] }
            let phrase = unsafe UnsafeRawPointer(scratch + scratchSize).assumingMemoryBound(to: CChar.self)
            guard let text = unsafe credkit_crypt(phrase, setting, scratch) else {
                return errno == ENOMEM ? .outOfMemory : .backendFailed("libxcrypt does not compute this hash")
            }
            length = unsafe strlen(text)
            // Where the answer stands in the scratch memory is libxcrypt's business. Moved to the front, it is ours.
            unsafe memmove(scratch, text, length)
            return length > 0 ? nil : .backendFailed("libxcrypt does not compute this hash")
        }
        return try memory.withSecretBytes { (memory) throws(PasswordError) in
            try .copying(memory.extracting(first: length))
        }
    }

    /// A new setting with a random salt, for a scheme by its prefix (`$2b$`) and its cost.
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
        guard isMade else { throw .backendFailed("libxcrypt makes no salt for this scheme and cost") }
        return String(decoding: output.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
