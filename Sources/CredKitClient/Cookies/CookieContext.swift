// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Where a request comes from: the site that it is sent to, or another site, RFC 6265bis section 5.2.
///
/// A program's own requests are `sameSite`, like those of a browser when a user types an address. When a
/// server redirects to another site, the request to that site is cross-site: see
/// ``navigation(from:to:methodIsSafe:)``.
public enum CookieContext: Sendable, Hashable {
    /// From the same site or from the user.
    case sameSite
    /// A navigation from another site. Cookies with `SameSite=Strict` are not sent. Cookies with `Lax` or
    /// without `SameSite` are sent only if the method is safe: GET, HEAD, OPTIONS or TRACE. Every cookie in
    /// the response is stored.
    case crossSiteNavigation(methodIsSafe: Bool)
    /// A resource that another site's page loads. Only cookies with `SameSite=None` are sent and stored.
    case crossSite

    /// Returns the context of a request that follows a redirect or a link.
    ///
    /// - Parameters:
    ///   - source: The origin of the redirect or link.
    ///   - target: The origin that the request is sent to.
    ///   - methodIsSafe: Whether the method of the request is GET, HEAD, OPTIONS or TRACE.
    /// - Returns: ``sameSite`` if both origins belong to one site, otherwise
    ///   ``crossSiteNavigation(methodIsSafe:)``.
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
    /// Returns whether two origins belong to the same site: they have the same scheme and the same
    /// registrable domain. Ports are ignored. An address, or a public suffix such as `localhost`, is a site
    /// of its own.
    ///
    /// - Parameter other: The other origin.
    /// - Returns: Whether both belong to the same site.
    public func isSameSite(as other: Origin) -> Bool {
        guard isSecure == other.isSecure else { return false }
        if host == other.host { return true }
        guard !CookieScope.isAddress(host.utf8), !CookieScope.isAddress(other.host.utf8),
            let domain = PublicSuffixes.registrableDomain(of: host)
        else { return false }
        return domain == PublicSuffixes.registrableDomain(of: other.host)
    }
}
