// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Limits login attempts by account and by source, before the user is looked up or anything is computed.
///
/// ```swift
/// let limiter = try RateLimiter()
/// switch limiter.recordAttempt(account: name, source: ClientAddress.rateLimitKey(for: address), at: now) {
/// case .allowed: …
/// case .limited(let seconds): …              // 429 with Retry-After
/// }
/// ```
///
/// An attempt from a source that is over its limit does not count against the account. An attempt from a source below
/// its limit does. A source has a higher limit than an account, since many users may share an address. An attacker who
/// keeps guessing, even from a single source, therefore keeps an account at its limit, and its user cannot log in
/// meanwhile. Where that matters, accept known devices in another way, such as a session that is still valid.
///
/// Neither the length nor the number of names is limited: 32 bytes are stored for each, and when the table is full, the
/// entries nearest to being unlimited are removed first. Pass names as the user table compares them, for example in
/// lowercase: `Alice` and `alice` are two accounts here. Two names are equal here if their UTF-8 is equal. A dictionary
/// with `String` keys also treats other spellings as equal, such as `é` as one character and as two. Look users up by
/// `Array(name.utf8)`; otherwise an attacker gets new attempts for each spelling of a name.
public final class RateLimiter: Sendable {
    private struct Tables: Sendable {
        var accounts: RateTable
        var sources: RateTable
    }

    private let tables: Lock<Tables>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - account: The limit of each account.
    ///   - source: The limit of each source.
    ///   - keyLimit: The maximum number of accounts and of sources that are remembered, at least 4. Default: 65,536 of
    ///     each, in about 5 MB.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        account: RateLimit = .standardPerAccount,
        source: RateLimit = .standardPerClient,
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

    /// The number of accounts and sources that are remembered.
    public var count: Int { tables.withLock { $0.accounts.count + $0.sources.count } }

    /// Counts an attempt, if it is allowed.
    ///
    /// - Parameters:
    ///   - account: The posted user name, in the form that the user table compares; `nil` for a request without a name.
    ///   - source: The origin of the attempt: see ``ClientAddress``.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: Whether the attempt is allowed.
    public func recordAttempt(account: String?, source: String, at now: Int64) -> RateLimitResult {
        let now = ClampedTime.clamp(now)
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

    /// Forgets the attempts of an account, after a successful login. The attempts of its source remain: otherwise the
    /// owner of one account could guess the passwords of others without limit.
    ///
    /// - Parameter account: The name that was passed to ``recordAttempt(account:source:at:)``.
    public func reset(account: String) {
        let key = HashedKey("account", account)
        tables.withLock { $0.accounts.reset(key) }
    }
}

/// The decision of a ``RateLimiter``.
public enum RateLimitResult: Sendable, Hashable {
    /// The attempt is allowed, and was counted.
    case allowed
    /// The attempt is not allowed.
    ///
    /// - Parameter retryAfter: The seconds until the next attempt is allowed, for the header Retry-After.
    case limited(retryAfter: Int)
}
