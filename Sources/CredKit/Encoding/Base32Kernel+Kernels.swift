// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The inner loops of Base32. Their time depends only on lengths and on the positions of spaces, padding and the first
/// invalid character.
enum Base32Kernel {
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
        isLenient: Bool,
        to target: UnsafeMutablePointer<UInt8>?
    ) -> Text {
        var text = credkit_base32_text()
        let count = unsafe credkit_base32_decode(
            source.baseAddress,
            source.count,
            isLenient ? 1 : 0,
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
