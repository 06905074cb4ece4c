// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Foundation
import XCTest

final class PasswordGeneratorTests: XCTestCase {
    private static let isDeep = TestForm.isDeep
    private static let characterCount = isDeep ? 10_000_000 : 100_000

    private func text(_ generator: PasswordGenerator) throws -> String {
        try generator.generate().withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    /// Returns how many standard deviations the chi-squared statistic of counts is above its mean, by the approximation of
    /// Wilson and Hilferty (1931).
    private func deviation(_ counts: [Int]) -> Double {
        let expected = Double(counts.reduce(0, +)) / Double(counts.count)
        let statistic = counts.reduce(0) { $0 + pow(Double($1) - expected, 2) / expected }
        let freedom = Double(counts.count - 1)
        let spread = 2 / (9 * freedom)
        return (pow(statistic / freedom, 1 / 3) - (1 - spread)) / spread.squareRoot()
    }

    // MARK: Distribution

    func testEveryCharacterIsAsFrequent() throws {
        for alphabet in [
            PasswordGenerator.Alphabet.digits, .alphanumeric, .printable,
        ] {
            let generator = try PasswordGenerator(length: 4000, alphabet: alphabet)
            var counts = Dictionary(uniqueKeysWithValues: alphabet.characters.unicodeScalars.map { ($0, 0) })
            for _ in 0..<Self.characterCount / 4000 {
                for scalar in try text(generator).unicodeScalars { counts[scalar, default: 0] += 1 }
            }
            XCTAssertEqual(counts.count, alphabet.scalars.count)
            // One of a million correct generators is further away.
            XCTAssertLessThan(abs(deviation(Array(counts.values))), 4.9, "\(alphabet)")
        }
    }

    func testEveryCharacterOfAnOwnAlphabetIsAsFrequent() throws {
        let generator = try PasswordGenerator(length: 4000, alphabet: .init("äöüß7"))
        var counts: [Unicode.Scalar: Int] = [:]
        for _ in 0..<10 {
            for scalar in try text(generator).unicodeScalars { counts[scalar, default: 0] += 1 }
        }
        XCTAssertEqual(counts.count, 5)
        XCTAssertLessThan(abs(deviation(Array(counts.values))), 4.9)
    }

    func testPairsOfCharactersAreAsFrequent() throws {
        let generator = try PasswordGenerator(length: 4000, alphabet: .hexadecimal)
        var counts = Array(repeating: 0, count: 256)
        for _ in 0..<Self.characterCount / 4000 {
            let bytes = try Hex.decode(text(generator))
            for byte in bytes { counts[Int(byte)] += 1 }
        }
        XCTAssertLessThan(abs(deviation(counts)), 4.9)
    }

    /// The same measurement finds the bias of a remainder, so it would find it in the generator.
    func testTheMeasurementFindsAModuloBias() {
        var counts = Array(repeating: 0, count: 62)
        for byte in SecureRandom.bytes(count: 500_000) { counts[Int(byte) % 62] += 1 }
        XCTAssertGreaterThan(deviation(counts), 20)
    }

    func testEveryNumberHasEquallyManyRandomOnes() {
        for bound in [1, 2, 3, 10, 31, 62, 94, 255, 256, 257, 1024] {
            var counts = Array(repeating: 0, count: bound)
            for number in 0..<65_536 {
                if let scaled = RandomNumbers.scale(number, below: bound) { counts[scaled] += 1 }
            }
            XCTAssertEqual(Set(counts).count, 1, "\(bound)")
            XCTAssertEqual(counts[0], 65_536 / bound)
        }
    }

    // MARK: Form

    func testLengthAndStrength() throws {
        XCTAssertEqual(try text(PasswordGenerator(length: 1)).count, 1)
        XCTAssertEqual(try text(PasswordGenerator(length: 4096)).count, 4096)
        for (bits, alphabet, length) in [
            (128, PasswordGenerator.Alphabet.alphanumeric, 22), (128, .hexadecimal, 32),
            (129, .hexadecimal, 33),
            (1, .digits, 1), (64, .printable, 10), (80, .readable, 17),
        ] {
            let generator = try PasswordGenerator(bits: bits, alphabet: alphabet)
            XCTAssertEqual(generator.length, length)
            XCTAssertGreaterThanOrEqual(generator.bits, Double(bits))
            XCTAssertEqual(try text(generator).count, length)
        }
        XCTAssertEqual(try PasswordGenerator(length: 10, alphabet: .hexadecimal).bits, 40)
        for body: () throws -> PasswordGenerator in [
            { try PasswordGenerator(length: 0) }, { try PasswordGenerator(length: 4097) },
            { try PasswordGenerator(length: .min) }, { try PasswordGenerator(bits: 0) },
            { try PasswordGenerator(bits: .max) },
            { try PasswordGenerator(bits: 4097, alphabet: .init("ab")) },
        ] {
            XCTAssertThrowsError(try body()) { XCTAssertEqual($0 as? PasswordError, .invalidParameters) }
        }
    }

    func testGroupsCanBeReadOut() throws {
        for (length, groups) in [(1, [1]), (5, [5]), (6, [5, 1]), (15, [5, 5, 5]), (17, [5, 5, 5, 2])] {
            let password = try text(PasswordGenerator(length: length, alphabet: .readable, isGrouped: true))
            XCTAssertEqual(
                password.split(separator: "-", omittingEmptySubsequences: false).map(\.count),
                groups
            )
        }
        let readable = PasswordGenerator.Alphabet.readable
        XCTAssertEqual(readable.scalars.count, 31)
        XCTAssertTrue(Set("01ilo").isDisjoint(with: readable.characters))
    }

    func testAlphabetsHaveEachCharacterOnce() throws {
        for (name, alphabet) in PasswordGenerator.Alphabet.named {
            XCTAssertEqual(Set(alphabet.scalars).count, alphabet.scalars.count, name)
            XCTAssertEqual(try PasswordGenerator.Alphabet(alphabet.characters), alphabet, name)
        }
        for characters in [
            "", "a", "aa", "aba", "a b", "a\n", "ab\u{301}", "a\u{200B}", "a\u{202E}", "a\u{E000}",
            // The signs of Ohm and Kelvin, and Hangul whose letters become one character.
            "\u{2126}\u{3A9}", "K\u{212A}", "\u{1100}\u{1161}", "\u{AC00}\u{11A8}",
        ] {
            XCTAssertThrowsError(try PasswordGenerator.Alphabet(characters), characters.debugDescription)
        }
        let many = String(String.UnicodeScalarView((0x4E00...0x5200).compactMap(Unicode.Scalar.init)))
        XCTAssertThrowsError(try PasswordGenerator.Alphabet(many))
        let most = try PasswordGenerator.Alphabet(String(many.prefix(1024)))
        XCTAssertEqual(try text(PasswordGenerator(length: 50, alphabet: most)).count, 50)
    }

    func testPasswordsDifferAndAreNotPrinted() throws {
        let generator = try PasswordGenerator(bits: 128)
        XCTAssertNotEqual(try generator.generate(), try generator.generate())
        XCTAssertEqual("\(generator)", "‹generator of 22 characters, 130 bits›")
        XCTAssertEqual("\(try generator.generate())", "‹redacted›")
    }
}
