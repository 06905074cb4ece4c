// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The cookies of one account, by the rules of RFC 6265bis (draft-ietf-httpbis-rfc6265bis).
///
/// A jar does no input or output and reads no clock: the caller passes it the responses' fields and the time.
///
/// ```swift
/// var jar = CookieJar()
/// let url = try HTTPURL("https://school.example/login")
/// jar.store(["SID=31d4d96e407aad42; Path=/; Secure; HttpOnly"], from: url, at: now)
/// jar.header(for: url, at: now)       // "SID=31d4d96e407aad42"
/// ```
///
/// Where the RFC leaves a choice: public suffixes are refused (by libpsl's list); only https is a secure
/// protocol, so that `Secure` cookies neither come from nor go to `http://localhost`; cookies are kept for
/// 400 days at most; a session cookie stays until ``removeSessionCookies()``, and so can outlive the process.
/// Every call is for HTTP: there is no way for scripts to get at the cookies, and `HttpOnly` changes nothing.
/// A jar knows no third parties.
///
/// Cookies go to all ports of a host, and those with a `Domain` to its subdomains. Who wants to send
/// credentials to one origin only has to see to that before asking for the header.
public struct CookieJar: Sendable {
    /// How many cookies are kept.
    public let limits: Limits

    /// How long cookies are kept that come from now on.
    public var expiryPolicy: CookieExpiryPolicy

    /// How many cookies there are.
    public internal(set) var count = 0

    /// A number that changes whenever something has changed that a file of the jar should have. When cookies
    /// were last sent is not part of that.
    public internal(set) var changeCount: UInt64 = 0

    /// The cookies by their domains, so that a request looks at its host's and its parent domains' only.
    var buckets: [String: Bucket] = [:]
    /// The bytes of all cookies together.
    var byteCount = 0
    /// A time before which no cookie expires.
    var nextExpiry = Int64.max
    /// How many cookies have been new so far.
    var serial: UInt64 = 0
    /// How many times cookies have been set or sent so far.
    var useCount: UInt64 = 0

    /// An empty jar.
    ///
    /// - Parameters:
    ///   - limits: How many cookies are kept.
    ///   - expiryPolicy: How long they are kept.
    public init(limits: Limits = .standard, expiryPolicy: CookieExpiryPolicy = .asSent) {
        self.limits = limits
        self.expiryPolicy = expiryPolicy
    }

    /// Whether there are no cookies.
    public var isEmpty: Bool { count == 0 }

    /// All cookies, by domain and path; expired ones are among them until the jar is next used.
    public var cookies: [StoredCookie] {
        buckets.sorted { $0.key < $1.key }.flatMap(\.value.cookies)
    }

    /// The cookies of one domain, in the order in which they are sent.
    struct Bucket: Sendable {
        private(set) var cookies: [StoredCookie] = []

        func index(of cookie: StoredCookie) -> Int? { cookies.firstIndex { $0.isSame(as: cookie) } }

        mutating func insert(_ cookie: StoredCookie) {
            var (low, high) = (0, cookies.count)
            while low < high {
                let middle = (low + high) / 2
                if cookies[middle].precedes(cookie) { low = middle + 1 } else { high = middle }
            }
            cookies.insert(cookie, at: low)
        }

        mutating func remove(at index: Int) -> StoredCookie { cookies.remove(at: index) }

        mutating func removeAll(where isMeant: (StoredCookie) -> Bool) { cookies.removeAll(where: isMeant) }

        /// Appends the cookies that are meant, and notes when they were used. They are changed in place: a
        /// jar of many cookies is not copied for each request.
        mutating func use(
            _ use: UInt64,
            appendingTo matches: inout [StoredCookie],
            where isMeant: (borrowing StoredCookie) -> Bool
        ) {
            for index in cookies.indices where isMeant(cookies[index]) {
                cookies[index].lastUse = use
                matches.append(cookies[index])
            }
        }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are.
    public var description: String { "CookieJar(\(count) cookies)" }

    /// A mirror of the cookies, which show no values.
    public var customMirror: Mirror { Mirror(self, children: ["cookies": cookies], displayStyle: .struct) }
}
