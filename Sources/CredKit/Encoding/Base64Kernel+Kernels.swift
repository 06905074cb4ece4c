// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The inner loops of Base64, in the instruction set of this processor.
///
/// All code above this type (padding, lines, whitespace, errors) processes a group, a line or a text at a time. The
/// time of all functions here depends only on lengths, except that decoding stops at the first invalid group.
@usableFromInline
enum Base64Kernel {
    /// Encodes bytes, including an incomplete last group.
    ///
    /// The parameters are in the order of the kernel's, so that this compiles to a single jump: for short inputs
    /// another call would be measurable.
    ///
    /// Returns the number of characters that were written; -1 if the target has room for fewer.
    @usableFromInline
    static func encode(
        _ source: UnsafePointer<UInt8>?,
        _ count: Int,
        _ target: UnsafeMutablePointer<UInt8>?,
        _ room: Int,
        _ form: UInt32
    ) -> Int {
        unsafe credkit_kernels_get().pointee.base64_encode(source, count, target, room, form)
    }

    /// Decodes groups of four characters into groups of three bytes, up to the first group that contains a character
    /// outside the alphabet; returns the number of decoded groups.
    @inline(__always)
    static func decode(
        _ source: UnsafeRawPointer,
        groups: Int,
        to target: UnsafeMutablePointer<UInt8>,
        as base64: Base64
    ) -> Int {
        unsafe credkit_kernels_get().pointee.base64_decode(
            source.assumingMemoryBound(to: UInt8.self),
            groups,
            target,
            base64.form
        )
    }

    /// Decodes a whole text including its end, padded or not.
    ///
    /// The target must have room for ``Base64/maximumDecodedByteCount(of:)``. Returns the number of bytes; `nil` if
    /// the text is invalid.
    @inline(__always)
    static func decode(
        text source: UnsafeRawBufferPointer,
        to target: UnsafeMutablePointer<UInt8>,
        as base64: Base64
    ) -> Int? {
        let count = unsafe credkit_kernels_get().pointee.base64_decode_text(
            source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            source.count,
            target,
            base64.form
        )
        return count < 0 ? nil : count
    }

    /// Returns the value of one character, or `nil` if it has none, by the same arithmetic as for whole blocks.
    static func value(of character: UInt8, as base64: Base64) -> UInt8? {
        let value = credkit_base64_value(character, base64.form)
        return value < 0 ? nil : UInt8(truncatingIfNeeded: value)
    }
}
