// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How long cookies are kept: as long as the server says, or longer.
///
/// No cookie is kept for more than 400 days without being set again, RFC 6265bis section 5.5.
public struct CookieExpiryPolicy: Sendable, Hashable {
    /// The longest time that a cookie is kept, in seconds: 400 days.
    public static let longest: Int64 = 400 * 86_400

    /// How long cookies with an expiry are kept at least, in seconds; `nil` to do as the server says.
    public let minimumSeconds: Int64?

    /// Whether cookies without an expiry, which end with the session, get one.
    public let includesSessionCookies: Bool

    private init(minimumSeconds: Int64?, includesSessionCookies: Bool) {
        self.minimumSeconds = minimumSeconds
        self.includesSessionCookies = includesSessionCookies
    }

    /// Every cookie is kept as long as the server says.
    public static let asSent = CookieExpiryPolicy(minimumSeconds: nil, includesSessionCookies: false)

    /// Cookies are kept longer than the server says. What the server deletes, it still deletes.
    ///
    /// > Warning: A server ends a login by letting its cookies expire. With this they go on being sent, and
    /// > lie about for longer.
    ///
    /// - Parameters:
    ///   - seconds: How long a cookie is kept at least, from the response that set it; at most ``longest``
    ///     counts.
    ///   - includingSessionCookies: Whether cookies without an expiry get this one.
    /// - Returns: The policy.
    public static func extended(toSeconds seconds: Int64, includingSessionCookies: Bool = false) -> Self {
        .init(
            minimumSeconds: max(0, min(seconds, longest)),
            includesSessionCookies: includingSessionCookies
        )
    }

    /// What becomes of a cookie.
    enum Lifetime: Equatable {
        case deleted
        case session
        case until(Int64)

        var expiry: Int64? { if case .until(let expiry) = self { expiry } else { nil } }
    }

    /// RFC 6265bis sections 5.6.1, 5.6.2 and 5.7: `Max-Age` before `Expires`, and never more than the limit.
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
    /// The sum, or the largest or smallest number if it does not fit.
    func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
