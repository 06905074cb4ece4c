// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// A secret of exactly `count` bytes, more than 0, that `body` fills in; or what it says is the reason that it
    /// cannot.
    static func derived(
        count: Int,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> PasswordError?
    ) throws(PasswordError) -> SecretBytes {
        try unsafe filled(count: count, outOfMemory: PasswordError.outOfMemory, body)
    }

    /// The bytes in an ordinary array: for digests that go into a table anyway.
    var copiedBytes: [UInt8] { withSecretBytes { bytes in bytes.indices.map { bytes[$0] } } }

    /// A secret with the bytes of a digest.
    static func copying(_ digest: some Collection<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe derived(count: digest.count) { output in
            for (index, byte) in digest.enumerated() { unsafe output[index] = byte }
            return nil
        }
    }

    /// A secret with the same bytes.
    static func copying(_ bytes: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe derived(count: bytes.count) { output in
            for index in bytes.indices { unsafe output[index] = bytes[index] }
            return nil
        }
    }
}
