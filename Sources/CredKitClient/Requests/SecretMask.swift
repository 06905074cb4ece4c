// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Writes heads of messages as text in which everything that may be a secret is `***`.
struct SecretMask: Sendable {
    private static let hidden = "***"

    /// The fields whose values are shown: a list of secret ones would miss some, such as `X-Auth-Token`.
    private static let shownFields: Set<String> = [
        "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "alt-svc",
        "cache-control", "cache-status", "connection", "content-digest", "content-disposition",
        "content-encoding", "content-language", "content-length", "content-range", "content-type",
        "date", "deprecation", "etag", "expires", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "keep-alive", "last-modified", "origin", "pragma",
        "range", "ratelimit", "ratelimit-policy", "repr-digest", "retry-after", "server",
        "signature-input", "strict-transport-security", "sunset", "transfer-encoding", "user-agent",
        "vary", "via", "www-authenticate", "x-content-type-options", "x-frame-options",
        "x-powered-by", "x-request-id",
    ]
    /// The parameters of a query whose values are shown.
    private static let shownParameters: Set<String> = [
        "page", "per_page", "limit", "offset", "size", "sort", "order",
    ]
    /// The schemes of `Authorization` that are shown, without what follows.
    private static let schemes: Set<String> = ["basic", "bearer", "digest", "dpop", "scram-sha-256"]
    private static let cookieAttributes: Set<String> = [
        "path", "domain", "max-age", "expires", "secure", "httponly", "samesite", "partitioned",
    ]

    /// The header of the session's token.
    let tokenField: HTTPField.Name?

    /// Returns the lines of a request.
    func lines(of request: HTTPRequest) -> [String] {
        let target = masked(target: request.path ?? "/")
        let start = ["\(request.method.rawValue) \(target)", "Host: \(request.authority ?? "")"]
        return start + request.headerFields.map { line($0) }
    }

    /// Returns the lines of a response. What logs in, there or in its request, is not shown where a server repeats it either.
    func lines(of response: HTTPResponse, to request: HTTPRequest? = nil) -> [String] {
        let status = response.status
        let reason = status.reasonPhrase.isEmpty ? "" : " \(status.reasonPhrase)"
        let lines = ["HTTP \(status.code)\(reason)"] + response.headerFields.map { line($0) }
        let sent = request.map { secrets(in: $0.headerFields) } ?? []
        return (sent + secrets(in: response.headerFields)).reduce(lines) { lines, secret in
            lines.map { $0.replacing(secret, with: Self.hidden) }
        }
    }

    /// Returns the credentials, tokens and cookies in a message. Shorter values than 8 bytes are no secrets.
    private func secrets(in fields: HTTPFields) -> [String] {
        fields.flatMap { field -> [String] in
            switch field.name.canonicalName {
            case "authorization", "proxy-authorization":
                let credentials = field.value.drop { $0 != " " }.dropFirst()
                return [credentials.isEmpty ? field.value : String(credentials)]
            case "cookie": return parts(of: field.value).map { Self.value(ofCookie: $0) }
            case "set-cookie": return parts(of: field.value).prefix(1).map { Self.value(ofCookie: $0) }
            default: return field.name == tokenField ? [field.value] : []
            }
        }
        .filter { $0.utf8.count >= 8 }
    }

    private static func value(ofCookie cookie: String) -> String {
        cookie.contains("=") ? String(cookie.drop { $0 != "=" }.dropFirst()) : cookie
    }

    private func line(_ field: HTTPField) -> String { "\(field.name.rawName): \(value(of: field))" }

    private func value(of field: HTTPField) -> String {
        switch field.name.canonicalName {
        case "authorization", "proxy-authorization":
            let scheme = field.value.prefix { $0 != " " }
            let isKnown = Self.schemes.contains(ASCIIText.lowercased(scheme))
            return isKnown && scheme.count < field.value.count ? "\(scheme) \(Self.hidden)" : Self.hidden
        case "cookie":
            return parts(of: field.value).map { Self.masked(cookie: $0) }.joined(separator: "; ")
        case "set-cookie":
            let parts = parts(of: field.value)
            let attributes = parts.dropFirst().filter {
                Self.cookieAttributes.contains(ASCIIText.lowercased($0.prefix { $0 != "=" }))
            }
            return ([Self.masked(cookie: parts.first ?? "")] + attributes).joined(separator: "; ")
        case "location", "content-location": return masked(location: field.value)
        case let name:
            let isShown = Self.shownFields.contains(name) && field.name != tokenField
            return isShown ? field.value : Self.hidden
        }
    }

    private func parts(of value: String) -> [String] {
        value.split(separator: ";").map { part in
            String(part.drop { $0 == " " || $0 == "\t" })
        }
    }

    private static func masked(cookie: String) -> String {
        guard let end = cookie.firstIndex(of: "=") else { return hidden }
        return "\(cookie[...end])\(hidden)"
    }

    /// Returns a URL without user information and fragment, and without the values of its query.
    private func masked(location: String) -> String {
        let url = location.prefix { $0 != "#" }
        let ending = url.count == location.count ? "" : "#\(Self.hidden)"
        // User information ends at an @ before the path.
        guard !url.prefix(while: { $0 != "?" }).contains("@") else { return Self.hidden }
        return masked(target: String(url)) + ending
    }

    /// Returns a path without the parameters of its segments, and with a query without its values.
    func masked(target: String) -> String {
        let path = target.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment -> String in
            guard let end = segment.firstIndex(of: ";") else { return String(segment) }
            return "\(segment[...end])\(Self.hidden)"
        }
        let start = segments.joined(separator: "/")
        guard path.endIndex < target.endIndex else { return start }
        let parameters = target[path.endIndex...].dropFirst().split(
            separator: "&",
            omittingEmptySubsequences: false
        )
        let shown = parameters.map { parameter -> String in
            guard let end = parameter.firstIndex(of: "=") else { return Self.hidden }
            let name = parameter[..<end]
            let isShown =
                Self.shownParameters.contains(String(name))
                && parameter[end...].dropFirst().utf8.allSatisfy(Self.isPlain)
            return isShown ? String(parameter) : "\(name)=\(Self.hidden)"
        }
        return "\(start)?\(shown.joined(separator: "&"))"
    }

    /// Whether a byte cannot separate parameters: some servers take a semicolon for that.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            return true
        default: return "-_.,".utf8.contains(byte)
        }
    }
}
