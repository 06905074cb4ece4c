// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The state of MD5 (RFC 1321), held inline.
struct MD5State: Sendable {
    private var state = credkit_md5()

    /// Starts an empty message.
    init() {
        let start = unsafe credkit_md5_start()
        unsafe self.init(words: (start[0], start[1], start[2], start[3]), byteCount: 0)
    }

    /// Continues from the state of another implementation.
    ///
    /// - Parameters:
    ///   - words: The state after whole blocks.
    ///   - byteCount: The number of bytes in those blocks.
    init(words: (UInt32, UInt32, UInt32, UInt32), byteCount: UInt64) {
        state.words = words
        state.length = byteCount
    }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe credkit_md5_update(&state, $0.baseAddress, $0.count) }
    }

    func finalize() -> MessageDigest<16> {
        var copy = self
        return copy.finalizeAndWipe()
    }

    mutating func finalizeAndWipe() -> MessageDigest<16> {
        defer { wipe() }
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBufferPointer { digest in
                if let digest = digest.baseAddress { unsafe credkit_md5_end(&state, digest) }
            }
        }
    }

    mutating func wipe() { Wiping.wipe(state: &state) }
}
