// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The common passwords that are a part of the program. Letters of ASCII count in either case, as Django counts them.
struct CommonWords: WordLookup {
    private static let words: WordSet = {
        let packed = PackedWords(CommonPasswords.text)
        return WordSet(packed.bytes, ends: packed.ends)
    }()

    /// No listed password has more bytes.
    private static let maximumByteCount = 128

    func contains(_ word: Span<UInt8>) -> Bool {
        guard word.count <= Self.maximumByteCount else { return false }
        var lowercase = word.indices.map { index in
            let byte = word[index]
            return UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
        }
        let isListed = Self.words.contains(lowercase.span)
        unsafe lowercase.withUnsafeMutableBufferPointer { unsafe Wiping.wipe($0) }
        return isListed
    }
}
