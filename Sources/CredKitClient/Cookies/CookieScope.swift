// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
