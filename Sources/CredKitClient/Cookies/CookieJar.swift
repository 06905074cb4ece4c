// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The cookies of one account, following RFC 6265bis (draft-ietf-httpbis-rfc6265bis).
///
/// A jar does no I/O: the caller passes the fields of responses. It reads the clock only for calls without a time.
///
/// ```swift
/// var jar = CookieJar()
/// let url = try HTTPURL("https://school.example/login")
/// jar.store(["SID=31d4d96e407aad42; Path=/; Secure; HttpOnly"], from: url)
/// jar.header(for: url)       // "SID=31d4d96e407aad42"
/// ```
///
/// Where the RFC leaves a choice, the jar behaves as follows:
///
/// - Cookies for public suffixes (from libpsl's list) are rejected.
/// - Only https counts as secure, so `http://localhost` can neither set nor receive `Secure` cookies.
/// - Cookies are stored for at most 400 days.
/// - A session cookie stays until ``removeSessionCookies()`` and so can outlive the process.
/// - Every call is for HTTP. Scripts cannot access the cookies, so `HttpOnly` has no effect.
/// - There are no rules for third-party cookies.
///
/// Cookies are sent to all ports of a host, and those with a `Domain` also to its subdomains. A caller that
/// wants to send credentials to only one origin must check the origin before it asks for the header.
public struct CookieJar: Sendable {
    /// The maximum number and size of the stored cookies.
    public let limits: Limits

    /// How long cookies that are set from now on are stored.
    public var expiryPolicy: CookieExpiryPolicy

    /// The number of cookies.
    public internal(set) var count = 0

    /// A number that changes whenever anything changes that needs to be saved. The time when cookies were
    /// last sent does not count.
    public internal(set) var changeCount: UInt64 = 0

    /// The cookies by domain, so that a request examines only its host and the parent domains.
    var buckets: [String: Bucket] = [:]
    /// The total size of all cookies in bytes.
    var byteCount = 0
    /// A lower bound of all expiry times.
    var nextExpiry = UnixTime.distantFuture
    /// The number of new cookies so far.
    var serial: UInt64 = 0
    /// How often cookies have been set or sent so far.
    var useCount: UInt64 = 0

    /// Creates an empty jar.
    ///
    /// - Parameters:
    ///   - limits: The maximum number and size of the stored cookies.
    ///   - expiryPolicy: How long cookies are stored.
    public init(limits: Limits = .standard, expiryPolicy: CookieExpiryPolicy = .asSent) {
        self.limits = limits
        self.expiryPolicy = expiryPolicy
    }

    /// Whether there are no cookies.
    public var isEmpty: Bool { count == 0 }

    /// All cookies, sorted by domain and path. Expired ones are included until the jar is next used.
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

        /// Appends the matching cookies and records their use. They are changed in place, so that a large jar
        /// is not copied for each request.
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
    /// The number of cookies.
    public var description: String { "CookieJar(\(count) cookies)" }

    /// A mirror of the cookies, which show no values.
    public var customMirror: Mirror { Mirror(self, children: ["cookies": cookies], displayStyle: .struct) }
}

extension UnixTime {
    /// The last point in time.
    static let distantFuture = UnixTime(.max)
}

extension CookieJar {
    /// How many cookies a jar stores, and how many it examines.
    ///
    /// RFC 6265bis section 6.1 requires at least 50 cookies per domain and 3000 in total.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of cookies per domain.
        public var cookiesPerDomain: Int
        /// The maximum number of cookies in the jar.
        public var cookies: Int
        /// The maximum total size of all names, values, domains and paths in bytes.
        public var bytes: Int
        /// The maximum number of fields that are examined per response; later ones are rejected unread.
        public var fieldsPerResponse: Int
        /// The maximum number of bytes that are examined per response.
        public var bytesPerResponse: Int

        /// Creates limits. Negative numbers count as zero.
        ///
        /// - Parameters:
        ///   - cookiesPerDomain: The maximum number of cookies per domain.
        ///   - cookies: The maximum number of cookies in the jar.
        ///   - bytes: The maximum total size in bytes.
        ///   - fieldsPerResponse: The maximum number of fields that are examined per response.
        ///   - bytesPerResponse: The maximum number of bytes that are examined per response.
        public init(
            cookiesPerDomain: Int = 180,
            cookies: Int = 3000,
            bytes: Int = 4 << 20,
            fieldsPerResponse: Int = 300,
            bytesPerResponse: Int = 1 << 20
        ) {
            self.cookiesPerDomain = max(0, cookiesPerDomain)
            self.cookies = max(0, cookies)
            self.bytes = max(0, bytes)
            self.fieldsPerResponse = max(0, fieldsPerResponse)
            self.bytesPerResponse = max(0, bytesPerResponse)
        }

        /// 180 cookies per domain, as in browsers; 3000 cookies and 4 MiB in total; 300 fields and 1 MiB per
        /// response.
        public static let standard = Limits()
    }
}
