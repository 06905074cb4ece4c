// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

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
