// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Sorts fingerprints, whose bytes are evenly distributed: byte by byte, from the lowest, in time proportional to their
/// number.
package struct FingerprintSorting {
    private var scratch: [UInt64] = []

    package init() {}

    /// Sorts fingerprints. The memory for it is kept for the next time.
    package mutating func sort(_ fingerprints: inout [UInt64]) {
        // For few, counting 256 buckets takes longer than comparing.
        guard fingerprints.count > 256 else { return fingerprints.sort() }
        if scratch.count < fingerprints.count {
            scratch = [UInt64](repeating: 0, count: fingerprints.count)
        }
        let count = fingerprints.count
        unsafe fingerprints.withUnsafeMutableBufferPointer { first in
            unsafe scratch.withUnsafeMutableBufferPointer { second in
                // Eight passes: the sorted values are back in the first buffer.
                for pass in 0..<8 {
                    let isEven = pass % 2 == 0
                    unsafe Self.distribute(
                        isEven ? first : second.extracting(..<count),
                        into: isEven ? second.extracting(..<count) : first,
                        shift: UInt64(pass * 8)
                    )
                }
            }
        }
    }

    /// Moves values into the order of one of their bytes; equal ones stay in their order. The buffers have equal sizes.
    private static func distribute(
        _ source: UnsafeMutableBufferPointer<UInt64>,
        into target: UnsafeMutableBufferPointer<UInt64>,
        shift: UInt64
    ) {
        unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { positions in
            unsafe positions.initialize(repeating: 0)
            for index in source.indices {
                unsafe positions[Int(source[index] >> shift & 0xFF)] += 1
            }
            var start = 0
            for bucket in 0..<256 {
                let size = unsafe positions[bucket]
                unsafe positions[bucket] = start
                start += size
            }
            for index in source.indices {
                let value = unsafe source[index]
                let bucket = Int(value >> shift & 0xFF)
                unsafe target[positions[bucket]] = value
                unsafe positions[bucket] += 1
            }
        }
    }
}
