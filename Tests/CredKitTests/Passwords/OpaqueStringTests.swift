// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKit

final class OpaqueStringTests: XCTestCase {
    /// Compares results by their scalars: Swift strings are equal when they are only canonically equivalent.
    private func enforced(_ text: String) -> [Unicode.Scalar]? {
        (try? OpaqueString.enforce(text)).map { Array($0.unicodeScalars) }
    }

    private func assert(
        _ text: String,
        becomes expected: String,
        _ message: String = "",
        file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let why = "\(message) \(text.unicodeScalars.map { String($0.value, radix: 16) })"
        XCTAssertEqual(enforced(text), Array(expected.unicodeScalars), why, file: file, line: line)
    }

    private func assertRefused(
        _ text: String,
        _ message: String = "",
        file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let why = "\(message) \(text.unicodeScalars.map { String($0.value, radix: 16) })"
        XCTAssertThrowsError(try OpaqueString.enforce(text), why, file: file, line: line) {
            XCTAssertEqual($0 as? PasswordError, .passwordNotAllowed, why, file: file, line: line)
        }
    }

    func testTheExamplesOfRFC8265() {
        assert("correct horse battery staple", becomes: "correct horse battery staple", "spaces are allowed")
        assert("Correct Horse Battery Staple", becomes: "Correct Horse Battery Staple", "case is kept")
        assert("πßå", becomes: "πßå", "letters beyond ASCII are allowed")
        assert("Jack of ♦s", becomes: "Jack of ♦s", "symbols are allowed")
        assert("foo\u{1680}bar", becomes: "foo bar", "the Ogham space mark becomes a space")
        assertRefused("", "passwords have one character at least")
        assertRefused("my cat is a \tby", "controls are disallowed")
    }

    /// Compares every single code point and random texts with Python's Unicode data.
    func testAgreesWithPython() throws {
        let count = 5000
        setenv("CREDKIT_SCRIPT", TestScripts.path("opaque_string.py"), 1)
        let pipe = try XCTUnwrap(popen("exec python3 \"$CREDKIT_SCRIPT\" \(count) 2026", "r"))
        var (results, refusals) = (0, 0)
        while let line = readLine(pipe) {
            let fields = line.split(separator: " ").map { $0 == "-" ? nil : text(ofDigits: $0) }
            guard fields.count == 3, let input = fields[0], let decomposed = fields[1] else {
                return XCTFail("unexpected line of the script: \(line)")
            }
            // Skips code points that are assigned in Python's version of Unicode and not in this one.
            if input.unicodeScalars.contains(where: {
                $0.properties.generalCategory == .unassigned && !$0.properties.isNoncharacterCodePoint
            }) {
                continue
            }
            let expected = fields[2].map { Array($0.unicodeScalars) }
            XCTAssertEqual(enforced(input), expected, line)
            XCTAssertEqual(enforced(decomposed), expected, "form D: \(line)")
            if let expected {
                var result = String.UnicodeScalarView()
                result.append(contentsOf: expected)
                XCTAssertEqual(enforced(String(result)), expected, "not idempotent: \(line)")
                results += 1
            } else {
                refusals += 1
            }
        }
        XCTAssertEqual(pclose(pipe), 0)
        XCTAssertGreaterThan(results, 30_000)
        XCTAssertGreaterThan(refusals, 1500)
    }

