// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An amount of memory.
///
/// ```swift
/// let limits = PasswordLimits(memory: .mebibytes(512))
/// ```
public struct MemorySize: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of bytes, at least 0.
    public let bytes: Int

    private init(clamping bytes: Int, times factor: Int) {
        let (product, overflow) = bytes.multipliedReportingOverflow(by: factor)
        self.bytes = overflow ? (bytes < 0 ? 0 : .max) : max(0, product)
    }

    /// Returns an amount in bytes. A negative number becomes 0.
    public static func bytes(_ count: Int) -> MemorySize { Self(clamping: count, times: 1) }

    /// Returns an amount in units of 1,024 bytes. A number beyond the range of the type becomes its largest value.
    public static func kibibytes(_ count: Int) -> MemorySize { Self(clamping: count, times: 1 << 10) }

    /// Returns an amount in units of 1,048,576 bytes. A number beyond the range of the type becomes its largest value.
    public static func mebibytes(_ count: Int) -> MemorySize { Self(clamping: count, times: 1 << 20) }

    /// Returns an amount in units of 1,073,741,824 bytes. A number beyond the range of the type becomes its largest
    /// value.
    public static func gibibytes(_ count: Int) -> MemorySize { Self(clamping: count, times: 1 << 30) }

    /// The number of whole units of 1,024 bytes.
    public var kibibytes: Int { bytes >> 10 }

    /// Returns whether one amount is smaller than another.
    public static func < (left: MemorySize, right: MemorySize) -> Bool { left.bytes < right.bytes }

    /// The amount in the largest unit that gives a whole number, such as `64 MiB`.
    public var description: String {
        // Packages must be reproducible, and a loop over tuples of shift and unit was compiled to different instructions in
        // different builds.
        var (amount, units) = (bytes, ["bytes", "KiB", "MiB", "GiB"][...])
        while amount > 0, amount % 1024 == 0, units.count > 1 {
            amount /= 1024
            units.removeFirst()
        }
        return "\(amount) \(units[units.startIndex])"
    }
}
