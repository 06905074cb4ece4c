// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Base64 and base64url, as defined by [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648) §4 and §5.
///
/// ```swift
/// Base64.standard.encode("hello".utf8)               // "aGVsbG8="
/// Base64.urlSafe.unpadded.encode([0xFB, 0xFF])       // "-_8"
/// try Base64.standard.decode("aGVsbG8=")             // the bytes of "hello"
/// ```
///
/// Base64 is an encoding, not encryption: anyone who sees the text can decode it.
///
/// ## Timing
/// Neither direction branches on the processed bytes or uses them as an index into memory: characters and six-bit
/// values are converted into each other by arithmetic, or looked up in tables in registers, 8 to 64 at a time. The
/// time therefore reveals only the length of the data, whether a text is valid, and the positions of its first error
/// and of skipped whitespace. Keys and tokens can be encoded and decoded without leaking them through the cache or
/// the branch predictor. There is no separate fast implementation: the fast one is the safe one.
///
/// ## Speed
/// The instruction set is chosen once per process: AVX-512 with VBMI, AVX2, SSSE3, or portable instructions. For
/// tests and measurements, the environment variable `CREDKIT_KERNELS` (`avx512`, `avx2`, `ssse3`, `portable`) selects
/// another one that the processor supports.
public struct Base64: Sendable, Hashable {
    /// The alphabet of RFC 4648 §4, with `+` and `/`, padded with `=`.
    @inlinable public static var standard: Base64 { Base64(form: 1) }

    /// The alphabet of RFC 4648 §5, with `-` and `_`, which needs no escaping in URLs and file names; padded with
    /// `=`.
    @inlinable public static var urlSafe: Base64 { Base64(form: 3) }

    /// The same alphabet without padding: it is neither written nor accepted.
    @inlinable public var unpadded: Base64 { Base64(form: form & ~1) }

    /// Whether texts are padded with `=` to a multiple of four characters.
    @inlinable public var isPadded: Bool { form & 1 != 0 }

    /// The parameter of the kernels, as one number: 1 if padded, plus 2 if 62 and 63 are `-` and `_` instead of `+`
    /// and `/`.
    @usableFromInline let form: UInt32

    @inlinable
    init(form: UInt32) { self.form = form }
}

extension Base64.Encoder {
    /// Encodes the next piece and appends the text.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the data.
    ///   - output: Receives the characters, as ASCII.
    public mutating func update(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        let capacity = maximumOutputByteCount(forInputByteCount: bytes.count)
        output.append(addingCapacity: capacity) { update(bytes, into: &$0) }
    }

    /// Encodes the next piece and appends the text.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the data.
    ///   - output: Receives the characters, as ASCII.
    @inlinable
    public mutating func update(_ bytes: some Collection<UInt8>, into output: inout [UInt8]) {
        bytes.withContiguousSpan { update($0, into: &output) }
    }

    /// Appends the end of the text: the last group and its padding. Afterwards the encoder is in its initial state.
    ///
    /// - Parameter output: Receives the characters, as ASCII.
    public mutating func finalize(into output: inout [UInt8]) {
        output.append(addingCapacity: maximumOutputByteCount(forInputByteCount: 0)) {
            finalize(into: &$0)
        }
    }
}

extension Base64 {
    /// The characters that a decoder skips.
    ///
    /// If characters are skipped, the time reveals their positions, and a value has more than one valid text.
    public struct IgnoredCharacters: Sendable, Hashable {
        /// The bits of a kernel's form that select the skipped characters.
        let form: UInt32

        /// No characters: every character must belong to the text.
        public static let none = IgnoredCharacters(form: 0)

        /// Spaces, tabs, line feeds and carriage returns at any position.
        public static let whitespace = IgnoredCharacters(
            form: Base64Kernel.skipsLineFeeds | Base64Kernel.skipsBlanks
        )

        /// Line feeds, as coreutils' decoder does.
        package static let lineFeeds = IgnoredCharacters(form: Base64Kernel.skipsLineFeeds)

        /// Every character that is neither in the alphabet nor padding, as with `--ignore-garbage` of coreutils.
        package static let garbage = IgnoredCharacters(form: Base64Kernel.skipsGarbage)
    }
}
