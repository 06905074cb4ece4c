// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import CredKitTestSupport
import Foundation
import XCTest

final class PwnedListTests: XCTestCase {
    private var folder: TemporaryFolder!

    override func setUpWithError() throws { folder = try TemporaryFolder() }
    override func tearDown() { folder = nil }

    private func hash(_ word: String) -> String { Legacy.SHA1.hash(data: word.utf8).hex.uppercased() }

    private func lines(_ words: [String], _ ending: String = "\r\n") -> String {
        words.map(hash).sorted().enumerated().map { "\($1):\($0 % 7 + 1)\(ending)" }.joined()
    }

    /// Checks that an operation throws an error.
    private func check(_ error: PasswordError, _ line: UInt = #line, _ body: () throws -> Void) {
        XCTAssertThrowsError(try body(), line: line) {
            XCTAssertEqual($0 as? PasswordError, error, "\($0)", line: line)
        }
    }

    // MARK: The sorted file

    func testSortedHashesAreFound() throws {
        for count in [1, 2, 77, 78, 2000] {
            let words = (0..<count).map { "word \($0)" }
            for ending in ["\n", "\r\n"] {
                let text = lines(words, ending)
                for text in [text, String(text.dropLast())] {
                    let path = try folder.write(text, "hashes")
                    let list = try PasswordBlocklist(pwnedHashesIn: path)
                    for word in words.prefix(100) {
                        XCTAssertTrue(try list.contains(word), "\(count) \(word)")
                    }
                    for number in 0..<100 { XCTAssertFalse(try list.contains("other \(number)")) }
                }
            }
            let path = try folder.write(lines(words).lowercased(), "hashes")
            XCTAssertTrue(try PasswordBlocklist(pwnedHashesIn: path).contains("word 0"))
        }
    }

    func testHashesOfUTF16AreFound() throws {
        // The NT hash of "password" is in every introduction to it.
        let path = try folder.write("8846F7EAEE8FB117AD06BDD830B7586C:42\n", "hashes")
        let list = try PasswordBlocklist(pwnedHashesIn: path, hashedWith: .ntlm)
        XCTAssertTrue(try list.contains("password"))
        XCTAssertFalse(try list.contains("Password"))
        XCTAssertFalse(try list.contains([0xFF, 0x70]))
        check(.malformedBlocklist) { _ = try PasswordBlocklist(pwnedHashesIn: path) }
    }

    func testListsInAnotherOrderAreRefused() throws {
        var random = SeededGenerator(seed: 4)
        let sorted = lines((0..<5000).map { "word \($0)" })
        let shuffled = sorted.split(separator: "\r\n").shuffled(using: &random).joined(separator: "\n")
        let list = try PasswordBlocklist(pwnedHashesIn: folder.write(shuffled, "hashes"))
        var refused = 0
        for number in 0..<200 {
            // By luck, a hash can be met before two that are out of order.
            do { _ = try list.contains("word \(number)") } catch { refused += 1 }
        }
        XCTAssertGreaterThan(refused, 195)
    }

    func testMalformedHashesAreRefused() throws {
        let digits = String(repeating: "0", count: 40)
        for text in [
            "", "\n", "password\n", digits, "\(digits):\n", "\(digits):x\n", "\(digits):1234567890123\n",
            "0\(digits):1\n",
            "\(digits.dropLast()):1\n", "\(digits.dropLast())g:1\n", "\(digits) 1\n", "\(digits):-1\n",
            "\u{FEFF}\(digits):1\n",
        ] {
            let path = try folder.write(text, "hashes")
            check(.malformedBlocklist) { _ = try PasswordBlocklist(pwnedHashesIn: path) }
        }
        // A file of zeros, without any line.
        let zeros = [UInt8](lines(["a"]).utf8) + Array(repeating: 0, count: 100_000)
        let list = try PasswordBlocklist(pwnedHashesIn: folder.write(zeros, "hashes"))
        check(.malformedBlocklist) { _ = try list.contains("a") }
    }

    func testASortedFileThatShrinksIsAnError() throws {
        let path = try folder.write(lines((0..<5000).map { "word \($0)" }), "hashes")
        let list = try PasswordBlocklist(pwnedHashesIn: path)
        XCTAssertEqual(truncate(path, 100), 0)
        check(.changedBlocklist) { _ = try list.contains("word 1") }
    }

    // MARK: Ranges

    func testRangesAreFound() throws {
        for name in ["", ".txt"] {
            let word = "password\(name)"
            let digits = hash(word)
            let path = try folder.write("\(digits.dropFirst(5)):3\r\n", "\(digits.prefix(5))\(name)")
            let list = try PasswordBlocklist(pwnedRangesIn: folder.path)
            XCTAssertTrue(try list.contains(word))
            _ = try folder.write("\(digits.dropFirst(5)):0\r\n", "\(digits.prefix(5))\(name)")
            // Padding of the answers of the service.
            XCTAssertFalse(try list.contains(word), path)
            _ = try folder.write(String(repeating: "0", count: 35) + ":1", "\(digits.prefix(5))\(name)")
            XCTAssertFalse(try list.contains(word))
        }
    }

