// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A SplitMix64 generator with a fixed seed, so that failures are reproducible.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: The seed.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number.
    ///
    /// - Returns: The number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns random bytes.
    ///
    /// - Parameter count: The range of a random count.
    /// - Returns: The bytes.
    public mutating func bytes(count: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Returns random characters.
    ///
    /// - Parameters:
    ///   - alphabet: The characters.
    ///   - count: The range of a random count.
    /// - Returns: The text.
    public mutating func text(of alphabet: String, count: ClosedRange<Int>) -> String {
        let characters = Array(alphabet)
        return String(
            (0..<Int.random(in: count, using: &self)).map { _ in
                characters[Int.random(in: characters.indices, using: &self)]
            }
        )
    }
}
