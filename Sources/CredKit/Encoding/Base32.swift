// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Base32 ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648) §6): letters and the digits 2 to 7, eight characters for
/// five bytes. The seeds of one-time codes are shown and typed in this form.
///
/// ```swift
/// Base32.standard.encode("hello!".utf8)                               // "NBSWY3DPEE======"
/// Base32.standard.unpadded.encode("hello!".utf8)                      // "NBSWY3DPEE"
/// try Base32.standard.decode("nbsw y3dp ee", strictness: .lenient)    // the bytes of "hello!"
/// ```
///
/// As with ``Base64`` and ``Hex``, neither direction branches on the bytes or uses them as an index into memory. The time
/// reveals the length of a text, whether it is valid, and the positions of padding, of skipped spaces and of the first
/// error.
public struct Base32: Sendable, Hashable {
    /// The alphabet `A` to `Z` and `2` to `7`, padded with `=` to a multiple of eight characters.
    public static var standard: Base32 { Base32(isPadded: true) }

    /// The same alphabet without padding, which is neither written nor accepted by a strict decoder.
    public var unpadded: Base32 { Base32(isPadded: false) }

    /// Whether texts are padded with `=` to a multiple of eight characters.
    public let isPadded: Bool

    /// What a decoder accepts.
    public enum Strictness: Sendable, Hashable {
        /// Exactly the text that the encoder writes.
        case strict
        /// What people type and copy: letters of either case, spaces anywhere, with or without padding.
        case lenient
    }

    /// Returns the number of characters for `byteCount` bytes.
    ///
    /// - Parameter byteCount: The number of bytes to encode, from 0 to a number that memory can hold.
    /// - Returns: The number of characters, each one byte of UTF-8.
    public func encodedByteCount(of byteCount: Int) -> Int {
        let (groups, rest) = byteCount.quotientAndRemainder(dividingBy: 5)
        guard rest > 0 else { return groups * 8 }
        return groups * 8 + (isPadded ? 8 : (rest * 8 + 4) / 5)
    }

    /// Encodes bytes as text.
    ///
    /// - Parameter bytes: The bytes to encode.
    /// - Returns: The text.
    public func encode(_ bytes: Span<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: encodedByteCount(of: bytes.count)) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            encode(bytes, into: &output)
            return unsafe output.finalize(for: buffer)
        }
    }

    /// Encodes bytes as text.
    ///
    /// - Parameter bytes: The bytes to encode; an array, a `String.UTF8View`, a ``MessageDigest`` …
    /// - Returns: The text.
    @inlinable
    public func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousSpan { encode($0) }
    }

    /// Encodes bytes into memory of the caller, without allocating memory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - output: Receives the characters, as ASCII. Its free capacity must be at least ``encodedByteCount(of:)``;
    ///     less is a programming error and stops the process.
    public func encode(_ bytes: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        let count = encodedByteCount(of: bytes.count)
        precondition(output.freeCapacity >= count, "The output has too little capacity for the text.")
        unsafe bytes.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target, written in
                written += unsafe Base32Kernel.encode(
                    source,
                    to: target.baseAddress.map { unsafe $0 + written }
                )
            }
        }
        let padding = isPadded ? count - unpadded.encodedByteCount(of: bytes.count) : 0
        for _ in 0..<padding { output.append(UInt8(ascii: "=")) }
    }
}
