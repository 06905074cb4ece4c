// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Makes random passphrases: each word is chosen from EFF's long list of 7,776 words, independently, with the same
/// probability for all.
///
/// No word begins with another one, so that different words never make the same passphrase, with any separator. Neither the
/// time nor the places of memory that are read depend on the words, apart from their lengths.
package struct PassphraseGenerator: Sendable, Hashable {
    /// The maximum number of words of a passphrase.
    package static let maximumWordCount = 256

    /// The maximum number of bytes of a separator.
    private static let maximumSeparatorLength = 16

    /// The words, of up to 16 letters, the first one in the highest bits that are not 0.
    private static let words: [UInt128] = {
        let packed = PackedWords(LongWords.text)
        var start = 0
        return packed.ends.map { end in
            defer { start = end }
            return packed.bytes[start..<end].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        }
    }()

    /// The number of words.
    package let wordCount: Int

    /// What stands between words.
    package let separator: String

    /// Creates a generator of passphrases.
    ///
    /// - Parameters:
    ///   - wordCount: The number of words, at most ``maximumWordCount``. Six have 77 bits.
    ///   - separator: What stands between words, at most 16 bytes without control characters.
    /// - Throws: ``PasswordError/invalidParameters``.
    package init(wordCount: Int, separator: String = "-") throws(PasswordError) {
        guard 1...Self.maximumWordCount ~= wordCount else {
            throw .invalidParameters("a passphrase has 1 to \(Self.maximumWordCount) words")
        }
        guard separator.utf8.count <= Self.maximumSeparatorLength,
            separator.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw .invalidParameters(
                "a separator has at most \(Self.maximumSeparatorLength) bytes and no control characters"
            )
        }
        self.wordCount = wordCount
        self.separator = separator
    }

    /// The strength in bits: the logarithm, to base 2, of the number of possible passphrases.
    package var bits: Double { Double(wordCount) * log2(Double(Self.words.count)) }

    /// Makes a passphrase.
    ///
    /// - Returns: The passphrase, as UTF-8.
    /// - Throws: ``SecretMemoryError`` when there is no guarded memory left.
    package func generate() throws(SecretMemoryError) -> SecretBytes {
        var numbers = try RandomNumbers(bound: Self.words.count)
        var failure: SecretMemoryError?
        let capacity = wordCount * (UInt128.bitWidth / 8 + separator.utf8.count)
        let passphrase = try SecretBytes(capacity: capacity) { output in
            for index in 0..<wordCount {
                do throws(SecretMemoryError) {
                    let number = try numbers.next()
                    if index > 0 { for byte in separator.utf8 { output.append(byte) } }
                    Self.append(number, to: &output)
                } catch {
                    failure = error
                    return
                }
            }
        }
        if let failure { throw failure }
        return passphrase
    }

    /// Appends the word with a number. All words are read, so that the number does not show in the places of memory.
    private static func append(_ number: Int, to output: inout OutputSpan<UInt8>) {
        var word: UInt128 = 0
        for index in words.indices {
            // 1 if the numbers are equal: only then their difference is 0.
            let isEqual = (UInt64(truncatingIfNeeded: index ^ number) &- 1) >> 63
            word |= words[index] & (0 &- UInt128(isEqual))
        }
        for shift in stride(from: UInt128.bitWidth - 8, through: 0, by: -8) {
            let letter = UInt8(truncatingIfNeeded: word >> shift)
            if letter != 0 { output.append(letter) }
        }
    }
}
