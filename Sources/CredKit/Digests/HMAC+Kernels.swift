// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension HMAC<Legacy.MD5> {
    /// Computes the code of a whole message.
    ///
    /// The padding is written here, because finishing and wiping two whole states takes time that shows with short messages.
    /// The time depends only on the length of the message.
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
    ///   - states: The inner and the outer state, each of which consists only of the kernel's state.
    ///   - code: Receives 16 bytes.
    private static func compute(
        _ message: UnsafeRawBufferPointer,
        _ states: UnsafeRawPointer,
        into code: UnsafeMutableRawBufferPointer
    ) {
        let states = unsafe states.assumingMemoryBound(to: credkit_md5.self)
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4) { words in
            unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { block in
                guard let words = words.baseAddress, let bytes = block.baseAddress else { return }
                // Both depend on the message and the key.
                defer { unsafe Wiping.wipe(UnsafeMutableRawBufferPointer(start: words, count: 16)) }
                defer { unsafe Wiping.wipe(block) }

                unsafe copyWords(of: states, to: words)
                let used = message.count % 64
                let whole = message.count - used
                unsafe credkit_md5_blocks(words, message.baseAddress, whole / 64)
                unsafe clear(bytes)
                unsafe block.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[whole...]))
                unsafe block[used] = 0x80
                if used > 55 {
                    // The length needs a block of its own.
                    unsafe credkit_md5_blocks(words, bytes, 1)
                    unsafe clear(bytes)
                }
                unsafe setLength(64 + message.count, in: bytes)
                unsafe credkit_md5_blocks(words, bytes, 1)

                unsafe clear(bytes)
                unsafe bytes.copyMemory(from: words, byteCount: 16)
                unsafe block[16] = 0x80
                unsafe setLength(64 + 16, in: bytes)
                unsafe copyWords(of: states + 1, to: words)
                unsafe credkit_md5_blocks(words, bytes, 1)
                if let code = code.baseAddress { unsafe code.copyMemory(from: words, byteCount: 16) }
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

    private static func copyWords(
        of state: UnsafePointer<credkit_md5>,
        to words: UnsafeMutablePointer<UInt32>
    ) {
        unsafe UnsafeMutableRawPointer(words).copyMemory(from: state, byteCount: 16)
    }
}
