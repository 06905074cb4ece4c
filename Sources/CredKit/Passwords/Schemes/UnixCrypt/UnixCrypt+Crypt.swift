// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCrypt
internal import Glibc

/// crypt(3), as libxcrypt has it, over memory of its own: the 32 KiB that a call works in hold the password and
/// what is derived from it, so they are zeroed before and wiped afterwards.
enum UnixCrypt {
    /// The longest password that libxcrypt takes, in bytes.
    static let longestPassword = Int(CRYPT_MAX_PASSPHRASE_SIZE) - 1

    /// The hash string for a password of at most ``longestPassword`` bytes, no NUL among them. Of the setting, what
    /// stands behind scheme, costs and salt is ignored.
    static func hash(_ password: Span<UInt8>, setting: String) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        let scratchSize = Int(credkit_crypt_data_size())
        let size = scratchSize + password.count + 1
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size)
        unsafe memory.initialize(repeating: 0)
        defer {
            unsafe Wiping.wipe(memory)
            unsafe memory.deallocate()
        }
        for index in password.indices { unsafe memory[scratchSize + index] = password[index] }
        guard let scratch = memory.baseAddress else { throw .outOfMemory }
        let phrase = unsafe UnsafeRawPointer(scratch + scratchSize).assumingMemoryBound(to: CChar.self)
        guard let text = unsafe credkit_crypt(phrase, setting, scratch) else {
            throw errno == ENOMEM ? .outOfMemory : .backendFailed("libxcrypt does not compute this hash")
        }
        let length = unsafe strlen(text)
        guard length > 0 else { throw .backendFailed("libxcrypt does not compute this hash") }
        return try unsafe .derived(count: length) { output in
            for index in 0..<length { unsafe output[index] = UInt8(bitPattern: text[index]) }
            return nil
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
