// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The answer to whether a stored hash is of a password. Trouble is thrown and never answers.
public enum PasswordVerification: Sendable, Hashable {
    /// It is of the password. Where the stored hash is weaker than the policy wants, `upgraded` is a new hash of the
    /// password, ready to be stored in its place.
    case match(upgraded: String?)

    /// It is of another password.
    case mismatch

    /// Whether it is of the password.
    public var isMatch: Bool { self != .mismatch }
}
