// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The inner loops of Base64, in the instructions that this processor has.
///
/// Everything above this type (padding, lines, whitespace, errors) is policy and works a group, a line or a text at a
/// time. Everything here takes a time that depends on lengths only, save that decoding stops at the first group that
/// is not valid.
@usableFromInline
enum Base64Kernel {
    /// Encodes bytes, the last incomplete group too.
    ///
    /// The parameters are in the order of the kernel's, so that this is a jump and nothing else: for short inputs a
    /// call more would show.
    ///
    /// Returns the number of characters that were written; -1 when the target has room for fewer.
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

    /// Decodes groups of four characters into groups of three bytes, up to the first group that holds anything
    /// but characters of the alphabet; returns how many were decoded.
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

    /// Decodes a whole text with its end, padded or not.
    ///
    /// The target has room for ``Base64/maximumDecodedByteCount(of:)``. Returns the number of bytes; nothing when the text
    /// is not valid.
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

    /// The value of one character, or no value: by the same arithmetic as whole blocks.
    static func value(of character: UInt8, as base64: Base64) -> UInt8? {
        let value = credkit_base64_value(character, base64.form)
        return value < 0 ? nil : UInt8(truncatingIfNeeded: value)
    }
}
