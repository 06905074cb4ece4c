// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Up to four fingerprints.
struct FilterSlots: Sendable {
    private var values: InlineArray<4, UInt64> = .init(repeating: 0)
    private(set) var count = 0

    @inline(__always)
    init() {}

    @inline(__always)
    mutating func append(_ value: UInt64) {
        values[count] = value
        count += 1
    }

    /// The fingerprint at an index below 4; 0 if there are fewer.
    subscript(index: Int) -> UInt64 {
        get { values[index] }
        set { values[index] = newValue }
    }

    /// Whether no fingerprint is larger than the one before it.
    @inline(__always)
    var areInOrder: Bool {
        (count < 2 || values[0] >= values[1]) && (count < 3 || values[1] >= values[2])
    }

    /// The fingerprints from the largest to the smallest.
    var sorted: Self {
        var sorted = self
        for index in 0..<count {
            var place = index
            while place > 0 && sorted.values[place - 1] < sorted.values[place] {
                sorted.values.swapAt(place - 1, place)
                place -= 1
            }
        }
        return sorted
    }

    /// The fingerprints with only the bits of a mask.
    func masked(_ mask: UInt64) -> Self {
        var masked = self
        for index in 0..<count { masked.values[index] &= mask }
        return masked
    }

    /// Returns whether one of these fingerprints is that of an entry, as far as it was stored.
    ///
    /// - Parameters:
    ///   - fingerprint: The whole fingerprint of the entry.
    ///   - bucketSize: The largest number of fingerprints that a bucket of the filter has had.
    /// - Returns: Whether one is.
    @inline(__always)
    func contains(_ fingerprint: UInt64, bucketSize: Int) -> Bool {
        for index in 0..<count where UInt32(truncatingIfNeeded: values[index] ^ fingerprint) == 0 {
            let mask = UInt64.max >> (64 - Self.bitCount(of: values[index], bucketSize: bucketSize))
            if (values[index] ^ fingerprint) & mask == 0 { return true }
        }
        return false
    }

    /// Returns the number of bits of a stored fingerprint that are known to be those of its entry.
    ///
    /// Zeros above the bits of a fuller bucket say nothing: the fingerprint may have been in one before.
    @inline(__always)
    static func bitCount(of stored: UInt64, bucketSize: Int) -> Int {
        if bucketSize == 4 && stored >> 33 == 0 { return 33 }
        if bucketSize >= 3 && stored >> 41 == 0 { return 41 }
        return stored >> 61 == 0 ? 61 : 64
    }

    // MARK: The highest bits of four fingerprints

    /// All combinations of four numbers of four bits in which no number is larger than the one in the bits below it,
    /// from the smallest to the largest.
    static let sortedCombinations: [UInt16] = {
        var combinations: [UInt16] = []
        combinations.reserveCapacity(3876)
        for d in 0..<16 as Range<UInt16> {
            for c in d..<16 {
                for b in c..<16 { for a in b..<16 { combinations.append(d << 12 | c << 8 | b << 4 | a) } }
            }
        }
        return combinations
    }()

    /// Returns the place of a combination among the sorted ones, which it is one of.
    static func index(ofCombination combination: UInt16) -> Int {
        var range = 0..<sortedCombinations.count
        while range.count > 1 {
            let middle = range.lowerBound + range.count / 2
            range =
                sortedCombinations[middle] <= combination
                ? middle..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
