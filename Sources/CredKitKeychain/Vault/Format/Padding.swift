// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Padmé, the padding of Padded Uniform Random Blobs (<https://arxiv.org/abs/1806.03160>, section 4). For a size of L
/// bits only the log2 L highest bits remain, so that a size reveals little and grows by at most 12 %.
enum Padding {
    static func paddedByteCount(_ count: Int, minimum: Int) -> Int {
        guard count > minimum else { return minimum }
        let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
        let kept = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - kept)) - 1
        return (count + mask) & ~mask
    }
}
