// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension Base64Kernel {
    /// The parts of a form that say what is passed over, and whether another text may follow the padding.
    static var skipsLineFeeds: UInt32 { UInt32(CREDKIT_BASE64_SKIPS_LINE_FEEDS) }
    static var skipsBlanks: UInt32 { UInt32(CREDKIT_BASE64_SKIPS_BLANKS) }
    static var skipsGarbage: UInt32 { UInt32(CREDKIT_BASE64_SKIPS_GARBAGE) }
    static var goesOn: UInt32 { UInt32(CREDKIT_BASE64_GOES_ON) }

    /// Decodes groups with skipped characters between their own, up to the first that is not valid or not complete.
    ///
    /// The form is that of the variant with what is skipped. Returns the characters that were read, and the bytes that
    /// were written, of which the target has `room` for.
    @inline(__always)
    static func decodeSkipping(
        _ source: UnsafeRawBufferPointer,
        to target: UnsafeMutablePointer<UInt8>,
        room: Int,
        form: UInt32
    ) -> (characters: Int, bytes: Int) {
        let done = unsafe credkit_base64_decode_skipping(
            source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            source.count,
            target,
            room,
            form
        )
        return (done.read, done.written)
    }

    /// The number of characters at the front of a text that the form skips.
    @inline(__always)
    static func skippedCount(_ text: UnsafeRawBufferPointer, form: UInt32) -> Int {
        unsafe credkit_base64_skipped(
            text.baseAddress?.assumingMemoryBound(to: UInt8.self),
            text.count,
            form
        )
    }

    /// The number of bytes in front of the first line feed; all if there is none.
    @inline(__always)
    static func lineLength(_ text: UnsafeRawBufferPointer) -> Int {
        unsafe credkit_base64_line(text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count)
    }

    /// Whether the values of two or three last characters, six bits each, have bits that belong to no byte.
    @inline(__always)
    static func hasUnusedBits(_ values: UInt32, count: Int) -> Bool {
        credkit_base64_has_unused_bits(values, count) != 0
    }
}
