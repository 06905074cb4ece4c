// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A cookie in a ``CookieJar``, with the fields of RFC 6265bis section 5.7.
///
/// Its description and its mirror show everything except the value.
public struct StoredCookie: Sendable {
    /// The name, which may be empty.
    public let name: String
    /// The value, as the server sent it. It is usually a secret.
    public let value: String
    /// The host that the cookie is sent to; also the subdomains of this host if ``isHostOnly`` is false.
    public let domain: String
    /// The path that the cookie is sent to, including everything below it.
    public let path: String
    /// Whether the cookie is sent only to the host ``domain``.
    public let isHostOnly: Bool
    /// Whether the cookie is sent only over https.
    public let isSecure: Bool
    /// Whether browsers hide the cookie from scripts. It has no effect here.
    public let isHTTPOnly: Bool
    /// Whether the cookie is sent with cross-site requests.
    public let sameSite: SameSite
    /// When the cookie expires; `nil` for a session cookie.
    public let expiry: UnixTime?
    /// When the cookie was first set. It does not change when the cookie is set again.
    public internal(set) var creation: UnixTime

    /// A serial number that orders cookies created in the same second.
    var serial: UInt64
    /// When the cookie was last sent or set, as the jar's count of such events. Clocks jump, and cannot
    /// distinguish two events in the same second.
    var lastUse: UInt64

    /// The value of `SameSite`.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// `None`: sent with every request.
        case none = "None"
        /// `Lax`: not sent with requests that other sites embed or post.
        case lax = "Lax"
        /// `Strict`: sent only with requests from its own site.
        case strict = "Strict"
        /// Missing or not understood: treated as `Lax`.
        case unspecified = "Default"
    }

    /// Whether the cookie has expired. RFC 6265bis requires an expiry in the past; as in browsers, the second
    /// of the expiry itself counts as past.
    func isExpired(at now: UnixTime) -> Bool { expiry.map { $0 <= now } ?? false }

    /// The size in bytes that counts towards the limits.
    var byteCount: Int { name.utf8.count + value.utf8.count + domain.utf8.count + path.utf8.count }

    /// Whether two cookies have the same identity: name, domain, host-only flag and path, RFC 6265bis section
    /// 5.7, step 23.
    func isSame(as other: StoredCookie) -> Bool {
        isHostOnly == other.isHostOnly && ASCIIText.areEqual(name, other.name)
            && ASCIIText.areEqual(path, other.path) && ASCIIText.areEqual(domain, other.domain)
    }

    /// Whether both cookies are equal when saved to a file.
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
    /// The cookie in the form of a `Set-Cookie` field, without its value.
    public var description: String {
        var parts = ["\(CookieRejection(name: name, reason: .empty).name)=‹redacted›"]
        parts.append(isHostOnly ? "Host=\(domain)" : "Domain=\(domain)")
        parts.append("Path=\(path)")
        if let expiry { parts.append("Expires=\(expiry)") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if sameSite != .unspecified { parts.append("SameSite=\(sameSite.rawValue)") }
        return parts.joined(separator: "; ")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}
