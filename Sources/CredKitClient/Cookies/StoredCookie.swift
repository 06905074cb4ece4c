// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A cookie of a ``CookieJar``, with the fields of RFC 6265bis section 5.7.
///
/// Printed or dumped it shows everything but its value.
public struct StoredCookie: Sendable {
    /// The name. A cookie can have none.
    public let name: String
    /// The value, as the server sent it. It is mostly a secret.
    public let value: String
    /// The host that the cookie goes to, or with ``isHostOnly`` false also those whose names end in it behind
    /// a dot.
    public let domain: String
    /// The path that the cookie goes to, and what lies in it.
    public let path: String
    /// Whether the cookie goes to the host ``domain`` only.
    public let isHostOnly: Bool
    /// Whether the cookie goes over https only.
    public let isSecure: Bool
    /// Whether the cookie is kept from scripts in a browser. Here it changes nothing.
    public let isHTTPOnly: Bool
    /// Whether the cookie goes with requests that other sites lead to.
    public let sameSite: SameSite
    /// When the cookie ends, in seconds from 1970; `nil` for a session cookie, which has no such time.
    public let expiry: Int64?
    /// When the cookie was first set, in seconds from 1970. It stays when the cookie is set again.
    public internal(set) var creation: Int64

    /// What tells cookies of one second apart, in the order they came in.
    var serial: UInt64
    /// When the cookie was last sent or set, by the jar's count of such events: clocks jump, and tell no two
    /// events of one second apart.
    var lastUse: UInt64

    /// The rule of `SameSite`.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// `None`: with every request.
        case none = "None"
        /// `Lax`: not with what other sites load or post.
        case lax = "Lax"
        /// `Strict`: only with requests from its own site.
        case strict = "Strict"
        /// Not given, or not understood: as `Lax`.
        case unspecified = "Default"
    }

    /// Whether it is over. RFC 6265bis says: when the expiry is in the past; as in browsers, its own second
    /// counts as past.
    func isExpired(at now: Int64) -> Bool { expiry.map { $0 <= now } ?? false }

    /// The bytes that count for the limits.
    var byteCount: Int { name.utf8.count + value.utf8.count + domain.utf8.count + path.utf8.count }

    /// Whether two cookies are one and the same: name, domain, host-only flag and path, RFC 6265bis section
    /// 5.7, step 23.
    func isSame(as other: StoredCookie) -> Bool {
        isHostOnly == other.isHostOnly && ASCIIText.areEqual(name, other.name)
            && ASCIIText.areEqual(path, other.path) && ASCIIText.areEqual(domain, other.domain)
    }

    /// Whether a file of one is as good as a file of the other.
    func isStoredLike(_ other: StoredCookie) -> Bool {
        isSame(as: other) && ASCIIText.areEqual(value, other.value) && expiry == other.expiry
            && isSecure == other.isSecure && isHTTPOnly == other.isHTTPOnly && sameSite == other.sameSite
    }

    /// The order of RFC 6265bis section 5.8.3: longer paths first, then older cookies.
    func precedes(_ other: StoredCookie) -> Bool {
        let (left, right) = (path.utf8.count, other.path.utf8.count)
        return left != right ? left > right : (creation, serial) < (other.creation, other.serial)
    }
}

extension StoredCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The cookie as a `Set-Cookie` field has it, but without its value.
    public var description: String {
        var parts = ["\(CookieRefusal(name: name, reason: .empty).name)=‹redacted›"]
        parts.append(isHostOnly ? "Host=\(domain)" : "Domain=\(domain)")
        parts.append("Path=\(path)")
        if let expiry { parts.append("Expires=\(expiry)") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if sameSite != .unspecified { parts.append("SameSite=\(sameSite.rawValue)") }
        return parts.joined(separator: "; ")
    }

    /// As ``description``.
    public var debugDescription: String { description }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}
