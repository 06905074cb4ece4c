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

/// The inner loops of Base32. Their time depends only on lengths and on the positions of spaces, padding and the first
/// invalid character.
enum Base32Kernel {
    /// What a decoder takes beside the alphabet and padding.
    enum Leniency {
        case strict
        /// Lowercase letters, and spaces.
        case lenient
        /// Lowercase letters, spaces, tabs, line ends, and dashes.
        case seed
    }

    /// What was found in a text.
    struct Text {
        /// The number of characters that were read, up to the first invalid one.
        let readCount: Int
        /// The number of characters of the alphabet.
        let digitCount: Int
        /// The number of padding characters behind them.
        let paddingCount: Int
        /// The index of the last character of the alphabet.
        let lastDigit: Int
        /// Whether the last character has bits that belong to no byte, and are not zero.
        let hasTrailingBits: Bool
    }

    /// Encodes bytes without padding; the target must have room for the text. Returns the number of characters.
    static func encode(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>?) -> Int {
        unsafe credkit_base32_encode(source.baseAddress, source.count, target)
    }

    /// Decodes a text up to the first invalid character; the target must have room for 5 bytes of every 8 characters.
    static func decode(
        _ source: UnsafeBufferPointer<UInt8>,
        _ leniency: Leniency,
        to target: UnsafeMutablePointer<UInt8>?
    ) -> Text {
        let accepted =
            switch leniency {
            case .strict: CREDKIT_BASE32_STRICT
            case .lenient: CREDKIT_BASE32_LENIENT
            case .seed: CREDKIT_BASE32_SEED
            }
        var text = credkit_base32_text()
        let count = unsafe credkit_base32_decode(
            source.baseAddress,
            source.count,
            accepted,
            target,
            &text
        )
        return Text(
            readCount: count,
            digitCount: text.digits,
            paddingCount: text.padding,
            lastDigit: text.last,
            hasTrailingBits: text.trailing != 0
        )
    }
}

/// The inner loops for hexadecimal digits. Their time depends only on lengths, except that decoding stops at the
/// first character that is not a digit.
enum HexKernel {
    /// Encodes bytes; the target must have room for twice as many.
    static func encode(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>?) {
        unsafe credkit_hex_encode(source.baseAddress, source.count, target)
    }

    /// Decodes digits; the target must have room for half as many bytes, rounded down. Returns the index of the first
    /// character that is not a digit, or the count.
    static func decode(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>?) -> Int {
        unsafe credkit_hex_decode(source.baseAddress, source.count, target)
    }
}
