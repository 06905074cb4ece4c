// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// The lists of words that are a part of the program.
@Suite struct BuiltInListTests {
    private func words(_ text: String) -> [String] {
        let packed = PackedWords(text)
        var start = 0
        return packed.ends.map { end in
            defer { start = end }
            return String(decoding: packed.bytes[start..<end], as: UTF8.self)
        }
    }

    private func digest(_ words: [String]) -> String {
        SHA256.hash(data: words.map { "\($0)\n" }.joined().utf8).hex
    }

    /// The digests are those of the packages' own files, sorted by bytes and without dice numbers.
    @Test func theListsAreThoseOfTheirSources() {
        let long = words(LongWords.text)
        #expect(long.count == 7776)
        #expect(digest(long) == "6d557f0693958fb5e650b68b5bee585eb82cf4da32965505c789e924743bc522")
        let common = words(CommonPasswords.text)
        #expect(common.count == 19640)
        #expect(digest(common) == "5f08645feefa30d4d19aa7fc58d11076977c6c330778aa7833a094f9c48f1e97")
    }

    @Test func noWordOfAPassphraseBeginsWithAnother() {
        let long = words(LongWords.text)
        #expect(Set(long).count == long.count)
        // In a sorted list, a word stands right before those that begin with it.
        for (word, next) in zip(long, long.dropFirst()) { #expect(!next.hasPrefix(word)) }
        for word in long { #expect(3...16 ~= word.utf8.count) }
    }

    @Test func commonPasswordsCountInEitherCase() throws {
        for password in ["password", "Password", "PASSWORD", "123456", "qwerty", "пароль", "friend of emily"]
        {
            let isListed = try PasswordBlocklist.common.contains(password)
            #expect(isListed, "\(password)")
        }
        let longest = String(repeating: "a", count: 10_000)
        for password in ["", "correct horse battery staple", "passwor", "password\n", "пАроль", longest] {
            let isListed = try PasswordBlocklist.common.contains(password)
            #expect(!isListed, "\(password.prefix(20))")
        }
    }

    // MARK: Passphrases

    private func passphrase(_ generator: PassphraseGenerator) throws -> String {
        try generator.generate().withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    @Test func passphrasesAreWordsOfTheList() throws {
        let known = Set(words(LongWords.text))
        for separator in [" ", ".", "→", ", "] {
            let generator = try PassphraseGenerator(wordCount: 40, separator: separator)
            let chosen = try passphrase(generator).components(separatedBy: separator)
            #expect(chosen.count == 40)
            for word in chosen { #expect(known.contains(word), "\(word)") }
        }
        let generator = try PassphraseGenerator(wordCount: 6)
        #expect(abs(generator.bits - 77.54887502163469) < 1e-9)
        let (one, other) = (try passphrase(generator), try passphrase(generator))
        #expect(one != other)
    }

    /// Words by their first letter, compared with the list by the chi-squared statistic. Rare letters are one group.
    @Test func everyWordIsAsFrequent() throws {
        let generator = try PassphraseGenerator(wordCount: 256, separator: " ")
        let long = words(LongWords.text)
        let rounds = TestForm.isDeep ? 400 : 4
        func group(_ word: some StringProtocol) -> String {
            let letter = String(word.prefix(1))
            return "jknqxyz".contains(letter) ? "" : letter
        }
        var counts: [String: Double] = [:]
        for _ in 0..<rounds {
            for word in try passphrase(generator).split(separator: " ") {
                counts[group(word), default: 0] += 1
            }
        }
        let total = Double(rounds * 256)
        #expect(counts.values.reduce(0, +) == total)
        var statistic = 0.0
        for (letter, members) in Dictionary(grouping: long, by: { group($0) }) {
            let expected = total * Double(members.count) / Double(long.count)
            statistic += pow((counts[letter] ?? 0) - expected, 2) / expected
        }
        // With 19 degrees of freedom, fewer than one of a million correct generators are above.
        #expect(statistic < 75)
    }

    @Test func invalidPassphrasesAreRejected() {
        for count in [0, -1, 257, Int.max] {
            #expect(throws: PasswordError.self) { _ = try PassphraseGenerator(wordCount: count) }
        }
        for separator in ["\n", "\u{7F}", String(repeating: "-", count: 17)] {
            #expect(throws: PasswordError.self) {
                _ = try PassphraseGenerator(wordCount: 4, separator: separator)
            }
        }
    }
}
