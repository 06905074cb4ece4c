// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension CookieJar {
    /// Returns the value of the `Cookie` field of a request, RFC 6265bis section 5.8.3.
    ///
    /// Cookies with longer paths come first, then older ones. The jar records the use of the cookies, and
    /// drops expired ones.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - now: The time.
    ///   - context: Where the request comes from.
    /// - Returns: The value; `nil` if there is no cookie to send.
    public mutating func header(
        for url: HTTPURL,
        at now: UnixTime = .now,
        context: CookieContext = .sameSite
    ) -> String? {
        guard !isEmpty else { return nil }
        removeExpired(at: now)
        var matches: [StoredCookie] = []
        // The domain-match of RFC 6265bis, section 5.1.3: the host itself, then each domain that it is a subdomain of.
        let host = url.origin.host
        take(&matches, from: host, isHost: true, for: url, context)
        if !CookieScope.isAddress(host.utf8) {
            var rest = host.utf8[...]
            while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
                rest = rest[dot...].dropFirst()
                let first = matches.count
                take(&matches, from: String(Substring(rest)), isHost: false, for: url, context)
                // Each bucket is already sorted.
                if first > 0, matches.count > first { matches.sort { $0.precedes($1) } }
            }
        }
        guard !matches.isEmpty else { return nil }
        useCount &+= 1
        return Self.header(matches)
    }

    private mutating func take(
        _ matches: inout [StoredCookie],
        from domain: String,
        isHost: Bool,
        for url: HTTPURL,
        _ context: CookieContext
    ) {
        guard let index = buckets.index(forKey: domain) else { return }
        buckets.values[index].use(useCount, appendingTo: &matches) { cookie in
            (isHost || !cookie.isHostOnly) && (url.origin.isSecure || !cookie.isSecure)
                && CookieScope.matches(path: url.path, cookiePath: cookie.path)
                && context.sends(cookie.sameSite)
        }
    }

    private static func header(_ cookies: [StoredCookie]) -> String {
        var header = ""
        header.reserveCapacity(cookies.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 })
        for cookie in cookies {
            if !header.isEmpty { header += "; " }
            if !cookie.name.isEmpty {
                header += cookie.name
                header += "="
            }
            header += cookie.value
        }
        return header
    }
}
