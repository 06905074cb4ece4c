// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A bucket of a filter file: up to four fingerprints in 128 bits. The fewer there are, the more bits each keeps.
///
/// | fingerprints | bits of each | how the high bits begin |
/// |---|---|---|
/// | 0 | | all 128 bits are 0 |
/// | 1 | 64 | the high number is 1 |
/// | 2 | 61 | 111101 |
/// | 3 | 41 | 11111 |
/// | 4 | 33 | 12 bits that stand for the highest four bits of each, 1 to 3876 |
///
/// Fingerprints are stored from the largest to the smallest.
struct FilterBucket: Sendable, Hashable {
    private(set) var low: UInt64
    private(set) var high: UInt64

    /// Takes the two numbers of a file.
    @inline(__always)
    init(low: UInt64, high: UInt64) {
        (self.low, self.high) = (low, high)
    }

    /// The number of fingerprints, or `nil` if no bucket has such bits.
    @inline(__always)
    private var count: Int? {
        if 1...3876 ~= high >> 52 { return 4 }
        if high <= 1 { return high == 1 ? 1 : low == 0 ? 0 : nil }
        if high >> 59 == 0b11111 { return 3 }
        return high >> 58 == 0b111101 ? 2 : nil
    }

    /// The fingerprints, or `nil` if the bits are not those of a bucket.
    @inline(__always)
    var slots: FilterSlots? {
        guard let count else { return nil }
        var slots = FilterSlots()
        switch count {
        case 1: slots.append(low)
        case 2:
            let mask: UInt64 = 1 << 61 - 1
            slots.append(low & mask)
            slots.append((low >> 61 | high << 3) & mask)
        case 3:
            let mask: UInt64 = 1 << 41 - 1
            slots.append(low & mask)
            slots.append((low >> 41 | high << 23) & mask)
            slots.append(high >> 18 & mask)
        case 4:
            let mask: UInt64 = 1 << 29 - 1
            let highest = UInt64(FilterSlots.sortedCombinations[Int(high >> 52) - 1])
            slots.append(low & mask | (highest & 0xF) << 29)
            slots.append(low >> 29 & mask | (highest >> 4 & 0xF) << 29)
            slots.append((low >> 58 | high << 6) & mask | (highest >> 8 & 0xF) << 29)
            slots.append(high >> 23 & mask | (highest >> 12) << 29)
        default: break
        }
        // The highest four bits of four fingerprints are in order by their encoding, the others are free.
        return count == 4 || slots.areInOrder ? slots : nil
    }

    /// Stores fingerprints, each with as many bits as there is room for.
    init(_ slots: FilterSlots) {
        let mask: UInt64 =
            switch slots.count {
            case 4: 1 << 33 - 1
            case 3: 1 << 41 - 1
            case 2: 1 << 61 - 1
            default: .max
            }
        let sorted = slots.masked(mask).sorted
        let (a, b, c, d) = (sorted[0], sorted[1], sorted[2], sorted[3])
        switch sorted.count {
        case 0: (low, high) = (0, 0)
        case 1: (low, high) = (a, 1)
        case 2: (low, high) = (a | b << 61, b >> 3 | 0b111101 << 58)
        case 3: (low, high) = (a | b << 41, b >> 23 | c << 18 | 0b11111 << 59)
        default:
            let mask: UInt64 = 1 << 29 - 1
            let highest = a >> 29 | (b >> 29) << 4 | (c >> 29) << 8 | (d >> 29) << 12
            let index = UInt64(FilterSlots.index(ofCombination: UInt16(highest)) + 1)
            low = a & mask | (b & mask) << 29 | (c & mask) << 58
            high = (c & mask) >> 6 | (d & mask) << 23 | index << 52
        }
    }
}
