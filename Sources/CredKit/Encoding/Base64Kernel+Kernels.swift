// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The inner loops of Base64, in the instructions that this processor has.
///
/// Everything above this type (padding, lines, whitespace, errors) is policy and works a group, a line or a text at a
/// time. Everything here takes a time that depends on lengths only, save that decoding stops at the first group that
/// is not valid.
enum Base64Kernel {
    /// Encodes bytes, the last incomplete group too.
    ///
    /// The target has room for ``Base64/encodedByteCount(of:)``, which is what is written.
    @inline(__always)
    static func encode(
        _ source: UnsafeRawBufferPointer,
        to target: UnsafeMutablePointer<UInt8>,
        as base64: Base64
    ) {
        unsafe credkit_kernels_get().pointee.base64_encode(
            source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            source.count,
            target,
            base64.isURLSafe,
            base64.isPadded
        )
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
            base64.isURLSafe
        )
    }

    /// How many `=` a text ends with, at most two.
    @inline(__always)
    static func padding(of text: UnsafeRawBufferPointer) -> Int {
        unsafe credkit_base64_padding(text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count)
    }

    /// Decodes the last two or three characters of a text into one or two bytes. False if they are not of the
    /// alphabet, or have bits set that no byte takes up; nothing is written then.
    static func decodeEnd(
        _ source: UnsafeRawPointer,
        characters: Int,
        to target: UnsafeMutablePointer<UInt8>,
        as base64: Base64
    ) -> Bool {
        unsafe credkit_base64_decode_end(
            source.assumingMemoryBound(to: UInt8.self),
            characters,
            target,
            base64.isURLSafe
        )
    }

    /// The value of one character, or no value: by the same arithmetic as whole blocks.
    static func value(of character: UInt8, as base64: Base64) -> UInt8? {
        let value = credkit_base64_value(character, base64.isURLSafe)
        return value < 0 ? nil : UInt8(truncatingIfNeeded: value)
    }
}
