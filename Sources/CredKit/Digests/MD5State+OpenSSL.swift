// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// The state of MD5 (RFC 1321), held inline.
struct MD5State: Sendable {
    private var context = MD5_CTX()

    init() {
        unsafe MD5_Init(&context)
    }

    /// Continues from the state of another implementation.
    ///
    /// - Parameters:
    ///   - words: The state after whole blocks.
    ///   - byteCount: The number of bytes in those blocks.
    init(words: (UInt32, UInt32, UInt32, UInt32), byteCount: UInt64) {
        self.init()
        (context.A, context.B, context.C, context.D) = words
        // The low and the high half of the number of bits.
        context.Nl = UInt32(truncatingIfNeeded: byteCount << 3)
        context.Nh = UInt32(truncatingIfNeeded: byteCount >> 29)
    }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { _ = unsafe MD5_Update(&context, $0.baseAddress, $0.count) }
    }

    func finalize() -> MessageDigest<16> {
        var copy = self
        return copy.finalizeAndWipe()
    }

    mutating func finalizeAndWipe() -> MessageDigest<16> {
        defer { wipe() }
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBufferPointer { _ = unsafe MD5_Final($0.baseAddress, &context) }
        }
    }

    mutating func wipe() { Wiping.wipe(state: &context) }
}
