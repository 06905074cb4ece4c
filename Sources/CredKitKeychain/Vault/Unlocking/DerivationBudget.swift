// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// What all key derivations of one call may cost together.
///
/// The costs of a slot are in the file, so an attacker who can write the file chooses them, up to 32 times.
final class DerivationBudget: Sendable {
    /// The memory and the sum of memory × passes that key derivations may cost.
    struct Limits {
        let memory: MemorySize
        let memoryTimesPasses: MemorySize
        /// How a user can allow more, for the error message.
        let override: String

        /// For a vault: 32 slots of the standard cost, tried twice, or three slots at the limit of the format: 7 to 20
        /// seconds.
        static let vault = Limits(
            memory: VaultLimits.memory.upperBound,
            memoryTimesPasses: .gibibytes(16),
            override: "allowsCostlyKeyDerivation (--allow-costly)"
        )
        /// For an archive, which has one slot of the standard cost unless another program wrote it: 1 to 3 seconds.
        static let archive = Limits(
            memory: .mebibytes(128),
            memoryTimesPasses: .gibibytes(2),
            override: "allowsCostlyKeyDerivation (--allow-costly)"
        )
    }

    private let limits: Limits?
    private let token: CancellationToken?
    private let spentBytes = Lock(0)

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - limits: The limits; `nil` for those of the format alone.
    ///   - token: Until when the caller waits; as long as it takes if `nil`.
    init(_ limits: Limits?, _ token: CancellationToken?) {
        self.limits = limits
        self.token = token
    }

    /// Checks that all of these slots can be tried, before the first one is: the right secret may be the last.
    func check(_ slots: [KeySlot]) throws(KeychainError) {
        var sum = spentBytes.withLock { $0 }
        for cost in slots.compactMap(\.argon2idCost) { try add(cost, to: &sum) }
    }

    /// Accounts for a key derivation whose cost the file states. It must begin only if this returns.
    func spend(_ cost: Argon2idCost) throws(KeychainError) {
        var sum = spentBytes.withLock { $0 }
        try add(cost, to: &sum)
        try checkTime(of: cost)
        spentBytes.withLock { [sum] in $0 = sum }
    }

    /// Calls `derive` with what ends it when the caller stops waiting.
    ///
    /// - Parameter derive: A key derivation.
    /// - Returns: The key.
    /// - Throws: `KeychainError`: why the caller has stopped waiting, or `outOfMemory`.
    func run(
        _ derive: (Interruption) throws(KeyDerivationError) -> SecretBytes
    ) throws(KeychainError) -> SecretBytes {
        let interruption = Interruption()
        token?.onStop { interruption.raise() }
        do throws(KeyDerivationError) {
            return try derive(interruption)
        } catch {
            if let failure = token?.failure { throw KeychainError(failure) }
            // The costs were checked before.
            throw .outOfMemory
        }
    }

    /// Checks that a key derivation is over before the caller stops waiting: with little time left, none begins.
    func checkTime(of cost: Argon2idCost) throws(KeychainError) {
        if let failure = token?.failure { throw KeychainError(failure) }
        if let remaining = token?.remaining, cost.estimatedTime > remaining {
            throw .timedOut(
                "a key derivation with \(cost.memory) of memory and \(cost.passes) passes takes about "
                    + "\(cost.estimatedTime.wholeSeconds) s, but less time is left: allow more with a longer timeout "
                    + "(--timeout)"
            )
        }
    }

    private func add(_ cost: Argon2idCost, to sum: inout Int) throws(KeychainError) {
        // No overflow: a file has at most 32 slots, and a call tries at most a few secrets.
        sum += cost.memory.bytes * cost.passes
        guard let limits else { return }
        guard cost.memory <= limits.memory, sum <= limits.memoryTimesPasses.bytes else {
            throw .overLimit(
                "opening the file needs key derivations beyond the limit of \(limits.memory) of memory and "
                    + "\(limits.memoryTimesPasses) of memory × passes for all key slots together. Such a file may be "
                    + "an attack; if you trust it, allow the cost with \(limits.override)"
            )
        }
    }
}

extension KeySlot {
    /// The cost of deriving the slot's key, if it is for a passphrase.
    var argon2idCost: Argon2idCost? { if case .passphrase(let cost) = kind { cost } else { nil } }
}

extension Argon2idCost {
    /// The time of one derivation, accurate to a factor of three.
    var estimatedTime: Duration {
        .seconds(Argon2.estimatedSeconds(memory: memory, passes: passes))
    }
}

extension Duration {
    /// The duration in seconds, rounded up.
    fileprivate var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
