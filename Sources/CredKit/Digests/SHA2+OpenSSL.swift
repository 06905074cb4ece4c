// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

// The SHA-2 family (FIPS 180-4), for CredKit's own use. Other code uses swift-crypto's.

/// SHA-256.
package struct SHA256: DigestAlgorithm {
    package static let name = "SHA256"
    package static let digestByteCount = 32
    package static let blockByteCount = 64

    private var context = SHA256_CTX()

    package init() {
        unsafe SHA256_Init(&context)
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { _ = unsafe SHA256_Update(&context, $0.baseAddress, $0.count) }
    }

    package func finalize() -> MessageDigest<32> {
        var copy = self
        return copy.finalizeAndWipe()
    }

    package mutating func finalizeAndWipe() -> MessageDigest<32> {
        defer { wipe() }
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBufferPointer { _ = unsafe SHA256_Final($0.baseAddress, &context) }
        }
    }

    package mutating func wipe() { Wiping.wipe(state: &context) }
}

/// SHA-384.
package struct SHA384: DigestAlgorithm {
    package static let name = "SHA384"
    package static let digestByteCount = 48
    package static let blockByteCount = 128

    private var context = SHA512_CTX()

    package init() {
        unsafe SHA384_Init(&context)
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { _ = unsafe SHA384_Update(&context, $0.baseAddress, $0.count) }
    }

    package func finalize() -> MessageDigest<48> {
        var copy = self
        return copy.finalizeAndWipe()
    }

    package mutating func finalizeAndWipe() -> MessageDigest<48> {
        defer { wipe() }
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBufferPointer { _ = unsafe SHA384_Final($0.baseAddress, &context) }
        }
    }

    package mutating func wipe() { Wiping.wipe(state: &context) }
}

/// SHA-512.
package struct SHA512: DigestAlgorithm {
    package static let name = "SHA512"
    package static let digestByteCount = 64
    package static let blockByteCount = 128

    private var context = SHA512_CTX()

    package init() {
        unsafe SHA512_Init(&context)
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { _ = unsafe SHA512_Update(&context, $0.baseAddress, $0.count) }
    }

    package func finalize() -> MessageDigest<64> {
        var copy = self
        return copy.finalizeAndWipe()
    }

    package mutating func finalizeAndWipe() -> MessageDigest<64> {
        defer { wipe() }
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBufferPointer { _ = unsafe SHA512_Final($0.baseAddress, &context) }
        }
    }

    package mutating func wipe() { Wiping.wipe(state: &context) }
}
