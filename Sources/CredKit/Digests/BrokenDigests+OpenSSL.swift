// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// The state of SHA-1 (FIPS 180-4), held inline.
struct SHA1State: Sendable {
    private var context = SHA_CTX()

    init() {
        unsafe SHA1_Init(&context)
    }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { _ = unsafe SHA1_Update(&context, $0.baseAddress, $0.count) }
    }

    func finalize() -> MessageDigest<20> {
        var copy = self
        return copy.finalizeAndWipe()
    }

    mutating func finalizeAndWipe() -> MessageDigest<20> {
        defer { wipe() }
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBufferPointer { _ = unsafe SHA1_Final($0.baseAddress, &context) }
        }
    }

    mutating func wipe() { Wiping.wipe(state: &context) }
}

/// MD4 (RFC 1320): 16 bytes. It is broken: a collision is found in microseconds. It is here to read
/// what other tools wrote, NT hashes and filters of words, and has no public name.
///
/// OpenSSL 3 has moved MD4 to a provider that is not loaded, but still computes it by its own name.
package struct MD4: DigestAlgorithm {
    package static let name = "MD4"
    package static let digestByteCount = 16
    package static let blockByteCount = 64

    private var context = MD4_CTX()

    package init() {
        unsafe MD4_Init(&context)
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { _ = unsafe MD4_Update(&context, $0.baseAddress, $0.count) }
    }

    package func finalize() -> MessageDigest<16> {
        var copy = self
        return copy.finalizeAndWipe()
    }

    package mutating func finalizeAndWipe() -> MessageDigest<16> {
        defer { wipe() }
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBufferPointer { _ = unsafe MD4_Final($0.baseAddress, &context) }
        }
    }

    package mutating func wipe() { Wiping.wipe(state: &context) }
}
