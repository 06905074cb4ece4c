// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// Creates a secret of exactly `count` bytes, at least 1, that `body` fills in, or throws the error that `body`
    /// returns.
    static func derived(
        count: Int,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> PasswordError?
    ) throws(PasswordError) -> SecretBytes {
        try unsafe filled(count: count, outOfMemory: PasswordError.outOfMemory, body)
    }

    /// Copies a digest into a secret.
    static func copying(_ digest: some Collection<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe derived(count: digest.count) { output in
            for (index, byte) in digest.enumerated() { unsafe output[index] = byte }
            return nil
        }
    }

    /// Copies bytes into a secret.
    static func copying(_ bytes: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe derived(count: bytes.count) { output in
            for index in bytes.indices { unsafe output[index] = bytes[index] }
            return nil
        }
    }
}
