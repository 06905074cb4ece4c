// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The limits that hashing and verifying share: the maximum cost of one call, whatever a stored hash or a caller
/// requests.
///
/// A hash string states its own cost, so an attacker who can write to a table could make every login of a server
/// allocate gigabytes or run for hours. Beyond these limits ``PasswordError/overLimit`` or
/// ``PasswordError/passwordTooLong`` is thrown before any computation.
///
/// ```swift
/// var limits = PasswordLimits.standard
/// limits.memoryByteCount = 1025 << 20            // this table has scrypt hashes with N = 2²⁰, r = 8
/// ```
public struct PasswordLimits: Sendable, Hashable {
    /// 512 MiB, 5 seconds, passwords of 4 KiB, hash strings of 1 KiB.
    public static let standard = PasswordLimits()

    /// The maximum memory of one computation, in bytes.
    public var memoryByteCount = 512 << 20

    /// The maximum time of one computation on one core of a server of the 2020s, in seconds. It is not measured, but
    /// estimated from the hash's parameters and the password's length before the computation starts: a slower machine
    /// takes longer.
    public var seconds = 5.0

    /// The maximum length of a password, in bytes. The schemes of crypt(3) accept at most 511, whatever this limit
    /// is.
    public var passwordByteCount = 4096

    /// The maximum length of a hash string, in bytes.
    public var hashByteCount = 1024

    /// Creates the standard limits, for modification.
    public init() {}

    func check(passwordByteCount count: Int) throws(PasswordError) {
        guard count <= passwordByteCount else {
            throw .passwordTooLong(
                "the password is too long: at most \(passwordByteCount) bytes are accepted"
            )
        }
    }

    func check(_ computationCost: ComputationCost) throws(PasswordError) {
        guard computationCost.memoryByteCount <= memoryByteCount else {
            throw .overLimit(
                "the hash requires \(computationCost.memoryByteCount / 1024) KiB of memory, but only "
                    + "\(memoryByteCount / 1024) KiB are allowed"
            )
        }
        // Written so that a NaN, should one ever occur, is rejected.
        guard computationCost.seconds <= seconds else {
            throw .overLimit("the hash requires more computation than the allowed \(seconds) seconds")
        }
    }
}
