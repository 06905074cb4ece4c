// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The first 64 bytes of a filter file in the format of passwdqc's pwqfilter: a cuckoo filter in buckets of 16 bytes.
///
/// The numbers of a file are outside data. The type checks those that an answer depends on; the counts of what was done to
/// the filter are only reported.
struct FilterHeader: Sendable, Hashable {
    static let byteCount = 64
    static let bucketByteCount = 16
    /// The number of fingerprints in a full bucket.
    static let largestBucketSize = 4
    /// The index of a bucket is a product of 32-bit numbers.
    static let maximumBucketCount = (1 << 32) - 1

    private static let version = Array("PWQ0".utf8)
    private static let byteOrder: UInt64 = 0x0807_0605_0403_0201

    /// A first bucket with fewer fingerprints has never sent one to its second bucket.
    let threshold: Int
    /// The largest number of fingerprints that a bucket has had.
    var bucketSize: Int
    /// The hash function: 0 if the file does not record it.
    let hashID: UInt8
    let bucketCount: Int
    var deletes: UInt64 = 0
    var inserts: UInt64 = 0
    var duplicates: UInt64 = 0
    var kicks: UInt64 = 0

    /// Creates the header of an empty filter.
    init(bucketCount: Int, threshold: Int, hashID: UInt8) {
        self.bucketCount = bucketCount
        self.threshold = threshold
        self.hashID = hashID
        bucketSize = threshold
    }

    /// Parses a header; `nil` if it is not one that pwqfilter would accept.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.version) else { return nil }
        func number(_ index: Int) -> UInt64 {
            bytes[index * 8..<index * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let capacity = number(3)
        (deletes, inserts, duplicates, kicks) = (number(4), number(5), number(6), number(7))
        (threshold, bucketSize, hashID) = (Int(bytes[4]), Int(bytes[5]), bytes[6])
        guard number(1) == Self.byteOrder, 2...Self.largestBucketSize ~= bucketSize, threshold <= bucketSize,
            capacity % 4 == 0, 4...UInt64(Self.maximumBucketCount) * 4 ~= capacity,
            inserts &- deletes <= capacity
        else { return nil }
        bucketCount = Int(capacity / 4)
    }

    /// The header as it stands in a file.
    var bytes: [UInt8] {
        let numbers = [
            Self.byteOrder, 0, UInt64(capacity), deletes, inserts, duplicates, kicks,
        ]
        return Self.version + [UInt8(threshold), UInt8(bucketSize), hashID, 0]
            + numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    }

    /// The number of fingerprints that fill all buckets.
    var capacity: Int { bucketCount * Self.largestBucketSize }

    /// The number of entries, as the file has it.
    var entryCount: Int { Int(inserts &- deletes) }

    /// The size of the file.
    var fileByteCount: Int { Self.byteCount + bucketCount * Self.bucketByteCount }

    /// Returns whether a filter has an entry.
    ///
    /// - Parameters:
    ///   - key: The entry.
    ///   - bucket: Returns the bucket at an index, or `nil` if there is none.
    /// - Returns: Whether it is there, or `nil` if a bucket is malformed.
    @inline(__always)
    func contains(_ key: FilterKey, in bucket: (Int) -> FilterBucket?) -> Bool? {
        let first = key.firstBucket(of: bucketCount)
        guard let slots = bucket(first)?.slots, slots.count <= bucketSize else { return nil }
        if slots.contains(key.fingerprint, bucketSize: bucketSize) { return true }
        guard slots.count >= threshold else { return false }
        let second = FilterKey.otherBucket(than: first, for: key.fingerprint, of: bucketCount)
        guard let slots = bucket(second)?.slots, slots.count <= bucketSize else { return nil }
        return slots.contains(key.fingerprint, bucketSize: bucketSize)
    }
}
