// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A number of attempts in a period of time.
public struct RateLimit: Sendable, Hashable {
    /// The number of attempts that can be made at once.
    public let attempts: Int

    /// The time in which all ``attempts`` become available again, one after the other.
    public let period: Duration

    /// Creates a limit: `attempts` attempts at once, and after that one every `period / attempts`.
    ///
    /// - Parameters:
    ///   - attempts: From 1 to 1,000,000.
    ///   - period: From 1 second to 24 hours.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(attempts: Int, per period: Duration) throws(LoginServerError) {
        try LoginServerError.check("the number of attempts", attempts, in: 1...1_000_000)
        try LoginServerError.check("the period of a limit", period, in: .seconds(1)...(.seconds(86_400)))
        self.init(unchecked: attempts, per: period)
    }

    init(unchecked attempts: Int, per period: Duration) {
        self.attempts = attempts
        self.period = period
    }

    /// 10 attempts, and then one every 30 seconds. This is enough for typing errors, and allows 2,900 guesses a day.
    ///
    /// The default of ``LoginConfiguration``. credkit-server: the option `attempts` of `CredKitServerCommand`, through
    /// `limits` of `LoginServer`.
    public static let standardPerAccount = RateLimit(unchecked: 10, per: .seconds(300))

    /// 60 attempts, and then one a second, since many users may share an address.
    ///
    /// The default of ``LoginConfiguration``. credkit-server: the option `attempts` of `CredKitServerCommand`, through
    /// `limits` of `LoginServer`.
    public static let standardPerClient = RateLimit(unchecked: 60, per: .seconds(60))

    /// The time that one attempt uses, in microseconds.
    var interval: Int64 { max(1, period.microseconds / Int64(attempts)) }

    /// The time that all attempts together use, in microseconds.
    var burst: Int64 { interval * Int64(attempts) }
}

extension RateLimit {
    /// 10 attempts, and then 10 a day, for the one-time codes of an account.
    ///
    /// With three valid codes of a million, a guess succeeds with a probability of 3 in 1,000,000. An attacker who knows the
    /// password and guesses for a year without being noticed succeeds with 1 %; with ``standardPerAccount`` it would be
    /// 96 %. A success of the user makes all attempts available again, as NIST SP 800-63B §5.2.2 recommends.
    ///
    /// The default of ``OneTimeCodeVerifier``, which credkit-server does not change.
    public static let standardPerOneTimeCode = RateLimit(unchecked: 10, per: .seconds(86_400))
}
