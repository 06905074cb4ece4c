// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The cost of one hash computation, estimated from its parameters.
package struct ComputationCost: Sendable, Hashable {
    /// Memory in bytes.
    package let memoryByteCount: Int

    /// Time in seconds on one core of an AMD EPYC of the 2020s, accurate to a factor of three.
    package let seconds: Double

    /// Memory multiplied by time, which determines the price of hardware for guessing.
    var memoryTime: Double { Double(memoryByteCount) * seconds }

    init(memoryByteCount: Int = 64 * 1024, seconds: Double) {
        self.memoryByteCount = memoryByteCount
        self.seconds = seconds
    }

    /// Returns the factor by which a long password slows down a hash that repeatedly processes salt and password in
    /// blocks of `blockByteCount`.
    static func blocks(passwordByteCount: Int, blockByteCount: Int) -> Double {
        1 + Double(passwordByteCount) / Double(blockByteCount)
    }
}
