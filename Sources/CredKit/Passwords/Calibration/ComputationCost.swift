// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The cost of one hash computation, estimated from its parameters.
package struct ComputationCost: Sendable, Hashable {
    /// The memory that the computation takes.
    package let memory: MemorySize

    /// Time in seconds on one core of an AMD EPYC of the 2020s, accurate to a factor of three.
    package let seconds: Double

    /// The same time as a duration.
    package var time: Duration { Duration(clampingSeconds: seconds) }

    /// Memory multiplied by time, which determines the price of hardware for guessing.
    var memoryTime: Double { Double(memory.bytes) * seconds }

    init(memory: MemorySize = .kibibytes(64), seconds: Double) {
        self.memory = memory
        self.seconds = seconds
    }

    /// Returns the factor by which a long password slows down a hash that repeatedly processes salt and password in
    /// blocks of `blockByteCount`.
    static func blocks(passwordByteCount: Int, blockByteCount: Int) -> Double {
        1 + Double(passwordByteCount) / Double(blockByteCount)
    }
}

extension Duration {
    /// Creates a duration from a number of seconds that may be outside the range of the type. A number that is too
    /// large, and one that is no number, becomes the largest number of seconds; a negative number becomes 0.
    init(clampingSeconds seconds: Double) {
        self = seconds < 1e18 ? .seconds(max(0, seconds)) : .seconds(Int64.max)
    }
}
