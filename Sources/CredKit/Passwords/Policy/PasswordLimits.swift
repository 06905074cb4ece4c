// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The ceilings that hashing and verifying share: what one call may cost, whatever a stored hash or a caller
/// asks for.
///
/// A hash string names its own cost, so whoever can write into a table could make every login of a server
/// allocate gigabytes or run for hours. Beyond these ceilings ``PasswordError/overLimit`` or
/// ``PasswordError/passwordTooLong`` is thrown before any work is done.
///
/// ```swift
/// var limits = PasswordLimits.standard
/// limits.memoryByteCount = 1025 << 20            // this table has scrypt hashes with N = 2²⁰, r = 8
/// ```
public struct PasswordLimits: Sendable, Hashable {
    /// 512 MiB, 5 seconds, passwords of 4 KiB, hash strings of 1 KiB.
    public static let standard = PasswordLimits()

    /// The most memory that one computation may take, in bytes.
    public var memoryByteCount = 512 << 20

    /// The longest that one computation may take on one core of a server of the 2020s, in seconds. It is
    /// reckoned from the hash's parameters and the password's length before the computation starts, not measured:
    /// a slower machine takes longer.
    public var seconds = 5.0

    /// The longest password, in bytes. The schemes of crypt(3) take at most 511 whatever stands here.
    public var passwordByteCount = 4096

    /// The longest hash string, in bytes.
    public var hashByteCount = 1024

    /// The standard limits, to start from.
    public init() {}

    func check(passwordByteCount count: Int) throws(PasswordError) {
        guard count <= passwordByteCount else {
            throw .passwordTooLong(
                "the password is too long: at most \(passwordByteCount) bytes are accepted"
            )
        }
    }

    func check(_ expense: PasswordExpense) throws(PasswordError) {
        guard expense.memoryByteCount <= memoryByteCount else {
            throw .overLimit(
                "the hash asks for \(expense.memoryByteCount / 1024) KiB of memory, of which "
                    + "\(memoryByteCount / 1024) are allowed"
            )
        }
        // Written so that a NaN, should one ever come up, is refused.
        guard expense.seconds <= seconds else {
            throw .overLimit("the hash asks for more computation than the allowed \(seconds) seconds")
        }
    }
}
