// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit

/// Issues challenges that are valid for one login each, to clients that expect a minute.
///
/// ```swift
/// let challenges = try LoginChallengeIssuer()
/// try challenges.issue(to: address, at: now)       // "2026-01-02 03:04 AAAAAGlXN…": {"key": …}
/// // later, at a login from that address:
/// let candidates = challenges.candidates(for: address, returned: cookie, at: now)
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
/// - Otherwise the server tries all unused challenges that were issued to the same source. They are stored in this
///   process, with a limit for each source and in all; the oldest are removed first. A client that requests many
///   challenges removes only those of its own source, including those of other clients that share the address. Removing
///   all challenges takes as many sources as there are challenges in all. Clients that return their challenge are not
///   affected even then.
public final class LoginChallengeIssuer: Sendable {
    /// The size of a key in bytes.
    public static let keyByteCount = 32

    private let coder: LoginChallengeCoder
    private let issued: Lock<IssuedChallenges>

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - key: A key of ``keyByteCount`` bytes, shared by all processes that serve the same clients; `nil` for a
    ///     random one, which makes challenges of an earlier start invalid.
    ///   - lifetime: The number of seconds in which a challenge can be used, from 1 to 600. Default: 60.
    ///   - perClientLimit: The maximum number of unused challenges of one source that are tried, from 1 to 1,024.
    ///     Default: 64. Each costs a login from that source one HMAC-MD5.
    ///   - limit: The maximum number of unused challenges that are remembered in all, at least 1. Default: 16,384, of
    ///     about 300 bytes each.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        key: SecretBytes? = nil,
        lifetime: Int = 60,
        perClientLimit: Int = 64,
        limit: Int = 16_384
    ) throws(LoginServerError) {
        try LoginServerError.check("the lifetime of a challenge in seconds", lifetime, in: 1...600)
        try LoginServerError.check("the limit of challenges per source", perClientLimit, in: 1...1024)
        try LoginServerError.check("the limit of challenges", limit, in: 1...1 << 24)
        if let key {
            try LoginServerError.check(
                "the size of the key in bytes",
                key.count,
                in: Self.keyByteCount...Self.keyByteCount
            )
            coder = LoginChallengeCoder(key: key, lifetime: Int64(lifetime))
        } else {
            do throws(SecretMemoryError) {
                let key = try SecretBytes(randomByteCount: Self.keyByteCount)
                coder = LoginChallengeCoder(key: key, lifetime: Int64(lifetime))
            } catch {
                throw .outOfMemory
            }
        }
        issued = Lock(IssuedChallenges(perClientLimit: perClientLimit, limit: limit))
    }

    /// The number of seconds in which a challenge can be used.
    public var lifetime: Int { Int(coder.lifetime) }

    /// The number of remembered unused challenges, including expired ones that are not removed yet.
    public var outstandingCount: Int { issued.withLock { $0.count } }

    /// Issues a challenge. Limit the requests of each source with a ``RateLimiter``.
    ///
    /// - Parameters:
    ///   - source: The client's address, see ``ClientAddress``.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: The offset from UTC of the clock whose minute the challenge begins with, in seconds.
    /// - Returns: The challenge, 73 ASCII characters. In a cookie its space and colon must be encoded.
    /// - Throws: ``CredKit/Legacy/TimestampedLogin/Minute/ParseError/invalidOffset``.
    public func issue(
        to source: String,
        at now: Int64,
        utcOffset: Int = 0
    ) throws(Legacy.TimestampedLogin.Minute.ParseError) -> String {
        let now = ClampedTime.clamp(now)
        let text = coder.make(
            at: now,
            minute: try Legacy.TimestampedLogin.Minute(unixTime: now, utcOffset: utcOffset)
        )
        let source = HashedKey(source)
        issued.withLock { $0.remember(text, for: source, at: now) }
        return text.text
    }

    /// Reads a challenge that a client returned.
    ///
    /// - Parameters:
    ///   - text: The text from the client, which may be anything.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The challenge, or `nil` if it was not issued with this key or has expired. Use a ``ReplayGuard`` to
    ///   detect one that was used.
    public func read(_ text: String, at now: Int64) -> LoginChallenge? {
        guard let text = coder.read(text), text.isValid(at: ClampedTime.clamp(now)) else { return nil }
        return text
    }

    /// Returns the challenges that a proof from a source may be for.
    ///
    /// - Parameters:
    ///   - source: The client, named as when the challenge was issued.
    ///   - returned: The text that the client returned, if any; it may be anything.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The challenges, for ``LoginVerifier/verify(proof:account:challenges:at:)``.
    public func candidates(for source: String, returned: String?, at now: Int64) -> [LoginChallenge] {
        let now = ClampedTime.clamp(now)
        let source = HashedKey(source)
        let remembered = issued.withLock { $0.challenges(of: source) }.filter { $0.isValid(at: now) }
        guard let returned, let text = read(returned, at: now), !remembered.contains(text) else {
            return remembered
        }
        return [text] + remembered
    }

    /// Forgets a challenge after a successful login, so that it is no longer tried.
    ///
    /// - Parameters:
    ///   - text: The challenge.
    ///   - source: The client that logged in.
    public func consume(_ text: String, of source: String) {
        guard let text = coder.read(text) else { return }
        let source = HashedKey(source)
        issued.withLock { $0.remove(text, of: source) }
    }
}
