// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Feeds filter files to the reader, as they are and with a header that fits, and words to a small filter.
    static let filterFiles = FuzzTarget("filter-files") { bytes in
        var input = FuzzInput(bytes)
        let isWhole = input.byte() & 1 == 0
        let content = isWhole ? input.remaining : FilterProperties.withHeader(&input)
        try FilterProperties.checkHeader(content)
        try FilterProperties.checkBuckets(content)
        try FilterProperties.checkFile(content)
        try FilterProperties.checkOwn(input.remaining)
    }
}

private enum FilterProperties {
    /// Buckets behind a header that says how many there are.
    static func withHeader(_ input: inout FuzzInput) -> [UInt8] {
        let (threshold, hashID) = (input.number(below: 5), UInt8(input.number(below: 4)))
        let content = input.remaining
        var header = FilterHeader(
            bucketCount: max(1, content.count / 16),
            threshold: threshold,
            hashID: hashID
        )
        header.bucketSize = max(2, threshold)
        return header.bytes + content.prefix(header.bucketCount * 16)
    }

    static func checkHeader(_ content: [UInt8]) throws {
        guard let header = FilterHeader(Array(content.prefix(64))) else { return }
        try require(header.bucketCount > 0 && header.fileByteCount > 64, "a filter has a bucket")
        try require(
            0...header.capacity ~= header.entryCount,
            "no more entries than places: \(header.entryCount)"
        )
        try requireEqual(FilterHeader(header.bytes), header, "a written header is the same header")
    }

    /// Writing a bucket that was read gives the same bits, so each bucket has one form.
    static func checkBuckets(_ content: [UInt8]) throws {
        for start in stride(from: 0, to: content.count - 15, by: 16) {
            func number(_ offset: Int) -> UInt64 {
                content[start + offset..<start + offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            let bucket = FilterBucket(low: number(8), high: number(0))
            guard let slots = bucket.slots else { continue }
            let again = FilterBucket(slots)
            for slot in 0..<slots.count {
                try require(
                    again.slots?.contains(slots[slot], bucketSize: 4) == true,
                    "a bucket has its fingerprints"
                )
            }
            try requireEqual(again.slots?.count, slots.count, "a written bucket has as many fingerprints")
        }
    }

    static func checkFile(_ content: [UInt8]) throws {
        let file = try UnnamedFile(content)
        guard
            let list = [nil, .sha1].lazy.compactMap({
                try? PasswordBlocklist(filter: file.path, hashedWith: $0)
            }).first
        else { return }
        try require(content.count >= 80 && content.count % 16 == 0, "a filter has whole buckets")
        for word in ["", "password", "correct horse", "a", "b", "c"] {
            let answer = try? list.contains(word)
            try requireEqual(try? list.contains(word), answer, "an answer is repeatable")
        }
        try file.truncate()
        for word in ["", "password", "a"] {
            try require((try? list.contains(word)) == nil, "a file that shrank does not answer")
        }
    }

    static func checkOwn(_ text: [UInt8]) throws {
        let words = text.split(separator: UInt8(ascii: "\n")).map(Array.init)
        var filter = try PasswordFilterBuilder(wordCount: words.count)
        var different: Set<[UInt8]> = []
        for word in words {
            try requireEqual(try filter.insert(word), different.insert(word).inserted, "a word is new once")
        }
        for word in words { try require(try !filter.insert(word), "a filter has its words") }
        try requireEqual(filter.statistics.wordCount, different.count, "each word is counted once")
    }
}
