// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What one computation of a hash takes, reckoned from its parameters.
package struct PasswordExpense: Sendable, Hashable {
    /// Memory in bytes.
    package let memoryByteCount: Int

    /// Time in seconds on one core of an AMD EPYC of the 2020s, within a factor of three.
    package let seconds: Double

    /// Memory held over time, which is what a machine for guessing costs.
    var memoryTime: Double { Double(memoryByteCount) * seconds }

    init(memoryByteCount: Int = 64 * 1024, seconds: Double) {
        self.memoryByteCount = memoryByteCount
        self.seconds = seconds
    }

    /// How often a hash that takes salt and password into a buffer of `blockByteCount` again and again is
    /// slowed down by a long password.
    static func blocks(passwordByteCount: Int, blockByteCount: Int) -> Double {
        1 + Double(passwordByteCount) / Double(blockByteCount)
    }
}
