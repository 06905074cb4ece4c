// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

// All code here works on bytes: Swift reads a slash followed by a combining accent as one character, but
// every server reads a slash.

extension HTTPURL {
    /// Parses a URL.
    ///
    /// - Parameter text: An absolute http or https URL.
    /// - Throws: ``ClientError/invalidURL``, with the reason.
    public init(_ text: String) throws(ClientError) { try self.init(text, allowsBlanks: false) }

    private init(_ text: String, allowsBlanks: Bool) throws(ClientError) {
        let bytes = Substring(text).utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else {
            throw .invalidURL("invalid URL: it must begin with https:// or http://")
        }
        let isSecure: Bool
        switch ASCIIText.lowercased(text[..<colon]) {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .invalidURL("invalid URL: it must begin with https:// or http://")
        }
        let rest = bytes[colon...].dropFirst(3)
        let end = rest.firstIndex(where: Self.endsAuthority) ?? rest.endIndex
        let origin = try Self.origin(isSecure: isSecure, authority: rest[..<end])
        let (path, query) = try Self.pathAndQuery(rest[end...], allowsBlanks: allowsBlanks)
        self.init(origin: origin, path: path.isEmpty ? "/" : Self.removingDotSegments(path), query: query)
    }

    /// Resolves a reference against this URL, RFC 3986 section 5.
    ///
    /// Blanks in the path and query of a reference are percent-encoded, because servers send such redirects.
    /// Blanks are invalid in a URL itself.
    ///
    /// - Parameter reference: An absolute URL, or a relative one such as `/login?next=1`.
    /// - Returns: The URL, without a fragment.
    /// - Throws: ``ClientError/invalidURL`` if the reference is malformed or its scheme is neither http nor
    ///   https.
    public func resolving(_ reference: String) throws(ClientError) -> HTTPURL {
        let bytes = Substring(reference).utf8
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            !bytes[..<colon].contains(where: Self.endsAuthority)
        {
            return try HTTPURL(reference, allowsBlanks: true)
        }
        if bytes.starts(with: "//".utf8) {
            return try HTTPURL("\(origin.scheme):\(reference)", allowsBlanks: true)
        }
        let (path, query) = try Self.pathAndQuery(bytes, allowsBlanks: true)
        if path.isEmpty {
            return HTTPURL(origin: origin, path: self.path, query: query ?? self.query)
        }
        if path.utf8.first == UInt8(ascii: "/") {
            return HTTPURL(origin: origin, path: Self.removingDotSegments(path), query: query)
        }
        let folder = self.path[...(self.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? self.path.startIndex)]
        return HTTPURL(origin: origin, path: Self.removingDotSegments(folder + path), query: query)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func origin(isSecure: Bool, authority: Substring.UTF8View) throws(ClientError) -> Origin {
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw .invalidURL("invalid URL: it must not contain a user name or password")
        }
        var host = authority
        var port: UInt16 = isSecure ? 443 : 80
        let afterBrackets = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        if let colon = authority[afterBrackets...].firstIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            let digits = authority[authority.index(after: colon)...]
            if !digits.isEmpty {
                guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
                    let number = UInt16(Substring(digits)),
                    number > 0
                else { throw .invalidURL("invalid URL: the port must be a number from 1 to 65535") }
                port = number
            }
        }
        return Origin(isSecure: isSecure, host: try HostText.canonical(Substring(host)), port: port)
    }

    private static func pathAndQuery(
        _ bytes: Substring.UTF8View,
        allowsBlanks: Bool
    ) throws(ClientError) -> (String, String?) {
        // The fragment is dropped, but a URL with a line feed in it has been tampered with.
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .invalidURL("invalid URL: it must not contain blanks, control characters or backslashes")
        }
        let bytes = bytes.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
            return (try encoded(bytes, allowsBlanks: allowsBlanks), nil)
        }
        return (
            try encoded(bytes[..<mark], allowsBlanks: allowsBlanks),
            try encoded(bytes[bytes.index(after: mark)...], allowsBlanks: allowsBlanks)
        )
    }

    /// Percent-encodes every byte that RFC 3986 allows neither in a path nor in a query. A `%` that does not begin an
    /// escape is a literal percent sign.
    private static func encoded(_ bytes: Substring.UTF8View, allowsBlanks: Bool) throws(ClientError) -> String
    {
        let first: UInt8 = allowsBlanks ? 0x20 : 0x21
        guard !bytes.contains(where: { $0 < first || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
            throw .invalidURL("invalid URL: it must not contain blanks, control characters or backslashes")
        }
        return URLBytes.coding.encode(bytes)
    }

    /// Removes dot segments, RFC 3986 section 5.2.4, from a path that begins with a slash. `%2e` is a dot, as
    /// servers read it.
    private static func removingDotSegments(_ path: String) -> String {
        var segments: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part.utf8.count <= 6 ? part.lowercased() : "" {
            case ".", "%2e": if isLast { segments.append("") }
            case "..", ".%2e", "%2e.", "%2e%2e":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}

/// The bytes that need no encoding in a URL, RFC 3986.
enum URLBytes {
    /// The encoding of a path or query: the unreserved characters, `!$&'()*+,;=`, `:`, `@`, `/`, `?` and escapes stay.
    static let coding = PercentCoding(leaving: "-._~!$&'()*+,;=:@/?", keepsEscapes: true)

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    /// Whether a text is a path with an optional query in which nothing needs encoding.
    static func isTarget(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/")
            && text.utf8.withContiguousSpan { coding.encodedByteCount(of: $0) == $0.count }
    }

    /// Whether a text is a host with an optional port, without user information or encoded bytes.
    static func isAuthority(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: ":") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x3A, 0x41...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x2D, 0x2E: true
            default: false
            }
        }
    }
}
