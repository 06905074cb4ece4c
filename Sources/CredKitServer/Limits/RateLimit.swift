// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How many attempts in what time.
public struct RateLimit: Sendable, Hashable {
    /// The attempts that can be made at once.
    public let attempts: Int

    /// The seconds in which as many are granted anew, one after the other.
    public let seconds: Int

    /// A limit: so many attempts at once, and after that one each `seconds / attempts`.
    ///
    /// - Parameters:
    ///   - attempts: From 1 to 1,000,000.
    ///   - seconds: From 1 to 86,400.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(attempts: Int, per seconds: Int) throws(LoginServerError) {
        try LoginServerError.check("the attempts", attempts, in: 1...1_000_000)
        try LoginServerError.check("the seconds", seconds, in: 1...86_400)
        self.attempts = attempts
        self.seconds = seconds
    }

    private init(unchecked attempts: Int, per seconds: Int) {
        self.attempts = attempts
        self.seconds = seconds
    }

    /// 10 attempts, and then one every 30 seconds: enough for slips of the finger, and 2,900 guesses a day.
    public static let standardPerAccount = RateLimit(unchecked: 10, per: 300)

    /// 60 attempts, and then one a second: many people may come from one address.
    public static let standardPerSource = RateLimit(unchecked: 60, per: 60)

    /// The time that one attempt takes up, in microseconds.
    var interval: Int64 { max(1, Int64(seconds) * 1_000_000 / Int64(attempts)) }

    /// The time that all attempts together take up, in microseconds.
    var burst: Int64 { interval * Int64(attempts) }
}
