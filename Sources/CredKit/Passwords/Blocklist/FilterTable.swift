// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The buckets of a filter that is being made, and its header. Its builder, which is its only owner, cannot be copied.
@safe
final class FilterTable {
    var header: FilterHeader
    /// Two numbers for each bucket, as they stand in a file, little-endian.
    private let numbers: UnsafeMutableBufferPointer<UInt64>

    init(_ header: FilterHeader) throws(PasswordError) {
        let count = header.bucketCount * 2
        // The system gives out zeroed pages when they are first written.
        guard let memory = unsafe calloc(count, 8) else {
            throw .outOfMemory("there is not enough memory for a filter of \(MemorySize.bytes(count * 8))")
        }
        unsafe numbers = UnsafeMutableBufferPointer(
            start: memory.bindMemory(to: UInt64.self, capacity: count),
            count: count
        )
        self.header = header
    }

    deinit { unsafe free(numbers.baseAddress) }

    private func bucket(_ index: Int) -> FilterBucket {
        unsafe FilterBucket(
            low: UInt64(littleEndian: numbers[index * 2 + 1]),
            high: UInt64(littleEndian: numbers[index * 2])
        )
    }

    private func slots(_ index: Int) -> FilterSlots {
        // Only this type writes buckets, so they are well-formed.
        bucket(index).slots ?? FilterSlots()
    }

    private func store(_ slots: FilterSlots, in index: Int) {
        let bucket = FilterBucket(slots)
        unsafe numbers[index * 2] = bucket.high.littleEndian
        unsafe numbers[index * 2 + 1] = bucket.low.littleEndian
    }

    func contains(_ key: FilterKey) -> Bool { header.contains(key) { bucket($0) } ?? false }

    /// The number of fingerprints in a bucket.
    func count(_ index: Int) -> Int { slots(index).count }

    /// A fingerprint of a bucket.
    func fingerprint(_ slot: Int, of index: Int) -> UInt64 { slots(index)[slot] }

    /// Adds a fingerprint to a bucket. Returns whether there was room.
    func append(_ fingerprint: UInt64, to index: Int) -> Bool {
        var slots = slots(index)
        guard slots.count < header.bucketSize else { return false }
        slots.append(fingerprint)
        store(slots, in: index)
        return true
    }

    /// Returns whether there is room for a fingerprint of a bucket in its other bucket.
    func hasRoom(beside index: Int, _ slot: Int) -> Bool {
        let other = FilterKey.otherBucket(
            than: index,
            for: fingerprint(slot, of: index),
            of: header.bucketCount
        )
        return count(other) < header.bucketSize
    }

    /// Replaces a fingerprint of a full bucket. Returns the old one, and the other bucket that it belongs to.
    func replace(_ slot: Int, of index: Int, with fingerprint: UInt64) -> (UInt64, Int) {
        var slots = slots(index)
        let old = slots[slot]
        slots[slot] = fingerprint
        store(slots, in: index)
        header.kicks += 1
        return (old, FilterKey.otherBucket(than: index, for: old, of: header.bucketCount))
    }

    /// Calls `body` with all buckets as they stand in a file.
    func withBytes<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        try body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(numbers)))
    }

    /// The part of all words without the filter's own that it takes for one of its own, were it to hash them randomly.
    var falsePositiveRate: Double {
        var (sum, followed) = (0.0, 0.0)
        for index in 0..<header.bucketCount {
            let slots = slots(index)
            for slot in 0..<slots.count {
                let bits = FilterSlots.bitCount(of: slots[slot], bucketSize: header.bucketSize)
                sum += Double(sign: .plus, exponent: -bits, significand: 1)
            }
            if slots.count >= header.threshold { followed += 1 }
        }
        let buckets = Double(header.bucketCount)
        return sum / buckets * (1 + followed / buckets)
    }
}

extension PasswordFilterBuilder {
    /// The size and the content of a filter.
    public struct Statistics: Sendable, Hashable {
        /// The number of words that would fill the filter completely.
        public let capacity: Int
        /// The number of words that it has.
        public let wordCount: Int
        /// The number of words that were not added, because they or words with the same fingerprint were there already.
        public let duplicateCount: Int
        /// The size of its file in bytes.
        public let byteCount: Int
        /// The part of all other words for which the answer will be that they are on the list: at most 8 in 2³³, about
        /// one in 10⁹.
        public let falsePositiveRate: Double

        init(_ table: FilterTable) {
            capacity = table.header.capacity
            wordCount = table.header.entryCount
            duplicateCount = Int(clamping: table.header.duplicates)
            byteCount = table.header.fileByteCount
            falsePositiveRate = table.falsePositiveRate
        }
    }
}
