// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a filter takes of the hash of a word: the place of its first bucket, and a fingerprint that is stored there or in
/// a second bucket, whose place follows from the first one and the fingerprint.
struct FilterKey: Sendable {
    /// The smallest number of bits of a fingerprint that is ever stored, less one: only these choose a bucket.
    private static let placeMask: UInt64 = 0xFFFF_FFFF

    private let place: UInt32
    let fingerprint: UInt64

    /// Takes a key of the first 16 bytes of a hash, or `nil` if there are fewer.
    init?(hash: Span<UInt8>) {
        guard hash.count >= 16 else { return nil }
        var place: UInt32 = 0
        var fingerprint: UInt64 = 0
        for index in 0..<4 { place = place << 8 | UInt32(hash[index]) }
        for index in (8..<16).reversed() { fingerprint = fingerprint << 8 | UInt64(hash[index]) }
        // Hexadecimal digits are swapped in pairs, so that a sorted list of hashes fills the table in two sweeps.
        self.place = (place & 0x0F0F_0F0F) << 4 | (place >> 4) & 0x0F0F_0F0F
        self.fingerprint = fingerprint
    }

    /// The first bucket of this key.
    @inline(__always)
    func firstBucket(of bucketCount: Int) -> Int { Self.scale(place, to: bucketCount) }

    /// The other bucket of a fingerprint that is in one bucket. The other one of that is the first one again.
    @inline(__always)
    static func otherBucket(than bucket: Int, for fingerprint: UInt64, of bucketCount: Int) -> Int {
        let step = scale(UInt32(truncatingIfNeeded: fingerprint & placeMask), to: bucketCount)
        let other = bucketCount - 1 - bucket - step
        return other < 0 ? other + bucketCount : other
    }

    /// Returns a number below a bound, in proportion to a number of 32 bits.
    @inline(__always)
    private static func scale(_ number: UInt32, to bound: Int) -> Int {
        Int((UInt64(number) &* UInt64(bound)) >> 32)
    }
}
