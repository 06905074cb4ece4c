// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How a policy rates a stored hash.
///
/// Decided by `assess` of ``PasswordPolicy`` (scheme, cost) and of ``PasswordContext`` (pepper). A hash that is
/// ``weaker`` or ``deprecated`` is kept nevertheless if its scheme ignores bytes of the password, or if the new hash
/// cannot be made: `verify` of ``PasswordContext`` decides that.
public enum PasswordHashStatus: Sendable, Hashable {
    /// The hash is at least as strong as the policy requires. It is not replaced, even if new hashes have other
    /// parameters.
    case current

    /// The scheme is one that the policy wants, but the cost is lower or the current pepper is missing. The hash is
    /// replaced at the next login.
    case weaker

    /// The scheme is verified only for the sake of existing hashes. The hash is replaced at the next login.
    case deprecated

    /// The policy rejects the scheme.
    case refused
}
