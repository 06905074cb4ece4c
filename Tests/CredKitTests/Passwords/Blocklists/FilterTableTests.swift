// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Foundation
import XCTest

final class FilterTableTests: XCTestCase {
    private static let isDeep = TestForm.isDeep

    func testBucketsKeepTheirFingerprints() {
        var random = SeededGenerator(seed: 1)
        let masks: [UInt64] = [0, .max, 1 << 61 - 1, 1 << 41 - 1, 1 << 33 - 1]
        XCTAssertEqual(FilterBucket(FilterSlots()), FilterBucket(low: 0, high: 0))
        for round in 0..<20_000 {
            var slots = FilterSlots()
            // Small differences as well: equal fingerprints, zeros, all ones.
            for _ in 0..<(1 + round % 4) {
                slots.append(
                    [random.next(), random.next() >> 31, 0, .max].randomElement(using: &random) ?? 0
                )
            }
            let expected = (0..<slots.count).map { slots[$0] & masks[slots.count] }.sorted(by: >)
            guard let stored = FilterBucket(slots).slots else { return XCTFail("\(expected)") }
            XCTAssertEqual((0..<stored.count).map { stored[$0] }, expected)
        }
    }

    func testCombinationsAreNumberedInOrder() {
        let all = FilterSlots.sortedCombinations
        XCTAssertEqual(all.count, 3876)
        XCTAssertEqual([all.first, all.last], [0x0000, 0xFFFF])
        for (index, combination) in all.enumerated() {
            XCTAssertEqual(FilterSlots.index(ofCombination: combination), index)
        }
        XCTAssertTrue(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
    }

    func testTheOtherBucketOfTheOtherBucketIsTheFirstOne() {
        var random = SeededGenerator(seed: 2)
        for count in [1, 2, 3, 5, 1000, 1 << 20, FilterHeader.maximumBucketCount] {
            for _ in 0..<1000 {
                let bucket = Int.random(in: 0..<count, using: &random)
                let fingerprint = random.next()
                let other = FilterKey.otherBucket(than: bucket, for: fingerprint, of: count)
                XCTAssertTrue(0..<count ~= other)
                XCTAssertEqual(FilterKey.otherBucket(than: other, for: fingerprint, of: count), bucket)
                // Bits that a bucket of four does not keep must not matter.
                XCTAssertEqual(
                    FilterKey.otherBucket(than: bucket, for: fingerprint & 0x1_FFFF_FFFF, of: count),
                    other
                )
            }
        }
    }

    func testFiltersOfEverySizeTakeTheirWords() throws {
        for count in Array(0..<200) + [500, 1000, 5000, 20_000] {
            var filter = try PasswordFilterBuilder(wordCount: count)
            for number in 0..<count { try filter.insert("\(count) \(number)") }
            XCTAssertEqual(filter.statistics.wordCount, count)
            for number in 0..<count { XCTAssertFalse(try filter.insert("\(count) \(number)")) }
        }
    }

    func testAFullFilterIsAnError() throws {
        var filter = try PasswordFilterBuilder(capacity: 400)
        XCTAssertThrowsError(try { for number in 0...400 { try filter.insert("\(number)") } }()) {
            XCTAssertEqual($0 as? PasswordError, .fullFilter)
        }
        XCTAssertGreaterThan(filter.statistics.wordCount, 370)
        for capacity in [Int.max, FilterHeader.maximumBucketCount * 4 + 1] {
            XCTAssertThrowsError(try { _ = try PasswordFilterBuilder(capacity: capacity) }()) {
                XCTAssertEqual($0 as? PasswordError, .overLimit)
            }
        }
        XCTAssertThrowsError(try { _ = try PasswordFilterBuilder(wordCount: .max) }())
        XCTAssertEqual(try PasswordFilterBuilder(capacity: -5).statistics.capacity, 4)
    }

    /// Compares the stated rate with a measurement, for which the last 20 bits of each fingerprint are ignored.
    func testTheFalsePositiveRateIsAsStated() throws {
        let wordCount = Self.isDeep ? 200_000 : 20_000
        for load in [0.3, 0.6, 0.95] {
            let table = try FilterTable(
                FilterHeader(bucketCount: Int(Double(wordCount) / 4 / load), threshold: 2, hashID: 1)
            )
            var filter = PasswordFilterBuilder(table: table)
            for number in 0..<wordCount { try filter.insert("word \(number)") }
            let stated = filter.statistics.falsePositiveRate
            XCTAssertLessThan(stated, 1e-9)
            let tries = Self.isDeep ? 4_000_000 : 200_000
            var (found, random) = (0, SeededGenerator(seed: 3))
            for _ in 0..<tries {
                let hash = [random.next(), random.next()].flatMap { number in
                    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
                }
                guard let key = FilterKey(hash: hash.span) else { return XCTFail("no key") }
                if table.resembles(key, ignoring: 20) { found += 1 }
            }
            let expected = stated * Double(tries) * Double(1 << 20)
            XCTAssertEqual(
                Double(found),
                expected,
                accuracy: max(4.5 * expected.squareRoot(), 3),
                "load \(load)"
            )
        }
    }
}

extension FilterTable {
    /// Returns whether a lookup would find a key if the lowest bits of fingerprints did not count.
    fileprivate func resembles(_ key: FilterKey, ignoring bitCount: Int) -> Bool {
        let first = key.firstBucket(of: header.bucketCount)
        func find(_ index: Int) -> (isThere: Bool, count: Int) {
            var isThere = false
            let count = count(index)
            for slot in 0..<count {
                let stored = fingerprint(slot, of: index)
                let bits = FilterSlots.bitCount(of: stored, bucketSize: header.bucketSize)
                let difference = (stored ^ key.fingerprint) & (UInt64.max >> (64 - bits))
                isThere = isThere || difference >> bitCount == 0
            }
            return (isThere, count)
        }
        let found = find(first)
        if found.isThere || found.count < header.threshold { return found.isThere }
        return find(FilterKey.otherBucket(than: first, for: key.fingerprint, of: header.bucketCount)).isThere
    }
}
