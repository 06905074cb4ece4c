// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import CredKitTestSupport
import Foundation
import XCTest

final class FilterFileTests: XCTestCase {
    struct Case: Decodable {
        let name: String
        let hash: String
        let recorded: Bool
        let words: [HexBytes]
        let filter: HexBytes

        var function: PasswordBlocklist.HashFunction? { .all.first { $0.description == hash } }
    }

    private var folder: TemporaryFolder!

    override func setUpWithError() throws { folder = try TemporaryFolder() }
    override func tearDown() { folder = nil }

    private static func cases() throws -> [Case] { try VectorFile<Case>.load("password-filters").cases }

    private func plainFilter() throws -> [UInt8] {
        try XCTUnwrap(Self.cases().first { $0.name == "full buckets" }).filter.bytes
    }

    private func check(_ error: PasswordError, _ bytes: [UInt8], _ line: UInt = #line) throws {
        let path = try folder.write(bytes, "filter")
        XCTAssertThrowsError(try PasswordBlocklist(filter: path), line: line) {
            XCTAssertEqual($0 as? PasswordError, error, "\($0)", line: line)
        }
    }

    // MARK: Files of pwqfilter

    func testFiltersOfTheOtherToolHaveTheirWords() throws {
        for test in try Self.cases() {
            let path = try folder.write(test.filter.bytes, "filter")
            let list = try PasswordBlocklist(filter: path, hashedWith: test.function)
            for word in test.words { XCTAssertTrue(try list.contains(word.bytes), test.name) }
            for number in 0..<1000 { XCTAssertFalse(try list.contains("other \(number)"), test.name) }
        }
    }

    func testTheHashFunctionIsThatOfTheFileOrDeclared() throws {
        for test in try Self.cases() {
            let path = try folder.write(test.filter.bytes, "filter")
            for function in PasswordBlocklist.HashFunction.all {
                let list = Result { try PasswordBlocklist(filter: path, hashedWith: function) }
                XCTAssertEqual(
                    (try? list.get()) != nil,
                    !test.recorded || function == test.function,
                    test.name
                )
            }
            XCTAssertEqual((try? PasswordBlocklist(filter: path)) != nil, test.recorded, test.name)
        }
        var unknown = try plainFilter()
        unknown[6] = 3
        try check(.malformedBlocklist, unknown)
    }

    func testOwnFiltersAreReadBack() throws {
        for function in PasswordBlocklist.HashFunction.all {
            let words = (0..<500).map { "wörd \($0)" }
            var filter = try PasswordFilterBuilder(wordCount: words.count, hashedWith: function)
            for word in words { XCTAssertTrue(try filter.insert(word)) }
            for word in words { XCTAssertFalse(try filter.insert(word)) }
            XCTAssertEqual(filter.statistics.wordCount, 500)
            XCTAssertEqual(filter.statistics.duplicateCount, 500)
            let path = folder["own \(function)"]
            try filter.write(toNewFile: path)
            XCTAssertThrowsError(try filter.write(toNewFile: path)) {
                XCTAssertEqual($0 as? PasswordError, .unwritableFilter)
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
            XCTAssertEqual(attributes[.size] as? Int, filter.statistics.byteCount)
            let list = try PasswordBlocklist(filter: path, hashedWith: function)
            for word in words {
                XCTAssertTrue(try list.contains(word))
                XCTAssertFalse(try list.contains("\(word) "))
            }
        }
    }

    // MARK: Hostile files

    func testHeadersThatAreNotOfAFilterAreRefused() throws {
        let filter = try plainFilter()
        XCTAssertNoThrow(try PasswordBlocklist(filter: folder.write(filter, "filter")))
        // Version, threshold above the bucket's size, bucket sizes, order of bytes, capacity.
        for (index, value) in [
            (0, 0x51), (3, 0x31), (4, 5), (5, 1), (5, 5), (5, 0), (8, 0), (15, 7), (24, 65), (24, 0), (28, 1),
            (31, 0x80),
            (40, 200), (47, 1),
        ] {
            var changed = filter
            changed[index] = UInt8(value)
            try check(.malformedBlocklist, changed)
        }
    }

    func testFilesOfAnotherSizeAreRefused() throws {
        let filter = try plainFilter()
        for count in [0, 1, 63, 64, 65, filter.count - 16, filter.count - 1] {
            try check(.malformedBlocklist, Array(filter.prefix(count)))
        }
        try check(.malformedBlocklist, filter + [0])
        try check(.malformedBlocklist, filter + Array(repeating: 0, count: 16))
        // 64 GiB are not allocated or mapped for a header that asks for them.
        let huge = FilterHeader(bucketCount: FilterHeader.maximumBucketCount, threshold: 2, hashID: 1)
        try check(.malformedBlocklist, huge.bytes + filter.dropFirst(64))
    }

    func testDamagedBucketsAreFoundWhenTheyAreRead() throws {
        let filter = try plainFilter()
        let zeros = Array(repeating: UInt8(0), count: 8)
        // A beginning that no bucket has, an empty bucket that is not empty, two and three fingerprints out of order.
        for damage: [UInt8] in [
            Array(repeating: 0xF3, count: 16), zeros + [1] + zeros.dropLast(),
            [1, 0, 0, 0, 0, 0, 0, 0xF4] + zeros,
            [0, 0, 4, 0, 0, 0, 0, 0xF8] + zeros,
        ] {
            let path = try folder.write(filter.prefix(64) + (0..<16).flatMap { _ in damage }, "filter")
            let list = try PasswordBlocklist(filter: path)
            XCTAssertThrowsError(try list.contains("word 1")) {
                XCTAssertEqual($0 as? PasswordError, .malformedBlocklist)
            }
        }
    }

    func testAFileThatShrinksOrChangesIsAnError() throws {
        var filter = try PasswordFilterBuilder(wordCount: 100_000)
        for number in 0..<100 { try filter.insert("word \(number)") }
        let path = folder["filter"]
        try filter.write(toNewFile: path)
        let list = try PasswordBlocklist(filter: path)
        XCTAssertTrue(try list.contains("word 1"))
        // Touching a page beyond the new end would end the process.
        XCTAssertEqual(truncate(path, 4096), 0)
        for number in 0..<1000 {
            XCTAssertThrowsError(try list.contains("word \(number)")) {
                XCTAssertEqual($0 as? PasswordError, .changedBlocklist)
            }
        }
    }

    func testAFileThatIsReplacedStaysInUse() throws {
        let path = try folder.write(plainFilter(), "filter")
        let list = try PasswordBlocklist(filter: path)
        let empty = try PasswordFilterBuilder(wordCount: 1)
        try empty.write(toNewFile: folder["new"])
        XCTAssertEqual(rename(folder["new"], path), 0)
        XCTAssertTrue(try list.contains("word 1"))
        XCTAssertFalse(try PasswordBlocklist(filter: path).contains("word 1"))
    }

    func testOnlyOrdinaryFilesAreOpened() throws {
        XCTAssertEqual(mkfifo(folder["pipe"], 0o600), 0)
        for path in [folder["pipe"], folder.path, folder["missing"], "/dev/zero", "a\0b", ""] {
            for open: (String) throws -> PasswordBlocklist in [
                { try PasswordBlocklist(filter: $0) }, { try PasswordBlocklist(wordsIn: $0) },
                { try PasswordBlocklist(pwnedHashesIn: $0) },
            ] {
                XCTAssertThrowsError(try open(path)) {
                    XCTAssertEqual($0 as? PasswordError, .unreadableBlocklist, "\(path): \($0)")
                }
            }
        }
    }
}
