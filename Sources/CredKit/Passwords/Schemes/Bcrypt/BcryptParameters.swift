// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The parameters of new bcrypt hashes, `$2b$`.
struct BcryptParameters: SchemeParameters {
    let cost: Int

    func computationCost(passwordByteCount: Int) -> ComputationCost { BcryptHash.computationCost(cost: cost) }
    /// Longer ones are refused by `newHash(of:_:)` of PasswordContext+Computation, not under a pepper.
    var longestCString: Int? { BcryptHash.significantByteCount }

    var laneKernels: LaneKernels? { .chosenForBcrypt }

    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String {
        try UnixCrypt.checkFitsCrypt(password)
        let setting = try UnixCrypt.makeSetting(prefix: "$2b$", cost: cost)
        // Parsed, so that no hash is returned that could not be verified.
        var hash = try BcryptHash(parsing: setting + String(repeating: BcryptHash.zeroDigit, count: 31))
        hash.tail = String(decoding: try hash.computeDigest(of: password, context).copiedBytes, as: UTF8.self)
        return hash.description
    }

    func partialComputation(_ share: Double) -> PartialComputation? {
        let steps = min(5, cost - 4)
        return PartialComputation(of: BcryptParameters(cost: cost - steps), parts: 1 << steps, share: share)
    }

    func hasCosts(of stored: any PasswordScheme) -> Bool { (stored as? BcryptHash)?.cost == cost }

    func isStronger(than stored: any PasswordScheme) -> Bool? {
        guard let stored = stored as? BcryptHash, stored.scheme == .bcrypt else { return nil }
        return stored.cost < cost
    }
}

extension BcryptHash {
    static var algorithms: [PasswordAlgorithm] {
        [
            PasswordAlgorithm(
                scheme: .bcrypt,
                costs: [
                    .init(
                        name: "cost",
                        meaning: "binary logarithm of the rounds",
                        recommended: 12,
                        range: 4...31
                    )
                ],
                tuning: .doubling(costIndex: 0),
                make: { (costs) throws(PasswordError) in BcryptParameters(cost: costs[0]) }
            )
        ]
    }
}

extension PasswordParameters {
    /// Returns the parameters of bcrypt, `$2b$`. A password of more than 72 bytes, or with a NUL, is rejected,
    /// but not under a pepper.
    ///
    /// - Parameter cost: The binary logarithm of the number of rounds, from 4 to 31; OWASP recommends at least 10.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters``.
    public static func bcrypt(cost: Int = 12) throws(PasswordError) -> Self {
        try Self(.bcrypt, costs: ["cost": cost])
    }
}
