// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient

extension FuzzTarget {
    /// Feeds `Set-Cookie` fields, one per line, to a cookie jar, and compares what it sends with rules written anew from
    /// RFC 6265bis. An input that begins with a brace is the file of a jar.
    static let cookies = FuzzTarget("cookies") { bytes in
        let now = UnixTime(1_700_000_000)
        let limits = CookieJar.Limits(cookiesPerDomain: 8, cookies: 20, bytes: 2000)
        if bytes.first == UInt8(ascii: "{") {
            guard let jar = try? CookieJar(decoding: bytes, limits: limits) else { return }
            try CookieProperties.check(jar, at: now)
            return
        }
        var input = FuzzInput(bytes)
        var jar = CookieJar(
            limits: limits,
            expiryPolicy: input.byte() & 8 == 0
                ? .asSent : .extended(to: .seconds(60), includingSessionCookies: true)
        )
        let urls = try CookieProperties.urls.get()
        while !input.rest.isEmpty {
            let url = urls[input.number(below: urls.count)]
            let choice = input.number(below: 8)
            let context: CookieContext = choice == 7 ? .crossSite : .sameSite
            guard let field = String(input: input.line()) else { return }
            let before = jar.cookies
            let result = jar.store([field], from: url, at: now, context: context)
            try require(result.rejectionCount <= 1, "a field is rejected once")
            try CookieProperties.checkStored(jar, before: before, from: url, at: now)
        }
        try CookieProperties.check(jar, at: now)
    }
}

private enum CookieProperties {
    static let urls = Result {
        try [
            "https://s.example/x/y", "http://www.s.example/", "https://www.s.example/x", "https://127.0.0.1/",
            "https://[::1]/x", "http://localhost/", "https://a.co.uk/", "https://b.a.co.uk/x/y/z",
            "https://co.uk/",
            "https://evil.example/", "https://xs.example/", "https://example/", "https://user.github.io/x",
            "http://s.example:8080/x/yz", "https://1.2.3.4/", "https://ex-ample.s.example/",
        ].map { try HTTPURL($0) }
    }
    private static let suffixes: Set = ["example", "co.uk", "uk", "github.io", "io", "localhost"]

    /// Nothing that a host sends changes the cookies of hosts that it does not belong to.
    static func checkStored(_ jar: CookieJar, before: [StoredCookie], from url: HTTPURL, at now: UnixTime)
        throws
    {
        let host = url.origin.host
        let known = Set(before.map { "\($0)\($0.value)" })
        for cookie in jar.cookies where !known.contains("\(cookie)\(cookie.value)") {
            try require(receives(host, cookie), "\(host) sets no cookie for \(cookie.domain)")
            try require(
                cookie.isHostOnly || !suffixes.contains(cookie.domain),
                "not for a whole suffix: \(cookie)"
            )
            try require(!cookie.isSecure || url.origin.isSecure, "http sets no secure cookie")
            let latest = now + .seconds(400 * 86_400)
            try require(cookie.expiry.map { now < $0 && $0 <= latest } ?? true, "at most 400 days: \(cookie)")
            let name = cookie.name.lowercased()
            guard name.hasPrefix("__host-") || name.hasPrefix("__secure-") else { continue }
            try require(cookie.isSecure, "a name prefix requires Secure")
            try require(
                !name.hasPrefix("__host-") || cookie.isHostOnly && cookie.path == "/",
                "a prefix requires the host alone: \(cookie)"
            )
        }
    }

    static func check(_ jar: CookieJar, at now: UnixTime) throws {
        for cookie in jar.cookies {
            let texts = [cookie.name, cookie.value, cookie.path]
            try require(
                texts.allSatisfy { text in
                    !text.utf8.contains { ($0 < 0x20 && $0 != 9) || $0 == 0x7F || $0 == 0x3B }
                },
                "no separator or control character is stored: \(cookie)"
            )
            try require(cookie.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash: \(cookie)")
            try require(cookie.name.utf8.count + cookie.value.utf8.count <= 4096, "cookies are limited")
        }
        try require(jar.count <= 20 && jar.byteCount <= 2000, "the jar is limited")
        try requireEqual(jar.cookies.count, jar.count, "the jar counts its cookies")
        for url in try urls.get() {
            var copy = jar
            let header = copy.header(for: url, at: now)
            let expected = jar.cookies.filter { isSent($0, to: url, at: now) }.sorted { $0.precedes($1) }
                .map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
            try requireEqual(
                header.map { Array($0.utf8) } ?? [],
                Array(expected.joined(separator: "; ").utf8),
                "exactly the matching cookies are sent to \(url)"
            )
        }
        let copy = try CookieJar(decoding: jar.encoded(), limits: jar.limits)
        try requireEqual(
            copy.cookies.map { "\($0)\($0.value)" },
            jar.cookies.map { "\($0)\($0.value)" },
            "a saved jar is the same"
        )
    }

    private static func isSent(_ cookie: StoredCookie, to url: HTTPURL, at now: UnixTime) -> Bool {
        let (path, cookiePath) = (Array(url.path.utf8), Array(cookie.path.utf8))
        let isBelow =
            path.starts(with: cookiePath)
            && (path.count == cookiePath.count || cookiePath.last == 0x2F || path[cookiePath.count] == 0x2F)
        return isBelow && receives(url.origin.host, cookie) && (url.origin.isSecure || !cookie.isSecure)
            && (cookie.expiry.map { $0 > now } ?? true)
    }

    /// The domain-match of RFC 6265bis, section 5.1.3.
    private static func receives(_ host: String, _ cookie: StoredCookie) -> Bool {
        if Array(host.utf8) == Array(cookie.domain.utf8) { return true }
        let isAddress = host.hasPrefix("[") || host.split(separator: ".").last.map { Int($0) != nil } ?? false
        return !cookie.isHostOnly && !isAddress
            && Array(host.utf8.suffix(cookie.domain.utf8.count + 1)) == Array((".\(cookie.domain)").utf8)
    }
}
