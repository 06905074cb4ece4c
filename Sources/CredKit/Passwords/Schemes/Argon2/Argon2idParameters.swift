// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The parameters of new Argon2id hashes: one lane, 16 bytes of salt, 32 of digest.
struct Argon2idParameters: SchemeParameters {
    let memoryKiB: Int
    let passes: Int

    static let digestByteCount = 32

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        Argon2Hash.computationCost(memoryKiB: memoryKiB, passes: passes)
    }

    /// The costs that OWASP recommends.
    static let owasp = Argon2idParameters(memoryKiB: 19 * 1024, passes: 2)

    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String {
        try newHash(of: password, context).description
    }

    func newHash(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> Argon2Hash {
        let salt = SecureRandom.bytes(count: Argon2.saltByteCount)
        let digest = try Argon2Hash.computeDigest(
            of: password,
            salt: salt,
            Argon2.Parameters(memory: .kibibytes(memoryKiB), passes: passes),
            count: Self.digestByteCount,
            context
        )
        return Argon2Hash(
            variant: .argon2id,
            memoryKiB: memoryKiB,
            passes: passes,
            salt: salt,
            digest: digest.copiedBytes
        )
    }

    /// Time is proportional to the memory.
    func partialComputation(_ share: Double) -> PartialComputation? {
        let part = Int((Double(memoryKiB) * share).rounded())
        return part < 8
            ? nil
            : PartialComputation(
                Argon2idParameters(memoryKiB: part, passes: passes),
                share: Double(part) / Double(memoryKiB)
            )
    }

    func hasCosts(of stored: any PasswordScheme) -> Bool {
        guard let stored = stored as? Argon2Hash, stored.variant == .argon2id, stored.version == .v19 else {
            return false
        }
        return stored.memoryKiB == memoryKiB && stored.passes == passes
    }

    func isStronger(than stored: any PasswordScheme) -> Bool? {
        guard let stored = stored as? Argon2Hash, stored.variant == .argon2id else { return nil }
        // Version 16 can be computed with less memory than it states.
        return stored.version == .v16
            || isStronger(thanMemoryKiB: stored.memoryKiB, passes: stored.passes)
    }

    /// Returns whether a hash with other costs takes an attacker less work: less computation (memory times passes),
    /// or less memory over that time (that product times memory). If one cost is lower and the other compensates for
    /// it, the two merely differ. The number of lanes affects neither.
    func isStronger(thanMemoryKiB otherMemoryKiB: Int, passes otherPasses: Int) -> Bool {
        let work = Double(memoryKiB) * Double(passes)
        let otherWork = Double(otherMemoryKiB) * Double(otherPasses)
        return otherWork < work || otherWork * Double(otherMemoryKiB) < work * Double(memoryKiB)
    }
}

extension Argon2Hash {
    static var algorithms: [PasswordAlgorithm] {
        [
            PasswordAlgorithm(
                scheme: .argon2id,
                costs: [
                    .init(
                        name: "memory",
                        meaning: "memory in KiB",
                        recommended: Argon2idParameters.owasp.memoryKiB,
                        range: 8...Int(UInt32.max),
                        isMemory: true
                    ),
                    .init(
                        name: "passes",
                        meaning: "passes over the memory",
                        recommended: Argon2idParameters.owasp.passes,
                        range: 1...Int(UInt32.max)
                    ),
                ],
                tuning: .linear(costIndex: 1),
                make: { (costs) throws(PasswordError) in
                    Argon2idParameters(memoryKiB: costs[0], passes: costs[1])
                }
            )
        ]
    }
}

extension PasswordParameters {
    /// Returns the parameters of Argon2id. Time grows with memory and passes.
    ///
    /// ```swift
    /// policy.preferred = try .argon2id(memory: .mebibytes(64), passes: 3)
    /// ```
    ///
    /// - Parameters:
    ///   - memory: The memory of a hash, at least 8 KiB, in whole KiB.
    ///   - passes: The number of passes over the memory, at least 1.
    ///   - lanes: The number of lanes that the memory is divided into. New hashes have 1, as libsodium computes them;
    ///     stored hashes with any number are verified.
    /// - Returns: The parameters.
    /// - Throws: ``PasswordError/invalidParameters`` for values outside these ranges.
    public static func argon2id(
        memory: MemorySize = .mebibytes(19),
        passes: Int = 2,
        lanes: Int = 1
    ) throws(PasswordError) -> Self {
        guard memory.bytes.isMultiple(of: 1024) else {
            throw .invalidParameters("the memory of argon2id is \(memory), but must be a whole number of KiB")
        }
        guard lanes == 1 else {
            throw .invalidParameters("argon2id has \(lanes) lanes, but new hashes can only have 1")
        }
        return try Self(.argon2id, costs: ["memory": memory.kibibytes, "passes": passes])
    }
}
