// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Tickets that say that a session began with a login a short time ago, for changes that a session alone does not permit, since it
/// may be hours old or stolen.
///
/// ```swift
/// let recent = try RecentLogins()
/// let ticket = try recent.ticket(of: result)               // at the login; goes into a cookie of its own
/// guard try recent.user(of: ticket, session: token) == user else { … }       // log in again
/// ```
///
/// A ticket is encrypted and authenticated, and is valid for ``lifetime`` with its session alone. It does not say that the session
/// still exists: ask ``SessionTokenStore/user(of:)`` as well.
public struct RecentLogins: Sendable {
    /// The time after a login in which its ticket is valid: five minutes.
    public static let lifetime = Duration.seconds(300)

    /// The number of bytes of a key: 32.
    public static let keyByteCount = TokenSealer.keyByteCount

    /// A user name of four kilobytes has room.
    private static let maximumByteCount = 12 << 10

    private let sealer: TokenSealer

    /// Creates a maker of tickets.
    ///
    /// - Parameter key: The key of ``keyByteCount`` random bytes, the same for all servers that share their sessions; `nil` for a
    ///   new one, with which earlier tickets are invalid. With the key of a ``PasskeyMechanism``, its tickets and those of
    ///   ``LoginService/recentLogin(of:at:)`` are the same.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(key: SecretBytes? = nil) throws(LoginServerError) {
        sealer = TokenSealer(key: try TokenSealer.checkedKey(key), purpose: "recent login")
    }

    /// Returns a ticket that stands for a login that has just been accepted.
    ///
    /// - Parameters:
    ///   - result: The result of the login, with a session.
    ///   - now: The current time.
    /// - Returns: The ticket; `nil` if the login was not accepted or has no session.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func ticket(of result: LoginResult, at now: UnixTime = .now) throws(LoginServerError) -> String? {
        guard case .accepted(let user) = result.decision, let session = result.session else { return nil }
        return try sealer.seal(TokenContent(time: now, texts: [user, Self.key(of: session.text)]).bytes)
    }

    /// Returns the user who has logged in.
    ///
    /// - Parameters:
    ///   - ticket: The ticket that the client sent. It may be any text.
    ///   - session: The token of the session. It may be any text.
    ///   - now: The current time.
    /// - Returns: The user; `nil` unless the session began with a login in the last five minutes.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func user(
        of ticket: String,
        session: String,
        at now: UnixTime = .now
    ) throws(LoginServerError) -> String? {
        guard let (bytes, _) = try sealer.open(ticket, maximumByteCount: Self.maximumByteCount),
            let content = TokenContent(bytes, textCount: 2),
            content.isValid(at: now, for: Self.lifetime),
            ConstantTime.areEqual(content.texts[1].utf8, Self.key(of: session).utf8)
        else { return nil }
        return content.texts[0]
    }

    private static func key(of session: String) -> String {
        StoreKey("session of a recent login", session).hex
    }
}
