// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Issues challenges that are valid for one login each, to clients that expect a minute.
///
/// ```swift
/// let challenges = try LoginChallengeIssuer(store: storage.challenges)
/// try await challenges.issue(to: address)             // "2026-01-02 03:04 AAAAAGlXN…": {"key": …}
/// // later, at a login from that address:
/// let candidates = try await challenges.candidates(for: address, returned: cookie)
/// ```
///
/// The client of a ``CredKit/Legacy/TimestampedLogin`` uses the text unchanged, so that it needs no modification: the
/// text begins with the minute, followed by a random number and an authentication code. A recorded proof is useless
/// once its challenge was used, and always a minute after the challenge was issued.
///
/// Such a client posts its name and its proof, but does not say which challenge the proof is for. The server finds it
/// in two ways:
/// - The client returns the challenge, as a cookie that was set with it or as a field of the form. The authentication
///   code proves that this server issued it, so that nothing must be remembered. This works with any number of
///   processes that share one key.
/// - Otherwise the server tries all unused challenges that were issued to the same address. They are in a
///   ``ChallengeStore``, with a limit for each address and in all; the oldest are removed first. A client that requests
///   many challenges removes only those of its own address, including those of other clients that share the address.
///   Removing all challenges takes as many addresses as there are challenges in all. Clients that return their challenge
///   are not affected even then.
public struct LoginChallengeIssuer: Sendable {
    /// The size of a key in bytes.
    public static let keyByteCount = 32

    private let coder: LoginChallengeCoder
    private let perClientLimit: Int
    private var store: any ChallengeStore
    /// Whether the store was chosen by the caller.
    private let hasOwnStore: Bool

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - key: A key of ``keyByteCount`` bytes, shared by all processes that serve the same clients; `nil` for a
    ///     random one, which makes challenges of an earlier start invalid.
    ///   - lifetime: The time in which a challenge can be used, from 1 to 600 seconds; a fraction of a second is dropped.
    ///     Default: 60 seconds.
    ///   - perClientLimit: The maximum number of unused challenges of one address that are tried, from 1 to 1,024.
    ///     Default: 64. Each costs a login from that address one HMAC-MD5 and one HMAC-SHA256.
    ///   - store: The store of the unused challenges; `nil` for that of the ``LoginStorage`` with which a service registers the
    ///     mechanism, or without one for an ``InMemoryChallengeStore``, which is for one process.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        key: SecretBytes? = nil,
        lifetime: Duration = .seconds(60),
        perClientLimit: Int = 64,
        store: (any ChallengeStore)?
    ) throws(LoginServerError) {
        try LoginServerError.check("the lifetime of a challenge", lifetime, in: .seconds(1)...(.seconds(600)))
        try LoginServerError.check("the limit of challenges per address", perClientLimit, in: 1...1024)
        let lifetime = Duration.seconds(lifetime.components.seconds)
        if let key {
            try LoginServerError.check(
                "the size of the key in bytes",
                key.count,
                in: Self.keyByteCount...Self.keyByteCount
            )
            coder = LoginChallengeCoder(key: key, lifetime: lifetime)
        } else {
            do throws(SecretMemoryError) {
                let key = try SecretBytes(randomByteCount: Self.keyByteCount)
                coder = LoginChallengeCoder(key: key, lifetime: lifetime)
            } catch {
                throw .outOfMemory
            }
        }
        self.perClientLimit = perClientLimit
        hasOwnStore = store != nil
        self.store = store ?? InMemoryChallengeStore(standardOn: ContinuousClock())
    }

    /// Returns the issuer with a store, unless it was created with one.
    func withDefaultStore(_ store: any ChallengeStore) -> Self {
        guard !hasOwnStore else { return self }
        var copy = self
        copy.store = store
        return copy
    }

    /// The time in which a challenge can be used.
    public var lifetime: Duration { coder.lifetime }

    /// Issues a challenge. Limit the requests of each address with a ``RateLimiter``.
    ///
    /// - Parameters:
    ///   - clientAddress: The client's address, see ``ClientAddress``.
    ///   - now: The current time.
    ///   - utcOffset: The offset from UTC of the clock whose minute the challenge begins with, less than 24 hours.
    /// - Returns: The challenge, 73 ASCII characters. In a cookie its space and colon must be encoded.
    /// - Throws: ``LoginServerError/timeOutOfRange``; ``LoginServerError/storeFailed`` if the store threw;
    ///   ``LoginServerError/cancelled``.
    public func issue(
        to clientAddress: String,
        at now: UnixTime = .now,
        utcOffset: Duration = .zero
    ) async throws(LoginServerError) -> String {
        let challenge = coder.make(at: now, minute: try Self.minute(at: now, utcOffset: utcOffset))
        try await withStore { store in
            try await store.remember(
                challenge.text,
                of: Self.key(of: clientAddress),
                lifetime: coder.lifetime,
                perClientLimit: perClientLimit
            )
        }
        return challenge.text
    }

    /// Reads a challenge that a client returned.
    ///
    /// - Parameters:
    ///   - text: The text from the client, which may be anything.
    ///   - now: The current time.
    /// - Returns: The challenge, or `nil` if it was not issued with this key or has expired. Use a ``ReplayGuard`` to
    ///   detect one that was used.
    public func read(_ text: String, at now: UnixTime = .now) -> LoginChallenge? {
        guard let challenge = coder.read(text), challenge.isValid(at: now) else { return nil }
        return challenge
    }

    /// Returns the challenges that a proof from a client may be for.
    ///
    /// - Parameters:
    ///   - clientAddress: The client's address, named as when the challenge was issued.
    ///   - returned: The text that the client returned, if any; it may be anything.
    ///   - now: The current time.
    /// - Returns: The challenges, for ``LoginVerifier/verify(proof:account:challenges:at:)``.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func candidates(
        for clientAddress: String,
        returned: String?,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> [LoginChallenge] {
        let texts = try await withStore { try await $0.challenges(of: Self.key(of: clientAddress)) }
        // A store may return more than it was asked to remember; each challenge costs a computation.
        let remembered = texts.suffix(perClientLimit).compactMap { read($0, at: now) }
        guard let returned, let challenge = read(returned, at: now), !remembered.contains(challenge) else {
            return remembered
        }
        return [challenge] + remembered
    }

    /// Forgets a challenge after a successful login, so that it is no longer tried.
    ///
    /// - Parameters:
    ///   - text: The challenge. Any other text has no effect.
    ///   - clientAddress: The address of the client that logged in.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func consume(_ text: String, of clientAddress: String) async throws(LoginServerError) {
        guard coder.read(text) != nil else { return }
        _ = try await withStore { try await $0.consume(text, of: Self.key(of: clientAddress)) }
    }

    /// Returns the minute that a clock with an offset from UTC shows.
    static func minute(
        at now: UnixTime,
        utcOffset: Duration
    ) throws(LoginServerError) -> Legacy.TimestampedLogin.Minute {
        guard let wallTime = WallTime.seconds(at: now, utcOffset: utcOffset),
            let minute = try? Legacy.TimestampedLogin.Minute(unixTime: wallTime)
        else { throw .timeOutOfRange }
        return minute
    }

    private static func key(of clientAddress: String) -> StoreKey { StoreKey("client", clientAddress) }

    private func withStore<Value>(
        _ operation: (any ChallengeStore) async throws -> Value
    ) async throws(LoginServerError) -> Value {
        try await LoginServerError.wrapping("the challenge store failed") { try await operation(store) }
    }
}
