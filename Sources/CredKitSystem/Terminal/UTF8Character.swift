// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A character in bytes that are meant to be UTF-8. The bytes are decoded in place, without a copy on the heap.
package struct UTF8Character {
    /// The character; `nil` for a byte that is not part of one.
    package let scalar: Unicode.Scalar?
    /// The number of its bytes.
    package let byteCount: Int

    /// Decodes the character that begins at a position.
    package init(at position: Int, in bytes: Span<UInt8>) {
        let first = bytes[position]
        let (count, bits, minimum): (Int, UInt8, UInt32) =
            switch first {
            case 0...0x7F: (1, 0x7F, 0)
            case 0xC2...0xDF: (2, 0x1F, 0x80)
            case 0xE0...0xEF: (3, 0x0F, 0x800)
            case 0xF0...0xF4: (4, 0x07, 0x1_0000)
            default: (0, 0, 0)
            }
        var value = UInt32(first & bits)
        var isWhole = count > 0 && count <= bytes.count - position
        if isWhole {
            for index in position + 1..<position + count {
                isWhole = isWhole && bytes[index] & 0xC0 == 0x80
                value = value << 6 | UInt32(bytes[index] & 0x3F)
            }
        }
        // A longer form than necessary would be a second encoding of the same character.
        if isWhole, value >= minimum, let scalar = Unicode.Scalar(value) {
            (self.scalar, byteCount) = (scalar, count)
        } else {
            (scalar, byteCount) = (nil, 1)
        }
    }
}
