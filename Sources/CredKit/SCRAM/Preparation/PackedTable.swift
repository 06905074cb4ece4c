// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Numbers of equal width in a string literal: six bits a character, the highest first.
///
/// A literal is constant memory of the program, and the compiler does not look at its elements one by one, as it does for
/// an array of thousands of numbers.
struct PackedTable: Sendable {
    private let text: String
    private let width: Int

    /// Creates a table whose numbers have `width` characters each.
    init(_ text: String, width: Int) {
        self.text = text
        self.width = width
    }

    var count: Int { text.utf8.count / width }

    subscript(index: Int) -> UInt64 {
        let characters = text.utf8.span
        var value: UInt64 = 0
        for position in index * width..<(index + 1) * width {
            value = value << 6 | UInt64(characters[position] &- 0x3F)
        }
        return value
    }

    /// Returns the last number that is not above another one. The table is sorted.
    func last(notAbove limit: UInt64) -> UInt64? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1] : nil
    }
}
