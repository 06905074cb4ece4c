// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension Base64Kernel {
    /// The bits of a form that select the skipped characters, and whether another text may follow the padding.
    static var skipsLineFeeds: UInt32 { UInt32(CREDKIT_BASE64_SKIPS_LINE_FEEDS) }
    static var skipsBlanks: UInt32 { UInt32(CREDKIT_BASE64_SKIPS_BLANKS) }
    static var skipsGarbage: UInt32 { UInt32(CREDKIT_BASE64_SKIPS_GARBAGE) }
    static var goesOn: UInt32 { UInt32(CREDKIT_BASE64_GOES_ON) }

    /// Decodes groups with skipped characters between their own, up to the first that is invalid or incomplete.
    ///
    /// The form is that of the variant, combined with the skipped characters. Returns the number of characters that
    /// were read, and the number of bytes that were written, which is at most `room`.
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

    /// Returns the number of characters at the start of a text that the form skips.
    @inline(__always)
    static func skippedCount(_ text: UnsafeRawBufferPointer, form: UInt32) -> Int {
        unsafe credkit_base64_skipped(
            text.baseAddress?.assumingMemoryBound(to: UInt8.self),
            text.count,
            form
        )
    }

    /// Returns the number of bytes before the first line feed; all bytes if there is none.
    @inline(__always)
    static func lineLength(_ text: UnsafeRawBufferPointer) -> Int {
        unsafe credkit_base64_line(text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count)
    }

    /// Returns whether the values of two or three last characters, six bits each, have nonzero bits that belong to no
    /// byte.
    @inline(__always)
    static func hasUnusedBits(_ values: UInt32, count: Int) -> Bool {
        credkit_base64_has_unused_bits(values, count) != 0
    }
}
