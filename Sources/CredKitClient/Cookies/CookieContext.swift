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

/// Decides which domains a host may set cookies for, and which paths a cookie is sent to. The domains that are sent to a
/// host are found in `CookieJar+Retrieving.swift`, by walking up the labels of its name.
enum CookieScope {
    /// RFC 6265bis section 5.1.3: a host domain-matches itself and, if it is a name, every domain that it is
    /// a subdomain of.
    static func matches(host: String, domain: String) -> Bool {
        let (host, domain) = (host.utf8, domain.utf8)
        guard host.count > domain.count else { return host.elementsEqual(domain) }
        guard !domain.isEmpty else { return false }
        let start = host.index(host.endIndex, offsetBy: -domain.count)
        return host[start...].elementsEqual(domain) && host[host.index(before: start)] == UInt8(ascii: ".")
            && !isAddress(host)
    }

    /// Whether a host is an IP address. ``HTTPURL`` rejects host names that end in a number.
    static func isAddress(_ host: String.UTF8View) -> Bool {
        if host.first == UInt8(ascii: "[") { return true }
        let last = host.lastIndex(of: UInt8(ascii: ".")).map { host[$0...].dropFirst() } ?? host[...]
        return !last.isEmpty && last.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// RFC 6265bis section 5.1.4: the path up to its last slash.
    static func defaultPath(_ path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// RFC 6265bis section 5.1.4: a path matches itself and the folders that contain it.
    static func matches(path: String, cookiePath: String) -> Bool {
        let (path, cookiePath) = (path.utf8, cookiePath.utf8)
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path[path.index(path.startIndex, offsetBy: cookiePath.count)] == UInt8(ascii: "/")
    }
}
