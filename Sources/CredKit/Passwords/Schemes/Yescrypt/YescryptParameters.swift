// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The parameters of new yescrypt hashes.
struct YescryptParameters: SchemeParameters {
    let cost: Int

    private var costs: YescryptCosts { YescryptCosts(cost: cost) }
    func computationCost(passwordByteCount: Int) -> ComputationCost { costs.computationCost }
    var longestCString: Int? { UnixCrypt.longestPassword }

    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String {
        try UnixCrypt.newHash(of: password, prefix: "$y$", cost: cost)
    }

    func partialComputation(_ share: Double) -> PartialComputation? {
        // As small as possible, but no more than about 32 repetitions.
        let small = YescryptParameters(cost: max(1, cost - 5))
        return PartialComputation(
            of: small,
            parts: Int((costs.work / small.costs.work).rounded()),
            share: share
        )
    }

    func hasCosts(of stored: any PasswordScheme) -> Bool { (stored as? YescryptHash)?.costs == costs }

    /// Weaker means less computation, or less memory over time; see Argon2id.
    func isStronger(than stored: any PasswordScheme) -> Bool? {
        guard let stored = stored as? YescryptHash, !stored.isGOST else { return nil }
        return stored.costs.work < costs.work
            || stored.costs.work * stored.costs.memory < costs.work * costs.memory
    }
}

extension YescryptHash {
    static var algorithms: [PasswordAlgorithm] {
        [
            PasswordAlgorithm(
                scheme: .yescrypt,
                costs: [
                    .init(
                        name: "cost",
                        meaning: "memory: 16 MiB with 5, twice as much each step",
                        recommended: 5,
                        range: 1...11
                    )
                ],
                tuning: .doubling(costIndex: 0),
                make: { (costs) throws(PasswordError) in YescryptParameters(cost: costs[0]) }
            )
        ]
    }
}

extension PasswordParameters {
    /// Returns the parameters of yescrypt, `$y$`, with the costs of crypt_gensalt(3).
    ///
    /// - Parameter cost: From 1 to 11. The memory is 1 MiB with 1, 4 MiB with 3, doubles with each step, and is 1 GiB
    ///   with 11. Debian's default is 5.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters``.
    public static func yescrypt(cost: Int = 5) throws(PasswordError) -> Self {
        try Self(.yescrypt, costs: ["cost": cost])
    }
}
