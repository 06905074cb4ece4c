// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature.Request {
    /// Whether the request is about a server as a whole: `OPTIONS *`, in which the asterisk may stand as the path.
    private var isServerWide: Bool {
        guard method == "OPTIONS", query == nil else { return false }
        return path == "*" || (target == "*" && (path.isEmpty || path == "/"))
    }

    /// Whether the target is a URL that must stay without a path: to a proxy, `OPTIONS http://a` is not about `/`
    /// (RFC 9110 §4.2.3, RFC 9112 §3.2.4).
    private var isURLWithoutPath: Bool {
        guard method == "OPTIONS", path.isEmpty, let first = target?.utf8.first else { return false }
        return first != UInt8(ascii: "/")
    }

    /// Whether the request is for a tunnel and no more: RFC 8441 has tunnels with a path.
    private var isTunnel: Bool { method == "CONNECT" && path.isEmpty && query == nil }

    /// The path; `/` if it is empty.
    var normalizedPath: String { path.isEmpty || isServerWide ? "/" : path }

    private var suffix: String { query.map { "?\($0)" } ?? "" }

    /// The URL. It ends after the authority if the request has neither path nor query (RFC 9112 §3.3).
    var targetURI: String {
        guard !scheme.isEmpty, !authority.isEmpty else { return "" }
        let origin = "\(scheme)://\(authority)"
        if isServerWide || isTunnel { return origin }
        return isURLWithoutPath ? "\(origin)\(suffix)" : "\(origin)\(normalizedPath)\(suffix)"
    }

    var requestTarget: String {
        if let target { return target }
        if isServerWide { return "*" }
        return method == "CONNECT" ? authority : normalizedPath + suffix
    }

    /// Whether no part of the URL contains what begins the next one. Otherwise different requests would have the same
    /// URL: `a` with the path `/b/c`, and `a/b` with the path `/c`.
    var hasDistinctParts: Bool {
        let isPath = path.isEmpty || path.utf8.first == UInt8(ascii: "/") || isServerWide
        return isPath && !path.hasByte { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            && !(query ?? "").hasByte { $0 == UInt8(ascii: "#") }
            && !authority.hasByte(where: Self.isDelimiter)
            && !scheme.hasByte { $0 == UInt8(ascii: ":") || Self.isDelimiter($0) }
    }

    /// `/`, `?`, `#`, `@`.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == 0x2F || byte == 0x3F || byte == 0x23 || byte == 0x40
    }

    /// The host in lower case, with the port unless it is empty or the scheme's default.
    var normalizedAuthority: String {
        guard authority.hasByte(where: { $0 == UInt8(ascii: ":") || MessageSignature.lowercased($0) != $0 })
        else { return authority }
        return String(decoding: loweredAuthority, as: UTF8.self)
    }

    private var loweredAuthority: [UInt8] {
        let lowered = authority.utf8.map(MessageSignature.lowercased)
        guard let colon = lowered.lastIndex(of: UInt8(ascii: ":")) else { return lowered }
        let port = lowered[(colon + 1)...]
        // A colon of an IPv6 address is not followed by digits up to the end: the bracket is.
        guard port.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return lowered }
        let significant = port.drop { $0 == UInt8(ascii: "0") }
        let isDefault =
            switch String(decoding: scheme.utf8.map(MessageSignature.lowercased), as: UTF8.self) {
            case "https": significant.elementsEqual("443".utf8)
            case "http": significant.elementsEqual("80".utf8)
            default: false
            }
        return isDefault || port.isEmpty ? Array(lowered[..<colon]) : lowered
    }
}

extension MessageSignature.Field {
    /// Returns whether the line has a name.
    ///
    /// - Parameter lowercaseName: The name in lower case.
    /// - Returns: Whether the names are equal.
    @inline(__always)
    package func isNamed(_ lowercaseName: String) -> Bool {
        name.utf8.count == lowercaseName.utf8.count
            && name.utf8.withContiguousSpan { name in
                lowercaseName.utf8.withContiguousSpan { lowercaseName in
                    for index in name.indices
                    where MessageSignature.lowercased(name[index]) != lowercaseName[index] { return false }
                    return true
                }
            }
    }

    /// Where the value is without the white space around it; `nil` if it is folded.
    var rangeWithoutWhitespace: Range<Int>? {
        let span = value.span
        var (start, end) = (0, span.count)
        while start < end, Self.isWhitespace(span[start]) { start += 1 }
        while end > start, Self.isWhitespace(span[end - 1]) { end -= 1 }
        for index in start..<end where span[index] == 0x0D { return nil }
        return start..<end
    }

    /// The value without white space around it, and with each obsolete line folding replaced by a space.
    var normalizedValue: [UInt8] {
        let unfolded = value.contains(0x0D) ? unfolded : value
        guard let start = unfolded.firstIndex(where: { !Self.isWhitespace($0) }),
            let end = unfolded.lastIndex(where: { !Self.isWhitespace($0) })
        else { return [] }
        return end - start + 1 == unfolded.count ? unfolded : Array(unfolded[start...end])
    }

    private var unfolded: [UInt8] {
        var result: [UInt8] = []
        var rest = value[...]
        while let byte = rest.popFirst() {
            guard byte == 0x0D, rest.first == 0x0A, let next = rest.dropFirst().first, Self.isWhitespace(next)
            else {
                result.append(byte)
                continue
            }
            while let last = result.last, Self.isWhitespace(last) { result.removeLast() }
            rest = rest.dropFirst().drop(while: Self.isWhitespace)
            result.append(UInt8(ascii: " "))
        }
        return result
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }
}
