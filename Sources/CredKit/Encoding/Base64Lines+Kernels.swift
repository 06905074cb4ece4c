// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension Base64Kernel {
    /// Encodes lines of whole groups, with line endings between them.
    ///
    /// - Parameters:
    ///   - source: The bytes: three for every four characters.
    ///   - lines: The number of lines.
    ///   - length: The characters of a line, a multiple of four.
    ///   - ending: The separator between two lines; the last line does not end with it.
    ///   - beginsWithEnding: Whether a separator precedes the first line, too.
    ///   - target: Memory with room for the lines and separators.
    ///   - base64: The variant.
    /// - Returns: The number of bytes that were written.
    static func encodeLines(
        _ source: UnsafeRawPointer,
        lines: Int,
        length: Int,
        ending: Base64.LineEnding,
        beginsWithEnding: Bool,
        to target: UnsafeMutablePointer<UInt8>,
        as base64: Base64
    ) -> Int {
        let byteCount = length / 4 * 3
        var place = unsafe target
        for line in 0..<lines {
            if line > 0 || beginsWithEnding {
                if ending == .carriageReturnLineFeed {
                    unsafe place.initialize(to: 0x0D)
                    unsafe place += 1
                }
                unsafe place.initialize(to: 0x0A)
                unsafe place += 1
            }
            let bytes = unsafe (source + line * byteCount).assumingMemoryBound(to: UInt8.self)
            _ = unsafe encode(bytes, byteCount, place, length, base64.form)
            unsafe place += length
        }
        return unsafe place - target
    }

    /// Decodes consecutive lines of one length, and the groups before the first character outside the alphabet.
    ///
    /// - Parameters:
    ///   - source: The text, which begins with a line.
    ///   - length: The characters of a line without its line feed, a multiple of four and not 0.
    ///   - target: Memory with room for three bytes for every four characters.
    ///   - base64: The variant.
    /// - Returns: The number of characters that were read, line feeds included, and of bytes that were written.
    static func decodeLines(
        _ source: UnsafeRawBufferPointer,
        length: Int,
        to target: UnsafeMutablePointer<UInt8>,
        as base64: Base64
    ) -> (characters: Int, bytes: Int) {
        let done = unsafe credkit_base64_decode_lines(
            source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            source.count,
            length,
            target,
            base64.form
        )
        return (done.read, done.written)
    }
}
