// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Limits login attempts by account and by client address, before the user is looked up or anything is computed. It
/// chooses the keys and their limits; how long each must wait is decided by the ``RateStore``, as in `RateTable`.
///
/// ```swift
/// let limiter = RateLimiter(store: storage.rates)
/// let address = ClientAddress.rateLimitKey(for: peer)
/// switch try await limiter.recordAttempt(account: name, clientAddress: address) {
/// case .allowed: …
/// case .limited(let wait): …                    // 429 with Retry-After: `wait.components.seconds`
/// }
/// ```
///
/// An attempt counts against both or, if either is over its limit, against neither: a rejected attempt gives an attacker
/// no guess. An address that guesses at one account therefore uses up its attempts only as fast as the account allows.
/// An address over its limit does not count against an account, and an account over its limit does not use up the
/// attempts of an address that its owner shares with other users.
///
/// An address has a higher limit than an account, since many users may share it. An attacker who keeps guessing, even
/// from a single address, therefore keeps an account at its limit, and its user cannot log in meanwhile. Where that
/// matters, accept known devices in another way, such as a session that is still valid.
///
/// Neither the length nor the number of names is limited: a ``StoreKey`` is stored for each. Pass names as the user table
/// compares them, for example in lowercase: `Alice` and `alice` are two accounts here. Two names are equal here if their
/// UTF-8 is equal. A dictionary with `String` keys also treats other spellings as equal, such as `é` as one character and
/// as two. Look users up by `Array(name.utf8)`; otherwise an attacker gets new attempts for each spelling of a name.
public struct RateLimiter: Sendable {
    private let accountLimit: RateLimit
    private let clientLimit: RateLimit
    private let purpose: String
    let store: any RateStore

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - account: The limit of each account.
    ///   - clientAddress: The limit of each client address.
    ///   - purpose: What is attempted. Limiters over one store count different purposes apart; the empty one is that of logins.
    ///   - store: The store of the attempts. Servers that share accounts must share it: with an ``InMemoryRateStore`` each
    ///     process grants all attempts, and again after a restart.
    public init(
        account: RateLimit = .standardPerAccount,
        clientAddress: RateLimit = .standardPerClient,
        purpose: String = "",
        store: any RateStore
    ) {
        accountLimit = account
        clientLimit = clientAddress
        self.purpose = purpose
        self.store = store
    }

    /// Counts an attempt, if it is allowed.
    ///
    /// - Parameters:
    ///   - account: The posted user name, in the form that the user table compares; `nil` for a request without a name.
    ///   - clientAddress: The client, counted exactly as it is passed. Pass ``ClientAddress/rateLimitKey(for:)``: a client with
    ///     an IPv6 network would otherwise have the attempts of each of its addresses.
    /// - Returns: Whether the attempt is allowed. A time to wait is a number of whole seconds.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; the attempt must be rejected.
    ///   ``LoginServerError/cancelled`` if the task was cancelled.
    public func recordAttempt(
        account: String?,
        clientAddress: String
    ) async throws(LoginServerError) -> RateLimitResult {
        var charges = [RateCharge(StoreKey("client", purpose, clientAddress), limit: clientLimit)]
        if let account { charges.append(RateCharge(key(of: account), limit: accountLimit)) }
        let result = try await LoginServerError.wrapping("the rate store failed") {
            try await store.charge(charges)
        }
        switch result {
        case .allowed: return .allowed
        case .limited(let wait): return .limited(retryAfter: wait.retryAfter)
        }
    }

    /// Forgets the attempts of an account, after a successful login. `LoginService` does it together with the login, in
    /// `LoginCompletionStore`. The attempts of its address remain: otherwise the
    /// owner of one account could guess the passwords of others without limit.
    ///
    /// - Parameter account: The name that was passed to ``recordAttempt(account:clientAddress:)``.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func reset(account: String) async throws(LoginServerError) {
        try await LoginServerError.wrapping("the rate store failed") {
            try await store.reset(key(of: account))
        }
    }

    func key(of account: String) -> StoreKey { StoreKey("account", purpose, account) }
}
