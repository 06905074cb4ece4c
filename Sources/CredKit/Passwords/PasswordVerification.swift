// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The result of verifying a password. Failures are thrown as errors and are never a result.
public enum PasswordVerification: Sendable, Hashable {
    /// The password matches. If the stored hash is weaker than the policy requires, `rehashed` is a new hash of the
    /// password, to be stored in its place, but only if the stored hash is still the verified one: the password may have
    /// been changed meanwhile.
    case match(rehashed: String?)

    /// The password does not match.
    case mismatch

    /// Whether the password matches.
    public var isMatch: Bool { self != .mismatch }
}
