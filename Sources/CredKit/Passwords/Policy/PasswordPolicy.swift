// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How new hashes are made, and which stored ones are still accepted.
///
/// ```swift
/// var policy = PasswordPolicy.owasp2023
/// policy.preferred = try .argon2id(memoryKiB: 64 * 1024, passes: 3)
/// policy.deprecated.remove(.desCrypt)            // refused from now on
/// ```
///
/// A stored hash is judged in this order:
/// - of the scheme of ``preferred`` or of one in ``accepted``: as it is if its cost is no lower, else replaced at the
///   next login;
/// - of a scheme in ``deprecated``: verified, and replaced at the next login; unless the new hash would be weaker: of
///   a scheme no sounder, with less memory held for less time;
/// - anything else: refused, ``PasswordError/refused``.
public struct PasswordPolicy: Sendable, Hashable, CustomStringConvertible {
    /// How new hashes are made.
    public var preferred: PasswordParameters

    /// Other schemes whose hashes may stay, each with the lowest cost at which they may.
    public var accepted: [PasswordParameters]

    /// Schemes whose hashes are verified and always replaced.
    public var deprecated: Set<PasswordHash.Scheme>

    /// What is done to a password before it is hashed with the scheme of ``preferred``, or of one in
    /// ``normalizedSchemes``. Hashes of all other schemes were made by somebody else, of the bytes as they were, and are
    /// verified so.
    ///
    /// Turning this on for a table that already has such hashes locks out whoever's password it changes.
    public var normalization: PasswordNormalization = .none

    /// Schemes other than that of ``preferred`` whose hashes were made with ``normalization``: those that were preferred
    /// before.
    public var normalizedSchemes: Set<PasswordHash.Scheme> = []

    /// Whether a pepper must be there, and every stored hash have been made with one.
    public var requiresPepper = false

    /// A policy.
    ///
    /// - Parameters:
    ///   - preferred: How new hashes are made.
    ///   - accepted: Other schemes whose hashes may stay, each with the lowest cost at which they may.
    ///   - deprecated: Schemes whose hashes are verified and always replaced; everything that CredKit knows if left
    ///     out.
    public init(
        preferred: PasswordParameters,
        accepted: [PasswordParameters] = [],
        deprecated: Set<PasswordHash.Scheme> = Set(PasswordHash.Scheme.all)
    ) {
        self.preferred = preferred
        self.accepted = accepted
        self.deprecated = deprecated
    }

    /// How a stored hash stands to the policy, its pepper left aside.
    ///
    /// - Parameter hash: The hash.
    /// - Returns: The judgement.
    public func assess(_ hash: PasswordHash) -> PasswordAssessment {
        for parameters in [preferred] + accepted {
            if let isStronger = parameters.recipe.isStronger(than: hash.stored) {
                return isStronger ? .weaker : .current
            }
        }
        guard deprecated.contains(hash.scheme) else { return .refused }
        if let layered = hash.stored as? LayeredHash, assess(PasswordHash(layered.inner)) == .refused {
            return .refused
        }
        return wouldWeaken(hash) ? .current : .deprecated
    }

    /// Whether a hash of the preferred kind would take an attacker less memory over time than a deprecated one whose
    /// scheme is as sound. Such a hash is never taken down.
    private func wouldWeaken(_ hash: PasswordHash) -> Bool {
        guard hash.weakness == nil || preferred.recipe.isMemoryless else { return false }
        let stored = hash.stored.expense(passwordByteCount: 0)
        return stored.memoryTime >= preferred.recipe.expense(passwordByteCount: 0).memoryTime
    }

    /// What new hashes are like.
    public var description: String { "‹policy \(preferred)›" }
}
