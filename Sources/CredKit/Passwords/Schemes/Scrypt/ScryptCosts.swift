// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The costs of scrypt, within the bounds of RFC 7914 §6.
struct ScryptCosts: Sendable, Hashable {
    /// The binary logarithm of N, the number of blocks in memory.
    let logN: Int
    /// r: the size of a block, in units of 128 bytes.
    let blockSize: Int
    /// p: the number of independent computations.
    let parallelism: Int

    /// Returns `nil` if RFC 7914 does not allow these costs, or they are too large to be estimated.
    init?(logN: Int, blockSize: Int, parallelism: Int) {
        guard 1...31 ~= logN, 1..<1 << 30 ~= blockSize, 1..<1 << 30 ~= parallelism,
            // p ≤ (2³² - 1) · 32 / (128 · r), and N < 2 ^ (128 · r / 8)
            blockSize * parallelism < 1 << 30, logN < 16 * blockSize
        else { return nil }
        self.logN = logN
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Creates the costs that a stored hash states. A number of blocks that is valid but too large to be estimated
    /// exceeds every limit as well.
    init(stated logN: Int, blockSize: Int, parallelism: Int) throws(PasswordError) {
        guard let costs = Self(logN: min(logN, 31), blockSize: blockSize, parallelism: parallelism),
            logN < 16 * blockSize
        else { throw .malformed("the costs of scrypt are out of range") }
        guard costs.logN == logN else { throw .overLimit("scrypt with N = 2^\(logN)") }
        self = costs
    }

    private init(uncheckedLogN logN: Int, blockSize: Int, parallelism: Int) {
        self.logN = logN
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// The costs that OWASP recommends.
    static let owasp = ScryptCosts(uncheckedLogN: 17, blockSize: 8, parallelism: 1)

    /// N · r · p, which time is proportional to.
    var work: Double { Double(1 << logN) * Double(blockSize) * Double(parallelism) }

    /// N · r, which memory is proportional to.
    var memory: Double { Double(1 << logN) * Double(blockSize) }

    /// The costs of the key derivation.
    var parameters: Scrypt.Parameters {
        Scrypt.Parameters(logN: logN, blockSize: blockSize, parallelism: parallelism)
    }

    /// The minimum memory, and the time that OpenSSL takes, which computes where the kernels must not.
    var computationCost: ComputationCost {
        return ComputationCost(
            memory: .bytes(parameters.memoryByteCount(lanes: 1)),
            seconds: work * 0.36e-6 + Double(blockSize) * Double(parallelism) * 6e-6
        )
    }
}
