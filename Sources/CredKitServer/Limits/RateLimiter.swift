// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Counts login attempts by account and by source, before anything is looked up or computed.
///
/// ```swift
/// let limiter = try RateLimiter()
/// switch limiter.admit(account: name, source: SourceAddress.group(address), at: now) {
/// case .allowed: …
/// case .limited(let seconds): …              // 429 with Retry-After
/// }
/// ```
///
/// An attempt of a source that is over its limit does not count against the account. Below it, it does, and a source is
/// granted more than an account is, since many people may come from one address. So whoever goes on guessing keeps an
/// account at its limit, from a single source, too, and its user waits for as long as they go on. Where that matters,
/// let known devices in by another way, such as a session that is still valid.
///
/// Names may be as long as they like and as many as they like: 32 bytes are kept of each, and at the bound those go
/// first that are nearest to being unlimited. Hand over names as the user table compares them, in lowercase for
/// instance: `Alice` and `alice` are two accounts here. Names are the same here if their UTF-8 is. A dictionary with
/// strings for keys takes others for the same, too, such as `é` in one character and in two: look users up by
/// `Array(name.utf8)`, or whoever guesses has new attempts for each way to write a name.
public final class RateLimiter: Sendable {
    private struct Tables: Sendable {
        var accounts: RateTable
        var sources: RateTable
    }

    private let tables: Lock<Tables>

    /// A limiter.
    ///
    /// - Parameters:
    ///   - account: What is granted to each account.
    ///   - source: What is granted to each source.
    ///   - keyLimit: The most accounts and the most sources that are remembered, from 4; 65,536 of each, in some 5 MB.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        account: RateLimit = .standardPerAccount,
        source: RateLimit = .standardPerSource,
        keyLimit: Int = 65_536
    ) throws(LoginServerError) {
        try LoginServerError.check("the number of keys", keyLimit, in: 4...1 << 24)
        tables = Lock(
            Tables(
                accounts: RateTable(limit: account, keyLimit: keyLimit),
                sources: RateTable(limit: source, keyLimit: keyLimit)
            )
        )
    }

    /// How many accounts and sources are remembered.
    public var count: Int { tables.withLock { $0.accounts.count + $0.sources.count } }

    /// Counts an attempt, if it is allowed.
    ///
    /// - Parameters:
    ///   - account: The user name as it was posted, made comparable; `nil` for a request that names none.
    ///   - source: Where the attempt comes from: see ``SourceAddress``.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: Whether it is allowed.
    public func admit(account: String?, source: String, at now: Int64) -> RateDecision {
        let now = UnixTime.clamp(now)
        let accountKey = account.map { HashedKey("account", $0) }
        let sourceKey = HashedKey("source", source)
        return tables.withLock { tables in
            let sourceWait = tables.sources.wait(sourceKey, at: now)
            guard sourceWait == 0 else { return .limited(retryAfter: sourceWait) }
            tables.sources.charge(sourceKey, at: now)
            guard let accountKey else { return .allowed }
            let accountWait = tables.accounts.wait(accountKey, at: now)
            guard accountWait == 0 else { return .limited(retryAfter: accountWait) }
            tables.accounts.charge(accountKey, at: now)
            return .allowed
        }
    }

    /// Forgets the attempts of an account, after a login that succeeded. Those of its source stay: otherwise whoever has
    /// one account could guess the passwords of others without end.
    ///
    /// - Parameter account: The name that was given to ``admit(account:source:at:)``.
    public func reset(account: String) {
        let key = HashedKey("account", account)
        tables.withLock { $0.accounts.reset(key) }
    }
}

/// What a ``RateLimiter`` answers.
public enum RateDecision: Sendable, Hashable {
    /// The attempt is allowed, and counted.
    case allowed
    /// It is not.
    ///
    /// - Parameter retryAfter: The seconds until the next one is, for the header Retry-After.
    case limited(retryAfter: Int)
}
