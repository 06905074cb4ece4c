// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Secret random numbers below a bound, each with the same probability.
struct RandomNumbers {
    /// The number of random bytes that are taken at once.
    private static let byteCount = 256

    private let bound: Int
    private var bytes: SecretBytes
    private var position = 0

    /// - Parameter bound: The bound, 1 to 65,536.
    /// - Throws: ``SecretMemoryError``.
    init(bound: Int) throws(SecretMemoryError) {
        self.bound = bound
        bytes = try SecretBytes(randomByteCount: Self.byteCount)
    }

    /// Returns the next number.
    mutating func next() throws(SecretMemoryError) -> Int {
        while true {
            if position == Self.byteCount {
                bytes = try SecretBytes(randomByteCount: Self.byteCount)
                position = 0
            }
            let number = bytes.withSecretBytes { Int($0[position]) << 8 | Int($0[position + 1]) }
            position += 2
            if let number = Self.scale(number, below: bound) { return number }
        }
    }

    /// Returns the number below a bound that a random number of 16 bits stands for, without a division, whose time could
    /// depend on it (Lemire, 2019).
    ///
    /// The product is in one of `bound` stretches of 65,536. Those that hold one multiple of `bound` more than the others
    /// would make their numbers more frequent, so the lowest products of each stretch are discarded: `nil`.
    static func scale(_ number: Int, below bound: Int) -> Int? {
        let product = number * bound
        return product & 0xFFFF < 65_536 % bound ? nil : product >> 16
    }
}