    private func readLine(_ pipe: UnsafeMutablePointer<FILE>) -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        guard getline(&line, &size, pipe) > 0, let line else { return nil }
        return String(cString: line).trimmingCharacters(in: .newlines)
    }

    private func text(ofDigits digits: Substring) -> String? {
        (try? Hex.decode(digits)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    func testSpacesOfAllScriptsBecomeASCIISpace() {
        let spaces: [UInt32] = [0x20, 0xA0, 0x1680] + Array(0x2000...0x200A) + [0x202F, 0x205F, 0x3000]
        for space in spaces.compactMap({ Unicode.Scalar($0) }) {
            assert("a\(space)b", becomes: "a b")
            assert("\(space)", becomes: " ")
        }
        // None of these is a space, though some look like one.
        for other in [
            "\u{9}", "\u{85}", "\u{200B}", "\u{2028}", "\u{2029}", "\u{2060}", "\u{FEFF}", "\u{3164}",
            "\u{180E}",
        ] {
            assertRefused("a\(other)b")
        }
        assert("a\u{2800}b", becomes: "a\u{2800}b", "an empty cell of Braille is a symbol")
        assert("  a  ", becomes: "  a  ", "spaces are not trimmed")
    }

    func testDisallowedCharactersAreRefused() {
        for value: UInt32 in Array(0...0x1F) + Array(0x7F...0x9F) {
            assertRefused("a\(String(Unicode.Scalar(value) ?? " "))b", "a control")
        }
        let others: [(UInt32, String)] = [
            (0x378, "unassigned"), (0xE000, "private"), (0xF8FF, "private"), (0x10FFFD, "private"),
            (0xFDD0, "a noncharacter"), (0xFFFE, "a noncharacter"), (0x1FFFF, "a noncharacter"),
            (0xAD, "the soft hyphen"), (0x34F, "ignorable"), (0x61C, "a mark of direction"),
            (0x202E, "a mark of direction"), (0x2066, "a mark of direction"),
            (0xFE0F, "a variation selector"),
            (0xE0001, "a tag"), (0xE0100, "a variation selector"), (0x600, "a format character"),
            (0x640, "an exception"), (0x302E, "an exception"), (0x3031, "an exception"),
            (0x303B, "an exception"),
            (0x1100, "a lone Jamo"), (0x1161, "a lone Jamo"), (0xA960, "old Hangul"), (0xD7B0, "old Hangul"),
        ]
        for (value, why) in others {
            assertRefused("a\(String(Unicode.Scalar(value) ?? "\0"))b", why)
        }
        assertRefused("👩‍👩‍👧", "joined with U+200D")
        assertRefused("❤️", "with a variation selector")
        assert("👩❤👧", becomes: "👩❤👧")
        // Exceptions in the other direction, which are allowed.
        for text in ["ß", "ς", "\u{6FD}", "\u{6FE}", "\u{F0B}", "\u{3007}"] { assert(text, becomes: text) }
    }

    func testContextRulesDependOnNeighbours() {
        let allowed = [
            // The middle dot between two l; the keraia before Greek; geresh and gershayim after Hebrew.
            "l·l", "col·lega", "\u{375}α", "א\u{5F3}", "א\u{5F4}ב",
            // The Katakana middle dot, anywhere in a text with a Japanese character.
            "カ・", "・か", "漢・字", "a・bひ",
            // Digits of one kind only.
            "\u{660}\u{661}", "\u{6F0}\u{6F9}", "1\u{660}",
            // Joiners after a virama.
            "क्\u{200D}ष", "क्\u{200C}ष",
        ]
        for text in allowed { assert(text, becomes: text) }
        let refused = [
            "·", "l·", "·l", "a·l", "l·a", "L·L", "\u{375}", "α\u{375}", "\u{375}a", "\u{375} α", "\u{5F3}",
            "\u{5F3}א", "a\u{5F4}",
            "・", "a・b", "・・", "\u{660}\u{6F0}", "\u{6F0}a\u{660}", "\u{200C}", "\u{200D}", "a\u{200C}b",
            "a\u{200D}b", "क\u{200D}ष",
        ]
        for text in refused { assertRefused(text) }
        // Documented limitation: not accepted between joining letters, where RFC 5892 would allow it.
        assertRefused("\u{628}\u{200C}\u{628}")
    }

    /// The rules apply to the normal form: equivalent texts have the same result, and the profile is idempotent.
    func testRulesApplyToTheNormalForm() {
        assertRefused("α\u{387}β", "becomes U+00B7, which is not between two l")
        assertRefused("\u{387}")
        assert("l\u{387}l", becomes: "l·l")
        assert("\u{1112}\u{1161}\u{11AB}", becomes: "한", "the Jamo of a modern syllable")
        assert("\u{212B}\u{212A}\u{2126}", becomes: "\u{C5}KΩ", "signs that are letters")
        assert("A\u{30A}", becomes: "\u{C5}")
        assert("\u{958}", becomes: "\u{915}\u{93C}", "a composition that is excluded")
        assert("q\u{307}\u{323}", becomes: "q\u{323}\u{307}", "marks in canonical order")
        // The virama moves in front of the joiner, or away from it.
        assert("क\u{94D}\u{93C}\u{200D}ष", becomes: "क\u{93C}\u{94D}\u{200D}ष")
        assertRefused("क\u{94D}\u{301}a\u{200D}")
        // Marks that decompose into marks are sorted together with the preceding ones.
        for (sign, marks) in [
            ("\u{F73}", "\u{F71}\u{F72}"), ("\u{F75}", "\u{F71}\u{F74}"), ("\u{F81}", "\u{F71}\u{F80}"),
        ] {
            assert("q\u{307}\(sign)", becomes: "q\(marks)\u{307}")
            assert("e\u{301}\(sign)\u{323}", becomes: "\u{1EB9}\(marks)\u{301}")
        }
        assert("ﬁ①Ａ", becomes: "ﬁ①Ａ", "compatibility characters are kept")
    }

    // MARK: Whole passwords

    func testPolicyNormalizesPasswords() throws {
        var policy = PasswordPolicy(preferred: try .pbkdf2SHA256(iterations: 1))
        policy.normalization = .rfc8265
        let context = try PasswordContext(policy: policy)
        let hash = try context.hash("A\u{30A}\u{A0}b")
        XCTAssertEqual(try context.verify("\u{212B} b", against: hash), .match(rehashed: nil))
        XCTAssertEqual(try context.verify("\u{C5}b", against: hash), .mismatch)
        let plain = try PasswordContext(policy: PasswordPolicy(preferred: .pbkdf2SHA256(iterations: 1)))
        XCTAssertTrue(try plain.verify("\u{C5} b", against: hash).isMatch)
        XCTAssertEqual(try plain.verify("A\u{30A}\u{A0}b", against: hash), .mismatch)

        let impossible: [[UInt8]] = [
            [], [0], Array("a\tb".utf8), Array("a\0b".utf8), [0x61, 0x7F], [0xFF], [0xC3], [0xC0, 0x80],
            [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], Array("\u{200D}".utf8),
        ]
        for password in impossible {
            XCTAssertThrowsError(try context.hash(password), "\(password)") {
                XCTAssertEqual($0 as? PasswordError, .passwordNotAllowed, "\(password)")
            }
            XCTAssertEqual(try context.verify(password, against: hash), .mismatch, "\(password)")
        }
    }
}