    func testARangeThatIsMissingOrMalformedIsAnError() throws {
        let list = try PasswordBlocklist(pwnedRangesIn: folder.path)
        check(.unreadableBlocklist) { _ = try list.contains("password") }
        let name = String(hash("password").prefix(5))
        for text in [
            "", "\n", String(repeating: "0", count: 34) + ":1", "<html>", hash("password"),
            String(repeating: String(repeating: "0", count: 35) + ":1\n", count: 30_000),
        ] {
            _ = try folder.write(text, name)
            check(.malformedBlocklist) { _ = try list.contains("password") }
        }
        for path in [folder["missing"], folder[name], "a\0b"] {
            check(.unreadableBlocklist) { _ = try PasswordBlocklist(pwnedRangesIn: path) }
        }
        try FileManager.default.removeItem(atPath: folder[name])
        XCTAssertEqual(mkfifo(folder[name], 0o600), 0)
        check(.unreadableBlocklist) { _ = try list.contains("password") }
    }

    // MARK: Words

    func testWordsAreLinesOfAnyKind() throws {
        let list = try PasswordBlocklist(
            wordsIn: folder.write("password\r\n\n with space \nä\n\u{0}\nlast", "words")
        )
        for word in ["password", "", " with space ", "ä", "\0", "last"] {
            XCTAssertTrue(try list.contains(word), word)
        }
        for word in ["Password", "password\r", "pass", "a\u{308}", "with space"] {
            XCTAssertFalse(try list.contains(word), word)
        }
        XCTAssertFalse(try PasswordBlocklist(wordsIn: folder.write("", "words")).contains(""))
        let own = PasswordBlocklist(words: ["one", "two", "two"], name: "own")
        XCTAssertTrue(try own.contains("two") && own.contains(Array("one".utf8)))
        XCTAssertFalse(try own.contains("onetwo"))
        XCTAssertEqual("\(own)", "‹blocklist own›")
    }

    func testAListThatIsTooLargeForMemoryIsRefused() throws {
        let path = try folder.write("", "words")
        XCTAssertEqual(truncate(path, off_t(WordSet.maximumByteCount) + 1), 0)
        check(.overLimit) { _ = try PasswordBlocklist(wordsIn: path) }
    }

    /// The places of words take more memory than short words.
    func testAListOfTooManyWordsIsRefused() throws {
        let path = try folder.write("a\nb\n\r\n\nb\n\n", "words")
        let list = try WordSet(file: Array(path.utf8), maximumWordCount: 4)
        XCTAssertEqual(list.wordCount, 4, "empty lines count once")
        for (word, isListed) in [("", true), ("b", true), ("ab", false)] {
            XCTAssertEqual(list.contains(Array(word.utf8).span), isListed, word)
        }
        XCTAssertThrowsError(try WordSet(file: Array(path.utf8), maximumWordCount: 3)) {
            XCTAssertEqual($0 as? PasswordError, .overLimit)
            XCTAssertTrue("\($0)".contains("more than 3 words; make a filter"), "\($0)")
        }
    }

    func testLinesAreSplitWhereverAPieceEnds() throws {
        let text = Array("one\r\ntwo\n\n\rthree\r\rfour\n\r\nlast".utf8)
        let expected = ["one", "two", "", "\rthree\r\rfour", "", "last"].map { Array($0.utf8) }
        for count in 1...text.count {
            var (splitter, lines) = (LineSplitter(), [[UInt8]]())
            for start in stride(from: 0, to: text.count, by: count) {
                let piece = text[start..<min(text.count, start + count)]
                try splitter.split(Array(piece).span) { line in lines.append(line.indices.map { line[$0] }) }
            }
            try splitter.finish { line in lines.append(line.indices.map { line[$0] }) }
            XCTAssertEqual(lines, expected, "\(count)")
            XCTAssertEqual(splitter.lineCount, 6)
        }
        var (whole, kept) = (LineSplitter(keepsReturns: true), [Int]())
        for piece in ["one\r", "\ntwo\r\nthree\r"] {
            try whole.split(Array(piece.utf8).span) { kept.append($0.count) }
        }
        try whole.finish { kept.append($0.count) }
        XCTAssertEqual(kept, [4, 4, 6])
        var splitter = LineSplitter()
        let piece = Array(repeating: UInt8(ascii: "a"), count: LineSplitter.maximumByteCount)
        try splitter.split(piece.span) { _ in }
        check(.malformedBlocklist) { try splitter.split([UInt8(ascii: "a")].span) { _ in } }
    }
}
