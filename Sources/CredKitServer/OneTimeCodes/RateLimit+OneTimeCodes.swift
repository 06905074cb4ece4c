// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension RateLimit {
    /// 10 attempts, and then 10 a day, for the one-time codes of an account.
    ///
    /// With three valid codes of a million, a guess succeeds with a probability of 3 in 1,000,000. An attacker who knows the
    /// password and guesses for a year without being noticed succeeds with 1 %; with ``standardPerAccount`` it would be
    /// 96 %. A success of the user makes all attempts available again, as NIST SP 800-63B §5.2.2 recommends.
    public static let standardPerOneTimeCode = RateLimit(unchecked: 10, per: .seconds(86_400))
}
