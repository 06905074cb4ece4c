// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)).
enum Scrypt {
    /// The costs, which must be within the bounds of RFC 7914.
    struct Parameters: Sendable {
        /// The binary logarithm of N, the number of blocks in memory.
        let logN: Int
        /// r: the size of a block, in units of 128 bytes.
        let blockSize: Int
        /// p: the number of independent computations.
        let parallelism: Int

        /// The size of the blocks of all independent computations before and after they are mixed, in bytes.
        var blocksByteCount: Int { 128 * blockSize * parallelism }

        /// Returns the memory in bytes if `lanes` of the independent computations are done at once; the largest integer if it
        /// is more.
        func memoryByteCount(lanes: Int) -> Int {
            // The sum is less than 2³⁴ with up to four lanes; the product may overflow an Int.
            let blocks = ((1 << logN) + 2) * lanes + parallelism
            let (bytes, isOverflow) = (128 * blockSize).multipliedReportingOverflow(by: blocks)
            return isOverflow ? .max : bytes
        }
    }

    /// How keys are computed, which does not change the result.
    struct Computation: Sendable {
        /// The maximum memory.
        var memoryLimit: MemorySize
        /// Whether several of the independent computations may be done at once, in as much memory as the limit allows.
        var usesSpareMemory = true
        /// Whether memory of earlier computations is used again, and kept for later ones.
        var keepsMemory = true
        /// Ends the computation early. OpenSSL ignores it.
        var interruption = Interruption.never
    }

    /// The largest blocks of which the kernels mix all: PBKDF2, which makes them, cannot be cancelled.
    static let largestBlocksOfKernels = 256 << 10

    /// Derives a key. There is no computation if it needs more memory than the limit.
    ///
    /// Kernels for the instruction set of this processor compute it, which must pass a test before their first use. OpenSSL
    /// does so if none pass, if the environment variable `CREDKIT_KERNELS` is `reference`, and for unusually large blocks.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - salt: The salt.
    ///   - parameters: The costs.
    ///   - count: The size of the key in bytes.
    ///   - computation: How the key is computed.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError``.
    static func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        _ parameters: Parameters,
        count: Int,
        _ computation: Computation
    ) throws(KeyDerivationError) -> SecretBytes {
        guard parameters.memoryByteCount(lanes: 1) <= computation.memoryLimit.bytes else {
            throw .overLimit("scrypt needs more memory than is allowed")
        }
        guard !computation.interruption.isRaised else { throw .cancelled }
        BackendCalls.note()
        let lanes = laneCount(parameters, computation)
        guard lanes > 0 else {
            return try deriveWithOpenSSL(
                from: password,
                salt: salt,
                parameters,
                count: count,
                memoryLimit: computation.memoryLimit
            )
        }
        return try deriveWithKernels(
            from: password,
            salt: salt,
            parameters,
            count: count,
            computation,
            lanes: lanes
        )
    }
}
