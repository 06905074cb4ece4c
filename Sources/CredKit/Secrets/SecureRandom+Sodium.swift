// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// Random bytes for keys, salts, nonces and tokens, from the system's generator (`getrandom`, through
/// libsodium).
///
/// ```swift
/// let salt = SecureRandom.bytes(count: 16)
/// let key = try SecretBytes(randomByteCount: 32)
/// ```
public enum SecureRandom {
    /// Returns random bytes that are not secret: salts, nonces, identifiers. For keys see
    /// ``SecretBytes/init(randomByteCount:)``.
    ///
    /// - Parameter count: The number of bytes, at least 0.
    /// - Returns: The bytes.
    public static func bytes(count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            unsafe fill(buffer.extracting(..<count))
            initializedCount = count
        }
    }
}

extension SecureRandom {
    /// Fills memory with random bytes.
    static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        // The generator works before sodium_init too, but then not from several threads at once.
        let status = sodium_init()
        precondition(status >= 0, "libsodium found no source of randomness.")
        guard let base = buffer.baseAddress else { return }
        unsafe randombytes_buf(base, buffer.count)
    }
}
