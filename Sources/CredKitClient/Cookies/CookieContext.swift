// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Where a request comes from: from the site that it goes to, or from another one, RFC 6265bis section 5.2.
///
/// A program's own requests are `sameSite`, as a browser's are when somebody types an address. When a server
/// redirects to another site, the request to that other site is cross-site: see
/// ``navigation(from:to:methodIsSafe:)``.
public enum CookieContext: Sendable, Hashable {
    /// From the same site, or from the user.
    case sameSite
    /// A page that another site leads to. Cookies with `SameSite=Strict` are not sent; with `Lax`, and with
    /// none given, only if the method is safe: GET, HEAD, OPTIONS or TRACE. Every cookie in the response is
    /// kept.
    case crossSiteNavigation(methodIsSafe: Bool)
    /// Something that another site's page loads. Only cookies with `SameSite=None` are sent, and kept.
    case crossSite

    /// The context of a request that one origin leads to, by a redirect or a link.
    ///
    /// - Parameters:
    ///   - source: Where the redirect or link is from.
    ///   - target: Where the request goes.
    ///   - methodIsSafe: Whether the request's method is GET, HEAD, OPTIONS or TRACE.
    /// - Returns: ``sameSite`` if both are of one site, else ``crossSiteNavigation(methodIsSafe:)``.
    public static func navigation(from source: Origin, to target: Origin, methodIsSafe: Bool) -> CookieContext
    {
        source.isSameSite(as: target) ? .sameSite : .crossSiteNavigation(methodIsSafe: methodIsSafe)
    }

    /// Whether a cookie may be sent, RFC 6265bis section 5.8.3.
    func sends(_ sameSite: StoredCookie.SameSite) -> Bool {
        switch self {
        case .sameSite: true
        case .crossSiteNavigation(let methodIsSafe):
            sameSite == .none || (methodIsSafe && sameSite != .strict)
        case .crossSite: sameSite == .none
        }
    }

    /// Whether a cookie may be stored, RFC 6265bis section 5.7, step 18.
    func stores(_ sameSite: StoredCookie.SameSite) -> Bool { self != .crossSite || sameSite == .none }
}

extension Origin {
    /// Whether two origins are of one site: the same scheme, and one registrable domain. Ports do not matter.
    /// An address, or a public suffix such as `localhost`, is a site of its own.
    ///
    /// - Parameter other: Another origin.
    /// - Returns: Whether they are.
    public func isSameSite(as other: Origin) -> Bool {
        guard isSecure == other.isSecure else { return false }
        if host == other.host { return true }
        guard !CookieScope.isAddress(host.utf8), !CookieScope.isAddress(other.host.utf8),
            let domain = PublicSuffixes.registrableDomain(of: host)
        else { return false }
        return domain == PublicSuffixes.registrableDomain(of: other.host)
    }
}
