// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Loops over contiguous bytes take a quarter of the time of those over `utf8`.
extension String {
    /// Returns whether two texts are the same bytes. `==` compares characters, which may have several spellings.
    @inline(__always)
    func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count
            && utf8.withContiguousSpan { left in
                other.utf8.withContiguousSpan { right in
                    for index in left.indices where left[index] != right[index] { return false }
                    return true
                }
            }
    }

    /// Returns whether any byte meets a condition.
    func hasByte(where isSought: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousSpan { bytes in
            for index in bytes.indices where isSought(bytes[index]) { return true }
            return false
        }
    }
}
