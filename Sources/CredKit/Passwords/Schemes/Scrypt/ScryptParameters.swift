// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The parameters of new scrypt hashes: 16 bytes of salt, 32 of digest.
struct ScryptParameters: SchemeParameters {
    let costs: ScryptCosts

    var laneKernels: LaneKernels? { LaneKernels(costs.parameters) }

    func computationCost(passwordByteCount: Int) -> ComputationCost { costs.computationCost }

    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String {
        let salt = SecureRandom.bytes(count: 16)
        let digest = try ScryptHash.computeDigest(
            of: password,
            salt: salt,
            costs: costs,
            count: 32,
            context
        )
        return ScryptHash(costs: costs, salt: salt, digest: digest.copiedBytes).description
    }

    func partialComputation(_ share: Double) -> PartialComputation? {
        let steps = min(5, costs.logN - 1)
        guard
            let part = ScryptCosts(
                logN: costs.logN - steps,
                blockSize: costs.blockSize,
                parallelism: costs.parallelism
            )
        else { return PartialComputation(of: self, parts: 1, share: share) }
        return PartialComputation(of: ScryptParameters(costs: part), parts: 1 << steps, share: share)
    }

    func hasCosts(of stored: any PasswordScheme) -> Bool { (stored as? ScryptHash)?.costs == costs }

    /// Weaker means less computation, or less memory over time; see Argon2id.
    func isStronger(than stored: any PasswordScheme) -> Bool? {
        guard let other = (stored as? ScryptHash)?.costs else { return nil }
        return other.work < costs.work || other.work * other.memory < costs.work * costs.memory
    }
}

extension ScryptHash {
    static var algorithms: [PasswordAlgorithm] {
        [
            PasswordAlgorithm(
                scheme: .scrypt,
                costs: [
                    .init(
                        name: "log-n",
                        meaning: "binary logarithm of N",
                        recommended: ScryptCosts.owasp.logN,
                        range: 1...31
                    ),
                    .init(
                        name: "block-size",
                        meaning: "r, block size in 128 bytes",
                        recommended: ScryptCosts.owasp.blockSize,
                        range: 1...(1 << 30) - 1
                    ),
                    .init(
                        name: "parallelism",
                        meaning: "p, repetitions",
                        recommended: ScryptCosts.owasp.parallelism,
                        range: 1...(1 << 30) - 1
                    ),
                ],
                tuning: .doubling(costIndex: 0),
                make: { (costs) throws(PasswordError) in
                    guard
                        let costs = ScryptCosts(logN: costs[0], blockSize: costs[1], parallelism: costs[2])
                    else { throw .invalidParameters("scrypt does not allow this combination of costs") }
                    return ScryptParameters(costs: costs)
                }
            )
        ]
    }
}

extension PasswordParameters {
    /// Returns the parameters of scrypt. It takes 128 · r · 2^logN bytes of memory: 128 MiB with the default costs.
    ///
    /// - Parameters:
    ///   - logN: The binary logarithm of N, from 1 to 31.
    ///   - blockSize: r, the size of a block in units of 128 bytes.
    ///   - parallelism: p, the number of independent computations. Up to four are done at once on one core, each in as much
    ///     memory, if this saves time and ``PasswordLimits/memory`` allows it; in a `PasswordService` they are done one after
    ///     the other.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters``.
    public static func scrypt(
        logN: Int = 17,
        blockSize: Int = 8,
        parallelism: Int = 1
    ) throws(PasswordError) -> Self {
        try Self(.scrypt, costs: ["log-n": logN, "block-size": blockSize, "parallelism": parallelism])
    }
}
