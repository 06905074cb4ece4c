// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The parameters of new SHA-crypt hashes.
struct SHACryptParameters: SchemeParameters {
    let variant: SHACryptHash.Variant
    let rounds: Int

    var isMemoryless: Bool { true }
    var laneKernels: LaneKernels? { LaneKernels(variant) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        SHACryptHash.computationCost(variant: variant, rounds: rounds, passwordByteCount: passwordByteCount)
    }
    var longestCString: Int? { UnixCrypt.longestPassword }

    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String {
        let setting = try UnixCrypt.makeSetting(prefix: "$\(variant.rawValue)$", cost: rounds)
        let zeros = String(repeating: SHACryptHash.zeroDigit, count: variant.digestCharacterCount)
        // Parsed, so that no hash is returned that could not be verified.
        var hash = try SHACryptHash(parsing: "\(setting)$\(zeros)")
        let digest = try hash.computeDigest(of: password, context)
        hash.tail = String(decoding: digest.copiedBytes, as: UTF8.self)
        return hash.description
    }

    func partialComputation(_ share: Double) -> PartialComputation? {
        let part = Int((Double(rounds) * share).rounded())
        return part < SHACryptHash.possibleRounds.lowerBound
            ? nil
            : PartialComputation(
                SHACryptParameters(variant: variant, rounds: part),
                share: Double(part) / Double(rounds)
            )
    }

    func hasCosts(of stored: any PasswordScheme) -> Bool {
        guard let stored = stored as? SHACryptHash else { return false }
        return stored.variant == variant && stored.rounds == rounds
    }

    func isStronger(than stored: any PasswordScheme) -> Bool? {
        guard let stored = stored as? SHACryptHash, stored.variant == variant else { return nil }
        return stored.rounds < rounds
    }
}

extension SHACryptHash {
    static var algorithms: [PasswordAlgorithm] {
        [algorithm(.sha512Crypt, .sha512), algorithm(.sha256Crypt, .sha256)]
    }

    private static func algorithm(_ scheme: PasswordHash.Scheme, _ variant: Variant) -> PasswordAlgorithm {
        PasswordAlgorithm(
            scheme: scheme,
            costs: [
                .init(name: "rounds", meaning: "rounds", recommended: 656_000, range: possibleRounds)
            ],
            tuning: .linear(costIndex: 0),
            make: { (costs) throws(PasswordError) in SHACryptParameters(variant: variant, rounds: costs[0]) }
        )
    }
}

extension PasswordParameters {
    /// Returns the parameters of SHA-crypt with SHA-512, `$6$`, for files that crypt(3) reads.
    ///
    /// - Parameter rounds: From 1,000 to 999,999,999; the default of crypt(3) is 5,000, which is far too low today.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters``.
    public static func sha512Crypt(rounds: Int = 656_000) throws(PasswordError) -> Self {
        try Self(.sha512Crypt, costs: ["rounds": rounds])
    }

    /// Returns the parameters of SHA-crypt with SHA-256, `$5$`, for files that crypt(3) reads.
    ///
    /// - Parameter rounds: From 1,000 to 999,999,999; the default of crypt(3) is 5,000, which is far too low today.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters``.
    public static func sha256Crypt(rounds: Int = 656_000) throws(PasswordError) -> Self {
        try Self(.sha256Crypt, costs: ["rounds": rounds])
    }
}
