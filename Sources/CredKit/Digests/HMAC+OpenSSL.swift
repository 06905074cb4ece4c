// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension HMAC<Legacy.MD5> {
    /// Computes the code of a whole message.
    ///
    /// The padding is written here and compressed by `MD5_Transform`: `MD5_Final`, and wiping two whole states, take
    /// a fifth of the time of a short message. The time depends only on the length of the message.
    ///
    /// - Parameters:
    ///   - message: The whole message.
    ///   - key: The prepared key.
    /// - Returns: The code.
    static func code(of message: Span<UInt8>, using key: Key) -> MessageDigest<16> {
        MessageDigest { code in
            unsafe code.withUnsafeMutableBytes { code in
                unsafe message.withUnsafeBytes { message in
                    unsafe key.states.withMemory { states in
                        unsafe compute(message, UnsafeRawPointer(states), into: code)
                    }
                }
            }
        }
    }

    /// Computes the code of a whole message from the states of a key.
    ///
    /// - Parameters:
    ///   - message: The whole message.
    ///   - states: The inner and the outer state, each of which consists only of OpenSSL's state.
    ///   - code: Receives 16 bytes.
    private static func compute(
        _ message: UnsafeRawBufferPointer,
        _ states: UnsafeRawPointer,
        into code: UnsafeMutableRawBufferPointer
    ) {
        let states = unsafe states.assumingMemoryBound(to: MD5_CTX.self)
        unsafe withUnsafeTemporaryAllocation(of: MD5_CTX.self, capacity: 1) { contexts in
            unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { block in
                guard let state = contexts.baseAddress, let bytes = block.baseAddress else { return }
                // The four words, which depend on the message or the key. The rest of the state is not secret.
                defer { unsafe OPENSSL_cleanse(state, 16) }
                defer { unsafe OPENSSL_cleanse(bytes, 64) }

                unsafe state.initialize(from: states, count: 1)
                let used = message.count % 64
                let whole = message.count - used
                if whole > 0 { unsafe _ = MD5_Update(state, message.baseAddress, whole) }
                unsafe clear(bytes)
                unsafe block.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[whole...]))
                unsafe block[used] = 0x80
                if used > 55 {
                    // The length needs a block of its own.
                    unsafe MD5_Transform(state, bytes)
                    unsafe clear(bytes)
                }
                unsafe setLength(64 + message.count, in: bytes)
                unsafe MD5_Transform(state, bytes)

                unsafe clear(bytes)
                unsafe copyDigest(of: state, to: bytes)
                unsafe block[16] = 0x80
                unsafe setLength(64 + 16, in: bytes)
                unsafe state.update(from: states + 1, count: 1)
                unsafe MD5_Transform(state, bytes)
                if let code = code.baseAddress { unsafe copyDigest(of: state, to: code) }
            }
        }
    }

    private static func clear(_ block: UnsafeMutableRawPointer) {
        for offset in stride(from: 0, to: 64, by: 8) {
            unsafe block.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
        }
    }

    /// Writes the length of the whole message in bits to the end of a block.
    private static func setLength(_ byteCount: Int, in block: UnsafeMutableRawPointer) {
        let bitCount = UInt64(byteCount) << 3
        unsafe block.storeBytes(of: bitCount.littleEndian, toByteOffset: 56, as: UInt64.self)
    }

    /// Copies the digest, which is the first four words of the state.
    private static func copyDigest(
        of state: UnsafeMutablePointer<MD5_CTX>,
        to target: UnsafeMutableRawPointer
    ) {
        unsafe target.copyMemory(from: state, byteCount: 16)
    }
}
