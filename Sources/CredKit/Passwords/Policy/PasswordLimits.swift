// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The limits that hashing and verifying share: the maximum cost of one call. A stored hash or a caller that
/// requests more is refused.
///
/// A hash string states its own cost, so an attacker who can write to a table could make every login of a server
/// allocate gigabytes or run for hours. Beyond these limits ``PasswordError/overLimit`` or
/// ``PasswordError/passwordTooLong`` is thrown before any computation.
///
/// Passes, iterations and lanes have no limits of their own: they count through the estimated time. The `PasswordService` of a
/// server lowers ``memory`` to its budget for all computations, by default 256 MiB.
///
/// ```swift
/// var limits = PasswordLimits.standard
/// limits.memory = .mebibytes(1025)               // this table has scrypt hashes with N = 2²⁰, r = 8
/// ```
public struct PasswordLimits: Sendable, Hashable {
    /// 512 MiB, 5 seconds, passwords of 4 KiB, hash strings of 1 KiB.
    public static let standard = PasswordLimits()

    /// The maximum memory of one computation.
    public var memory: MemorySize

    /// The maximum time of one computation on one core of a server of the 2020s. It is not measured, but estimated from
    /// the hash's parameters and the password's length before the computation starts: a slower machine takes longer.
    public var computationTime: Duration

    /// The maximum length of a password, in bytes. The schemes of crypt(3) accept at most 511, even if this limit
    /// is higher.
    public var passwordByteCount: Int

    /// The maximum length of a hash string, in bytes.
    public var hashByteCount: Int

    /// Creates limits. Those that are left out have the values of ``standard``.
    ///
    /// - Parameters:
    ///   - memory: The maximum memory of one computation.
    ///   - computationTime: The maximum time of one computation on one core of a server of the 2020s.
    ///   - passwordByteCount: The maximum length of a password, in bytes.
    ///   - hashByteCount: The maximum length of a hash string, in bytes.
    public init(
        memory: MemorySize = .mebibytes(512),
        computationTime: Duration = .seconds(5),
        passwordByteCount: Int = 4096,
        hashByteCount: Int = 1024
    ) {
        self.memory = memory
        self.computationTime = computationTime
        self.passwordByteCount = passwordByteCount
        self.hashByteCount = hashByteCount
    }

    func check(passwordByteCount count: Int) throws(PasswordError) {
        guard count <= passwordByteCount else {
            throw .passwordTooLong(
                "the password is too long: at most \(passwordByteCount) bytes are accepted"
            )
        }
    }

    func check(_ computationCost: ComputationCost) throws(PasswordError) {
        guard computationCost.memory <= memory else {
            throw .overLimit(
                "the hash requires \(computationCost.memory) of memory, but only \(memory) is allowed"
            )
        }
        guard computationCost.time <= computationTime else {
            throw .overLimit("the hash requires more computation than the allowed \(computationTime)")
        }
    }
}
