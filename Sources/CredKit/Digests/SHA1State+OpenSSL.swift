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
