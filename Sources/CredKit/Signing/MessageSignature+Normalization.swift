// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature.Request {
    /// The path; `/` if it is empty.
    var normalizedPath: String { path.isEmpty ? "/" : path }

    private var suffix: String { query.map { "?\($0)" } ?? "" }

    var targetURI: String {
        guard !scheme.isEmpty, !authority.isEmpty else { return "" }
        return "\(scheme)://\(authority)\(normalizedPath)\(suffix)"
    }

    var requestTarget: String {
        if let target { return target }
        return method == "CONNECT" ? authority : normalizedPath + suffix
    }

    /// The host in lower case, with the port unless it is empty or the scheme's default.
    var normalizedAuthority: [UInt8] {
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
    func isNamed(_ lowercaseName: String) -> Bool {
        name.utf8.count == lowercaseName.utf8.count
            && zip(name.utf8, lowercaseName.utf8).allSatisfy { MessageSignature.lowercased($0) == $1 }
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
