// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Windows's NT hash: MD4 of the password in UTF-16, the low byte first.
enum NTLM {
    static let weakness = "MD4 without a salt: some 10¹¹ guesses a second, against all users at once"

    /// Computes the digest. Bytes that are not UTF-8, which no password of Windows has, are replaced by U+FFFD.
    static func digest(of password: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        guard password.count > 0 else { return try .copying(MD4.hash(secret: password)) }
        var count = 0
        // A code unit takes at least one byte of UTF-8, or replaces one.
        let text = try unsafe SecretBytes.derived(count: 2 * password.count) { output in
            unsafe password.withUnsafeBufferPointer { password in
                _ = unsafe transcode(
                    password.makeIterator(),
                    from: UTF8.self,
                    to: UTF16.self,
                    stoppingOnError: false
                ) { unit in
                    guard count + 2 <= output.count else { return }
                    unsafe output[count] = UInt8(truncatingIfNeeded: unit)
                    unsafe output[count + 1] = UInt8(truncatingIfNeeded: unit >> 8)
                    count += 2
                }
            }
            return nil
        }
        return try text.withSecretBytes { (text) throws(PasswordError) in
            try .copying(MD4.hash(secret: text.extracting(first: count)))
        }
    }
}
