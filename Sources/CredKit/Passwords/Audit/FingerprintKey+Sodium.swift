// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// The key of the fingerprints of one audit: 64 bits of SipHash-2-4 for each hash and salt. It is random and never
/// stored, so that fingerprints in a temporary file reveal nothing of a hash, and an attacker cannot make two collide.
struct FingerprintKey: Sendable {
    private let bytes: [UInt8]

    init() { bytes = SecureRandom.bytes(count: Int(crypto_shorthash_KEYBYTES)) }

    func fingerprint(of text: Span<UInt8>) -> UInt64 {
        var fingerprint: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &fingerprint) { output in
            unsafe text.withUnsafeBufferPointer { text in
                guard let output = output.baseAddress else { return }
                unsafe crypto_shorthash(
                    output.assumingMemoryBound(to: UInt8.self),
                    text.baseAddress,
                    UInt64(text.count),
                    bytes
                )
            }
        }
        return fingerprint
    }
}
