// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPURL {
    /// Reads a URL.
    ///
    /// - Parameter text: An absolute URL with http or https.
    /// - Throws: ``LoginError/invalidURL``, with what is wrong.
    public init(_ text: String) throws(LoginError) {
        guard let scheme = text.utf8.firstRange(of: ":".utf8) else {
            throw .invalidURL("a URL begins with https:// or http://")
        }
        let isSecure: Bool
        switch String(text[..<scheme.lowerBound]).lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .invalidURL("a URL begins with https:// or http://")
        }
        let rest = text[scheme.upperBound...]
        guard rest.hasPrefix("//") else { throw .invalidURL("a URL begins with https:// or http://") }
        let afterSlashes = rest.dropFirst(2)
        let end = afterSlashes.firstIndex { "/?#".contains($0) } ?? afterSlashes.endIndex
        let origin = try Self.origin(isSecure: isSecure, authority: afterSlashes[..<end])
        let (path, query) = try Self.pathAndQuery(afterSlashes[end...])
        self.init(origin: origin, path: path.isEmpty ? "/" : Self.removingDotSegments(path), query: query)
    }

    /// The URL that a reference means on a page of this URL, RFC 3986 section 5.
    ///
    /// - Parameter reference: An absolute URL, or a relative one such as `/login?next=1`.
    /// - Returns: The URL, without a fragment.
    /// - Throws: ``LoginError/invalidURL`` for another scheme and whatever else is no URL.
    public func resolving(_ reference: String) throws(LoginError) -> HTTPURL {
        let separators = "/?#"
        if let colon = reference.firstIndex(of: ":"),
            !reference[..<colon].contains(where: { separators.contains($0) })
        {
            return try HTTPURL(reference)
        }
        if reference.hasPrefix("//") { return try HTTPURL("\(origin.scheme):\(reference)") }
        let (path, query) = try Self.pathAndQuery(reference[...])
        if path.isEmpty {
            return HTTPURL(origin: origin, path: self.path, query: query ?? self.query)
        }
        let folder = self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]
        let merged = path.hasPrefix("/") ? path : folder + path
        return HTTPURL(origin: origin, path: Self.removingDotSegments(merged), query: query)
    }

    private static func origin(isSecure: Bool, authority: Substring) throws(LoginError) -> Origin {
        guard !authority.contains("@") else {
            throw .invalidURL("a URL must not have a user name or password in it")
        }
        var host = authority
        var port: UInt16 = isSecure ? 443 : 80
        let portStart = authority.hasPrefix("[") ? authority.lastIndex(of: "]") ?? authority.startIndex : authority.startIndex
        if let colon = authority[portStart...].firstIndex(of: ":") {
            host = authority[..<colon]
            let digits = authority[authority.index(after: colon)...]
            if !digits.isEmpty {
                guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits),
                    number > 0
                else { throw .invalidURL("the port of a URL is a number from 1 to 65535") }
                port = number
            }
        }
        return Origin(isSecure: isSecure, host: try Self.host(host), port: port)
    }

    private static func host(_ text: Substring) throws(LoginError) -> String {
        if text.hasPrefix("[") { return try IPv6Text.canonical(text) }
        var host = text.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        let isAllowed = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
                || byte == 0x5F
        }
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(isAllowed),
            !host.contains(".."), !host.hasPrefix(".")
        else {
            throw .invalidURL(
                "the host of a URL has letters, digits, '-' and '.'; write other names in their ASCII form (xn--…)"
            )
        }
        // What ends in a number is an IPv4 address or nothing: resolvers read '127.1' and '0x7f.1' as addresses, too.
        let parts = host.split(separator: ".")
        if let last = parts.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || last.hasPrefix("0x") {
            let isAddress =
                parts.count == 4
                && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
            guard isAddress else {
                throw .invalidURL("an IPv4 address has four numbers from 0 to 255, without leading zeros")
            }
        }
        return host
    }

    private static func pathAndQuery(_ text: Substring) throws(LoginError) -> (String, String?) {
        let text = text.prefix { $0 != "#" }
        guard let mark = text.firstIndex(of: "?") else { return (try encoded(text), nil) }
        return (try encoded(text[..<mark]), try encoded(text[text.index(after: mark)...]))
    }

    /// Text with what is not ASCII, and what some would not read, percent-encoded.
    private static func encoded(_ text: Substring) throws(LoginError) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0...0x20, 0x7F, UInt8(ascii: "\\"):
                throw .invalidURL("a URL must not have blanks, control characters or backslashes in it")
            case 0x80..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                let digits = Array("0123456789ABCDEF".unicodeScalars)
                encoded.unicodeScalars += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: encoded.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return encoded
    }

    /// RFC 3986 section 5.2.4, for a path that begins with a slash.
    private static func removingDotSegments(_ path: String) -> String {
        var segments: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case ".": if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}
