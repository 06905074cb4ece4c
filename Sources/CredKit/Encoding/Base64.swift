// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Base64 and base64url, as defined by [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648) §4 and §5.
///
/// ```swift
/// Base64.standard.encode("hello".utf8)               // "aGVsbG8="
/// Base64.urlSafe.unpadded.encode([0xFB, 0xFF])       // "-_8"
/// try Base64.standard.decode("aGVsbG8=")             // the bytes of "hello"
/// ```
///
/// Base64 is an encoding, not encryption: anyone who sees the text has the bytes.
///
/// ## Timing
/// Neither direction branches on the bytes it handles or uses them as an index into memory: characters and
/// six-bit values are converted into each other by comparing with the bounds of the alphabet's ranges, in
/// arithmetic, eight at a time. The time therefore tells the length of the data, whether a text is valid,
/// where its first error is and where skipped whitespace stands, and nothing else; keys and tokens can be
/// encoded and decoded without leaking them through the cache or the branch predictor.
public struct Base64: Sendable, Hashable {
    /// The alphabet of RFC 4648 §4, with `+` and `/`, padded with `=`.
    public static let standard = Base64(alphabet: .standard, isPadded: true)

    /// The alphabet of RFC 4648 §5, with `-` and `_`, which needs no escaping in URLs and file names;
    /// padded with `=`.
    public static let urlSafe = Base64(alphabet: .urlSafe, isPadded: true)

    /// The same alphabet without padding: none is written, and none is accepted.
    public var unpadded: Base64 { Base64(alphabet: alphabet, isPadded: false) }

    /// Whether texts end in `=` up to a multiple of four characters.
    public let isPadded: Bool

    let alphabet: Alphabet

    init(alphabet: Alphabet, isPadded: Bool) {
        self.alphabet = alphabet
        self.isPadded = isPadded
    }

    /// How the characters for the values 62 and 63 differ between the two alphabets.
    struct Alphabet: Sendable, Hashable {
        /// The character for the value 62.
        let character62: UInt8
        /// The character for the value 63.
        let character63: UInt8

        static let standard = Alphabet(character62: UInt8(ascii: "+"), character63: UInt8(ascii: "/"))
        static let urlSafe = Alphabet(character62: UInt8(ascii: "-"), character63: UInt8(ascii: "_"))
    }
}
