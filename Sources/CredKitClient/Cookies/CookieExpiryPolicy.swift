// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// How long cookies are stored: as long as the server says, or longer.
///
/// No cookie is stored for more than 400 days after it was last set, RFC 6265bis section 5.5.
public struct CookieExpiryPolicy: Sendable, Hashable {
    /// The maximum time that a cookie is stored: 400 days.
    public static let maximumLifetime = Duration.seconds(400 * 86_400)

    /// The minimum time that cookies with an expiry are stored; `nil` to follow the server.
    public let minimumLifetime: Duration?

    /// Whether cookies without an expiry also get one. Otherwise they stay until ``CookieJar/removeSessionCookies()``, also
    /// in a jar that is saved and read again.
    public let includesSessionCookies: Bool

    private init(minimumLifetime: Duration?, includesSessionCookies: Bool) {
        self.minimumLifetime = minimumLifetime
        self.includesSessionCookies = includesSessionCookies
    }

    /// Stores every cookie for as long as the server says.
    public static let asSent = CookieExpiryPolicy(minimumLifetime: nil, includesSessionCookies: false)

    /// Stores cookies for longer than the server says. The server can still delete them.
    ///
    /// > Warning: A server ends a login by making its cookies expire. With this policy they continue to be
    /// > sent, and remain stored for longer.
    ///
    /// - Parameters:
    ///   - lifetime: The minimum time that a cookie is stored after the response that set it, in whole seconds; values
    ///     over ``maximumLifetime`` count as ``maximumLifetime``.
    ///   - includingSessionCookies: Whether cookies without an expiry get this one.
    /// - Returns: The policy.
    public static func extended(to lifetime: Duration, includingSessionCookies: Bool = false) -> Self {
        .init(
            minimumLifetime: max(.zero, min(lifetime, maximumLifetime)),
            includesSessionCookies: includingSessionCookies
        )
    }

    /// How long a cookie is stored.
    enum Lifetime: Equatable {
        case deleted
        case session
        case until(UnixTime)

        var expiry: UnixTime? { if case .until(let expiry) = self { expiry } else { nil } }
    }

    /// Applies RFC 6265bis sections 5.6.1, 5.6.2 and 5.7: `Max-Age` overrides `Expires`, and the limit
    /// applies to both.
    func lifetime(of cookie: SetCookie, at now: UnixTime) -> Lifetime {
        let latest = now + Self.maximumLifetime
        let expiry: UnixTime
        if let maxAge = cookie.maxAge {
            guard maxAge > .zero else { return .deleted }
            expiry = min(now + maxAge, latest)
        } else if let expires = cookie.expires {
            guard expires > now else { return .deleted }
            expiry = min(expires, latest)
        } else {
            guard includesSessionCookies, let minimumLifetime, minimumLifetime >= .seconds(1) else {
                return .session
            }
            return .until(now + minimumLifetime)
        }
        return .until(max(expiry, minimumLifetime.map { now + $0 } ?? expiry))
    }
}
