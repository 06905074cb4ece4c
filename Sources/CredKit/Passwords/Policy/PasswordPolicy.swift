// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The policy for new hashes, and for which stored hashes are still accepted.
///
/// ```swift
/// var policy = PasswordPolicy.owasp2023
/// policy.preferred = try .argon2id(memory: .mebibytes(64), passes: 3)
/// policy.deprecated.remove(.desCrypt)            // refused from now on
/// ```
///
/// A stored hash is assessed in this order:
/// - The mark of an account without a password (``PasswordHash/Scheme/unusable``) is kept: no password matches it.
/// - Its scheme is that of ``preferred`` or one in ``accepted``: it is kept if its cost is not lower, otherwise it is
///   replaced at the next login.
/// - Its scheme is in ``deprecated``: it is verified, and replaced at the next login. It is kept if the new hash
///   would be weaker: its scheme would not be sounder, and its memory multiplied by its time would be no higher.
/// - Otherwise it is refused with ``PasswordError/refused``.
public struct PasswordPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The parameters of new hashes.
    public var preferred: PasswordParameters

    /// Other schemes whose hashes are kept, each with the lowest cost that is accepted.
    public var accepted: [PasswordParameters]

    /// Schemes whose hashes are verified, and replaced at the next login unless the new hash would be weaker.
    public var deprecated: Set<PasswordHash.Scheme>

    /// The normalization of a password before it is hashed with the scheme of ``preferred``, or with one in
    /// ``normalizedSchemes``. Hashes of all other schemes were made elsewhere from unchanged bytes, and are verified
    /// that way.
    ///
    /// > Warning: Turning this on for a table that already has such hashes locks out all users whose passwords it
    /// > changes.
    public var normalization: PasswordNormalization = .none

    /// Schemes other than that of ``preferred`` whose hashes were made with ``normalization``: those that were
    /// preferred earlier.
    public var normalizedSchemes: Set<PasswordHash.Scheme> = []

    /// The code that computes Argon2, for new hashes and stored ones. ``PasswordCalibration`` measures
    /// ``Argon2Implementation/vectorized``.
    ///
    /// ```swift
    /// var policy = PasswordPolicy.recommended
    /// policy.argon2Implementation = .libsodium
    /// ```
    public var argon2Implementation = Argon2Implementation.vectorized

    /// Whether the memory of Argon2's computations is locked, so that the system never writes it to swap space. Default: `false`.
    ///
    /// The process needs a limit of locked memory (`ulimit -l`, `RLIMIT_MEMLOCK`, systemd's `LimitMEMLOCK=`) of the memory
    /// of all hashes that are computed at once, plus that of its secrets, or the capability `CAP_IPC_LOCK`. Over the limit
    /// there is no fallback to memory that is not locked: ``PasswordError/outOfMemory`` is thrown. libsodium does not lock
    /// its memory, so ``PasswordError/unsupported`` is thrown where it would compute: see ``Argon2Implementation``.
    ///
    /// Other schemes ignore it.
    ///
    /// ```swift
    /// var policy = PasswordPolicy.recommended
    /// policy.locksArgon2Memory = true
    /// ```
    public var locksArgon2Memory = false

    /// The maximum number of threads that compute one hash of Argon2, including the calling thread. Default: 1.
    ///
    /// More than one are used only for a stored hash with several lanes and at least 32 MiB of memory, such as argon2-cffi makes
    /// by default, and at most one thread for each lane. On idle processors, two threads take little more than half the time.
    /// New hashes have one lane. Where the system creates no thread, the calling thread computes alone.
    ///
    /// `PasswordService` uses one thread for each hash, so that its limit of concurrent computations holds, and the time of
    /// a hash does not reveal how many lanes it has. libsodium and other schemes ignore it.
    ///
    /// ```swift
    /// var policy = PasswordPolicy.recommended
    /// policy.argon2Threads = 4
    /// ```
    public var argon2Threads = 1

    /// Whether a pepper is required, for new hashes and for every stored hash, but not for the mark of an account without a
    /// password.
    public var requiresPepper = false

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - preferred: The parameters of new hashes.
    ///   - accepted: Other schemes whose hashes are kept, each with the lowest cost that is accepted.
    ///   - deprecated: Schemes whose hashes are verified, and replaced unless the new hash would be weaker; if left
    ///     out, all schemes that CredKit supports.
    public init(
        preferred: PasswordParameters,
        accepted: [PasswordParameters] = [],
        deprecated: Set<PasswordHash.Scheme> = Set(PasswordHash.Scheme.all)
    ) {
        self.preferred = preferred
        self.accepted = accepted
        self.deprecated = deprecated
    }

    /// Assesses a stored hash by the policy, without regard to its pepper.
    ///
    /// - Parameter hash: The hash.
    /// - Returns: The status.
    public func assess(_ hash: PasswordHash) -> PasswordHashStatus {
        guard !hash.isUnusable else { return .current }
        for parameters in [preferred] + accepted {
            if let isStronger = parameters.schemeParameters.isStronger(than: hash.stored.unprefixed) {
                return isStronger ? .weaker : .current
            }
        }
        guard deprecated.contains(hash.scheme) else { return .refused }
        if let layered = hash.stored as? LayeredHash, assess(PasswordHash(layered.inner)) == .refused {
            return .refused
        }
        return wouldWeaken(hash) ? .current : .deprecated
    }

    /// Returns whether a hash by the preferred parameters would cost an attacker less memory over time than a
    /// deprecated one whose scheme is as sound. Such a deprecated hash is never replaced.
    private func wouldWeaken(_ hash: PasswordHash) -> Bool {
        guard hash.weakness == nil || preferred.schemeParameters.isMemoryless else { return false }
        let stored = hash.stored.computationCost(passwordByteCount: 0)
        return stored.memoryTime
            >= preferred.schemeParameters.computationCost(passwordByteCount: 0).memoryTime
    }

    /// The preferred parameters.
    public var description: String { "‹policy \(preferred)›" }
}
