// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How long cookies are stored: as long as the server says, or longer.
///
/// No cookie is stored for more than 400 days after it was last set, RFC 6265bis section 5.5.
public struct CookieExpiryPolicy: Sendable, Hashable {
    /// The maximum time in seconds that a cookie is stored: 400 days.
    public static let longest: Int64 = 400 * 86_400

    /// The minimum time in seconds that cookies with an expiry are stored; `nil` to follow the server.
    public let minimumSeconds: Int64?

    /// Whether cookies without an expiry, which end with the session, also get one.
    public let includesSessionCookies: Bool

    private init(minimumSeconds: Int64?, includesSessionCookies: Bool) {
        self.minimumSeconds = minimumSeconds
        self.includesSessionCookies = includesSessionCookies
    }

    /// Stores every cookie for as long as the server says.
    public static let asSent = CookieExpiryPolicy(minimumSeconds: nil, includesSessionCookies: false)

    /// Stores cookies for longer than the server says. The server can still delete them.
    ///
    /// > Warning: A server ends a login by making its cookies expire. With this policy they continue to be
    /// > sent, and remain stored for longer.
    ///
    /// - Parameters:
    ///   - seconds: The minimum time that a cookie is stored after the response that set it; values over
    ///     ``longest`` count as ``longest``.
    ///   - includingSessionCookies: Whether cookies without an expiry get this one.
    /// - Returns: The policy.
    public static func extended(toSeconds seconds: Int64, includingSessionCookies: Bool = false) -> Self {
        .init(
            minimumSeconds: max(0, min(seconds, longest)),
            includesSessionCookies: includingSessionCookies
        )
    }

    /// How long a cookie is stored.
    enum Lifetime: Equatable {
        case deleted
        case session
        case until(Int64)

        var expiry: Int64? { if case .until(let expiry) = self { expiry } else { nil } }
    }

    /// Applies RFC 6265bis sections 5.6.1, 5.6.2 and 5.7: `Max-Age` overrides `Expires`, and the limit
    /// applies to both.
    func lifetime(of cookie: SetCookie, at now: Int64) -> Lifetime {
        let latest = now.addingWithoutOverflow(Self.longest)
        let expiry: Int64
        if let maxAge = cookie.maxAge {
            guard maxAge > 0 else { return .deleted }
            expiry = min(now.addingWithoutOverflow(maxAge), latest)
        } else if let expires = cookie.expires {
            guard expires > now else { return .deleted }
            expiry = min(expires, latest)
        } else {
            guard includesSessionCookies, let minimumSeconds, minimumSeconds > 0 else { return .session }
            return .until(now.addingWithoutOverflow(minimumSeconds))
        }
        return .until(max(expiry, minimumSeconds.map { now.addingWithoutOverflow($0) } ?? expiry))
    }
}

extension Int64 {
    /// Returns the sum, or the largest or smallest number on overflow.
    func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
