// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What permits a user to add or remove a passkey: a session alone does not, since it may be hours old or stolen.
public enum PasskeyPermission: Sendable {
    /// A login at most ``LoginService/recentLoginLifetime`` ago, in whose session the request comes.
    ///
    /// - Parameters:
    ///   - ticket: What ``LoginService/recentLogin(of:at:)`` returned at that login, for example in a cookie. It may be any text.
    ///   - session: The token of the session. It may be any text.
    case recentLogin(ticket: String, session: String)

    /// A link of ``LoginService/makePasskeyLink(forAccountNamed:lifetime:at:)``, with which one passkey can be added, and nothing
    /// else.
    ///
    /// - Parameter text: The text of the link. It may be any text.
    case link(String)
}

extension LoginService {
    /// The time after a login in which a user may add and remove passkeys: five minutes.
    public static let recentLoginLifetime = RecentLogins.lifetime

    /// The times for which a link can be valid.
    public static let passkeyLinkLifetimes: ClosedRange<Duration> = .seconds(60) ... .seconds(86_400)

    /// The longest link. A user name of four kilobytes has room.
    private static let maximumLinkByteCount = 12 << 10

    /// What a link says about an account that has a password when it is made.
    private static let lockable = "password"

    /// Returns a ticket that stands for a login that has just been accepted, to add and remove passkeys with.
    ///
    /// - Parameters:
    ///   - result: The result of the login, with a session.
    ///   - now: The current time.
    /// - Returns: The ticket; `nil` if the login was not accepted, has no session, or if the service has no ``PasskeyMechanism``.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func recentLogin(
        of result: LoginResult,
        at now: UnixTime = .now
    ) throws(LoginServerError) -> String? {
        try mechanisms.passkeys?.mechanism.recentLogins.ticket(of: result, at: now)
    }

    /// Returns a link with which a user can add one passkey without a login: for a new user, or for one who has lost all ways to
    /// log in. Who has the link can log in as the user from then on: send it over a way that only the user can read.
    ///
    /// It is used up just before the passkey is stored, also where that fails then. Servers whose stores are in memory accept
    /// no link from before their start. If the account has a password, the link is not valid while its credential is
    /// ``StoredCredential/unusable``, as that of a locked account. Nothing else takes a link back: to lock an account that has
    /// no password, remove it from the table.
    ///
    /// - Parameters:
    ///   - name: The name of the account in the table.
    ///   - lifetime: The time for which it is valid, from 1 minute to 24 hours. Default: 1 hour.
    ///   - now: The current time.
    /// - Returns: The text of the link, base64url; `nil` if there is no such account, or if the service has no
    ///   ``PasskeyMechanism``.
    /// - Throws: ``LoginServerError/invalidConfiguration`` for another lifetime, ``LoginServerError/lookupFailed``,
    ///   ``LoginServerError/outOfMemory``, ``LoginServerError/cancelled``.
    public func makePasskeyLink(
        forAccountNamed name: String,
        lifetime: Duration = .seconds(3_600),
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> String? {
        try LoginServerError.check("the lifetime of a link", lifetime, in: Self.passkeyLinkLifetimes)
        guard let passkeys = mechanisms.passkeys?.mechanism, let account = try await account(ofPasskeys: name)
        else { return nil }
        let lock = account.credential == .unusable ? "" : Self.lockable
        let seconds = "\(lifetime.components.seconds)"
        let content = TokenContent(time: now, texts: [account.name, seconds, lock])
        return try passkeys.links.seal(content.bytes)
    }

    /// Returns the account that a permission is for, and what adding a passkey with it uses up; `nil` if it permits nothing.
    func account(
        of permission: PasskeyPermission,
        _ passkeys: PasskeyMechanism,
        at now: UnixTime
    ) async throws(LoginServerError) -> (account: LoginAccount, use: SingleUse?)? {
        switch permission {
        case .recentLogin(let ticket, let session):
            guard let recent = try passkeys.recentLogins.user(of: ticket, session: session, at: now),
                let user = try await sessions.user(of: session),
                user.utf8.elementsEqual(recent.utf8),
                let account = try await account(ofPasskeys: user)
            else { return nil }
            return (account, nil)
        case .link(let text):
            guard let content = try content(ofLink: text, passkeys.links),
                let seconds = Int64(content.texts[1]),
                content.isValid(at: now, for: .seconds(seconds)),
                let account = try await account(ofPasskeys: content.texts[0]),
                content.texts[2] != Self.lockable || account.credential != .unusable
            else { return nil }
            let use = SingleUse(
                StoreKey("passkey link", text),
                of: account.name,
                // For processes whose clocks are behind: the link is valid there for longer.
                validFrom: content.time - LoginChallenge.tolerance,
                validUntil: content.time + .seconds(seconds) + LoginChallenge.tolerance + .seconds(1),
                verifiedAt: now
            )
            return (account, use)
        }
    }

    /// Finds an account by the name in the table.
    func account(ofPasskeys name: String) async throws(LoginServerError) -> LoginAccount? {
        let account = try await LoginServerError.wrappingLookup { try await accounts.account(named: name) }
        guard let account, account.name.utf8.elementsEqual(name.utf8) else { return nil }
        return account
    }

    private func content(
        ofLink text: String,
        _ sealer: TokenSealer
    ) throws(LoginServerError) -> TokenContent? {
        guard let (bytes, _) = try sealer.open(text, maximumByteCount: Self.maximumLinkByteCount) else {
            return nil
        }
        return TokenContent(bytes, textCount: 3)
    }
}
