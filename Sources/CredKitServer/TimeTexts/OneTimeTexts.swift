// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit

/// Issues time texts that are good for one login each, to clients that expect a minute.
///
/// ```swift
/// let texts = try OneTimeTexts()
/// try texts.issue(to: address, at: now)       // "2026-01-02 03:04 AAAAAGlXN…": {"key": …}
/// // later, when somebody logs in from there:
/// let candidates = texts.candidates(for: address, broughtBack: cookie, at: now)
/// ```
///
/// The client of a ``CredKit/Legacy/TimestampedLogin`` takes the text as it is, so that nothing changes for it: the text
/// begins with the minute, and a random number and an authentication code follow. A proof that is overheard is of no
/// use once its text was used, and of none at all a minute after the text was issued.
///
/// Such a client posts its name and its proof, and does not say which text the proof is for. There are two ways to it:
/// - The client brings the text back, as a cookie that came with it or as a field of the form. The authentication code
///   tells that it is from here, so that nothing has to be remembered. This works through any number of processes
///   that have one key.
/// - Otherwise the texts that were issued to the same source and not used yet are tried, all of them. They are kept in
///   this process, so many for each source and in all; the oldest go first. Whoever asks for many texts pushes out those
///   of their own source only: of the other clients behind one address, if they share it. To push out everybody's, so
///   many sources are needed as there are texts in all; clients that bring theirs back do not notice even that.
public final class OneTimeTexts: Sendable {
    /// The size of a key in bytes.
    public static let keyByteCount = 32

    private let coder: OneTimeTextCoder
    private let issued: Lock<IssuedTexts>

    /// An issuer.
    ///
    /// - Parameters:
    ///   - key: A key of ``keyByteCount`` bytes that all processes share which serve the same clients; `nil` for a random
    ///     one, with which texts of an earlier start are of no use.
    ///   - lifetime: For how many seconds a text can be used, from 1 to 600; 60.
    ///   - perSourceLimit: The most unused texts of one source that are tried, from 1 to 1,024; 64. Each costs a login
    ///     from that source one HMAC-MD5.
    ///   - limit: The most unused texts that are remembered in all, at least 1; 16,384 of some 300 bytes.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        key: SecretBytes? = nil,
        lifetime: Int = 60,
        perSourceLimit: Int = 64,
        limit: Int = 16_384
    ) throws(LoginServerError) {
        try LoginServerError.check("a text's lifetime in seconds", lifetime, in: 1...600)
        try LoginServerError.check("the texts of a source", perSourceLimit, in: 1...1024)
        try LoginServerError.check("the texts in all", limit, in: 1...1 << 24)
        if let key {
            try LoginServerError.check(
                "the bytes of the key",
                key.count,
                in: Self.keyByteCount...Self.keyByteCount
            )
            coder = OneTimeTextCoder(key: key, lifetime: Int64(lifetime))
        } else {
            do throws(SecretMemoryError) {
                let key = try SecretBytes(randomByteCount: Self.keyByteCount)
                coder = OneTimeTextCoder(key: key, lifetime: Int64(lifetime))
            } catch {
                throw .outOfMemory
            }
        }
        issued = Lock(IssuedTexts(perSourceLimit: perSourceLimit, limit: limit))
    }

    /// For how many seconds a text can be used.
    public var lifetime: Int { Int(coder.lifetime) }

    /// How many texts are remembered that were not used yet; some of them may have expired.
    public var outstandingCount: Int { issued.withLock { $0.count } }

    /// A new text. Let a ``RateLimiter`` ask how often a source comes.
    ///
    /// - Parameters:
    ///   - source: Who gets it: an address, see ``SourceAddress``.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: How far the clock whose minute the text begins with is ahead of UTC, in seconds.
    /// - Returns: The text, 73 ASCII characters. In a cookie its space and colon need an encoding.
    /// - Throws: ``CredKit/LoginMinute/InvalidError/offset``.
    public func issue(
        to source: String,
        at now: Int64,
        utcOffset: Int = 0
    ) throws(LoginMinute.InvalidError) -> String {
        let now = UnixTime.clamp(now)
        let text = coder.make(at: now, minute: try LoginMinute(unixTime: now, utcOffset: utcOffset))
        let source = HashedKey(source)
        issued.withLock { $0.remember(text, for: source, at: now) }
        return text.text
    }

    /// Reads a text that a client brought back.
    ///
    /// - Parameters:
    ///   - text: What came; anything.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The text, or `nil` if it was not issued with this key or its time is over. Whether it was used is for
    ///   a ``ReplayGuard`` to say.
    public func read(_ text: String, at now: Int64) -> OneTimeText? {
        guard let text = coder.read(text), text.isValid(at: UnixTime.clamp(now)) else { return nil }
        return text
    }

    /// The texts that a proof from a source may be for.
    ///
    /// - Parameters:
    ///   - source: Who logs in, named as when the text was issued.
    ///   - broughtBack: The text that the client brought back, if it did; anything.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The texts, for ``LoginVerifier/verify(proof:account:texts:at:)``.
    public func candidates(for source: String, broughtBack: String?, at now: Int64) -> [OneTimeText] {
        let now = UnixTime.clamp(now)
        let source = HashedKey(source)
        let remembered = issued.withLock { $0.texts(of: source) }.filter { $0.isValid(at: now) }
        guard let broughtBack, let text = read(broughtBack, at: now), !remembered.contains(text) else {
            return remembered
        }
        return [text] + remembered
    }

    /// Forgets a text that somebody logged in with, so that it is tried no more.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - source: Who logged in.
    public func consume(_ text: String, of source: String) {
        guard let text = coder.read(text) else { return }
        let source = HashedKey(source)
        issued.withLock { $0.remove(text, of: source) }
    }
}
