// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How a stored hash stands to a policy.
public enum PasswordAssessment: Sendable, Hashable {
    /// At least as strong as the policy wants. It stays, also where it merely differs from what new hashes are like.
    case current

    /// Of a scheme that the policy wants, with a lower cost, or without the current pepper. Replaced at the next
    /// login.
    case weaker

    /// Of a scheme that is verified for as long as there are such hashes. Replaced at the next login.
    case deprecated

    /// Of a scheme that the policy does not accept at all.
    case refused
}
