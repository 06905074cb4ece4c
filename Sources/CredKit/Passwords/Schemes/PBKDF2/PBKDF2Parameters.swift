// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The parameters of new PBKDF2 hashes in passlib's notation: 16 bytes of salt, a digest as long as that of the hash
/// function.
struct PBKDF2Parameters: SchemeParameters {
    let function: PBKDF2Hash.Function
    let iterations: Int

    var isMemoryless: Bool { true }
    var laneKernels: LaneKernels? { LaneKernels(function) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        PBKDF2Hash.computationCost(function: function, iterations: iterations)
    }

    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String {
        let salt = SecureRandom.bytes(count: 16)
        let digest = try PBKDF2Hash.computeDigest(
            of: password,
            salt: salt,
            function: function,
            iterations: iterations,
            context
        )
        return PBKDF2Hash(
            notation: .passlib,
            function: function,
            iterations: iterations,
            salt: salt,
            digest: digest.copiedBytes
        ).description
    }

    func partialComputation(_ share: Double) -> PartialComputation? {
        let part = Int((Double(iterations) * share).rounded())
        return part == 0
            ? nil
            : PartialComputation(
                PBKDF2Parameters(function: function, iterations: part),
                share: Double(part) / Double(iterations)
            )
    }

    func hasCosts(of stored: any PasswordScheme) -> Bool {
        guard let stored = stored as? PBKDF2Hash else { return false }
        return stored.function == function && stored.iterations == iterations
    }

    func isStronger(than stored: any PasswordScheme) -> Bool? {
        guard let other = stored as? PBKDF2Hash, other.function == function else { return nil }
        return other.iterations < iterations
    }
}

extension PBKDF2Hash {
    static var algorithms: [PasswordAlgorithm] {
        [algorithm(.pbkdf2SHA256, .sha256), algorithm(.pbkdf2SHA512, .sha512)]
    }

    private static func algorithm(_ scheme: PasswordHash.Scheme, _ function: Function) -> PasswordAlgorithm {
        PasswordAlgorithm(
            scheme: scheme,
            costs: [
                .init(
                    name: "iterations",
                    meaning: "iterations",
                    recommended: function.recommendedIterations,
                    range: 1...Int(Int32.max)
                )
            ],
            tuning: .linear(costIndex: 0),
            make: { (costs) throws(PasswordError) in
                PBKDF2Parameters(function: function, iterations: costs[0])
            }
        )
    }
}

extension PasswordParameters {
    /// Returns the parameters of PBKDF2 with HMAC-SHA-256, in passlib's notation.
    ///
    /// - Parameter iterations: The number of iterations. Time is proportional to it.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters``.
    public static func pbkdf2SHA256(iterations: Int = 600_000) throws(PasswordError) -> Self {
        try Self(.pbkdf2SHA256, costs: ["iterations": iterations])
    }

    /// Returns the parameters of PBKDF2 with HMAC-SHA-512, in passlib's notation.
    ///
    /// - Parameter iterations: The number of iterations. Time is proportional to it.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters``.
    public static func pbkdf2SHA512(iterations: Int = 210_000) throws(PasswordError) -> Self {
        try Self(.pbkdf2SHA512, costs: ["iterations": iterations])
    }
}
