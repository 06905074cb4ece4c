// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The limits of a ``LoginService``.
public struct LoginConfiguration: Sendable, Hashable {
    /// The attempts of each account.
    public var accountLimit = RateLimit.standardPerAccount

    /// The attempts of each client address.
    public var clientLimit = RateLimit.standardPerClient

    /// The lifetimes of sessions, and their number per user.
    public var sessionLimits = SessionLimits()

    /// The interval to whose multiples rejections are delayed, from their attempt on: zero for no delay, at most 10 seconds.
    /// Default: 50 milliseconds.
    ///
    /// The answers to first messages of SCRAM are delayed to multiples of a tenth of it.
    ///
    /// A client then cannot measure how long a rejection took within the interval, for example whether the user was found.
    /// A mechanism must nevertheless do the same work in every case: work that does not end before the last tenth of an interval
    /// shows.
    public var rejectionInterval = Duration.milliseconds(50)

    /// Creates a configuration with the default values.
    public init() {}

    /// Throws if a value is outside its range.
    func check() throws(LoginServerError) {
        try LoginServerError.check(
            "the interval of rejections",
            rejectionInterval,
            in: .zero ... .seconds(10)
        )
    }
}
