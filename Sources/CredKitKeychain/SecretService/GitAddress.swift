// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A URL in separate parts, as git stores it in the Secret Service.
struct GitAddress: Sendable, Hashable {
    var attributes: [String: String]

    /// Parses a URL, `protocol://server[:port][/object]`.
    init(_ text: String) throws(KeychainError) {
        // Split by bytes: a character of Swift may consist of a slash and an accent, which would not end the server.
        guard let colon = text.utf8.firstRange(of: "://".utf8), colon.lowerBound > text.startIndex else {
            throw .invalid(
                "git's items need a URL such as https://example.com as the service, not '\(text)'"
            )
        }
        var attributes = ["protocol": String(text[..<colon.lowerBound])]
        let rest = text.utf8[colon.upperBound...]
        let server = rest.prefix { $0 != UInt8(ascii: "/") }
        // Only one slash is removed: the path of a certificate, `cert:////home/…`, begins with a slash.
        let object = rest[server.endIndex...].dropFirst()
        if !object.isEmpty { attributes["object"] = String(Substring(object)) }
        // The colons of an IPv6 address are in brackets.
        let colonBeforePort = server.lastIndex(of: UInt8(ascii: ":"))
        if let colon = colonBeforePort, !server[colon...].contains(UInt8(ascii: "]")) {
            let digits = server[colon...].dropFirst()
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(Substring(digits))
            else {
                throw .invalid("the URL '\(text)' has an invalid port")
            }
            attributes["server"] = String(Substring(server[..<colon]))
            attributes["port"] = String(port)
        } else {
            attributes["server"] = String(Substring(server))
        }
        guard !server.contains(UInt8(ascii: "@")) else {
            throw .invalid("the URL contains a user name: give it as the item's account instead")
        }
        self.attributes = attributes
    }

    /// Removes the parts of a URL from an item's attributes; returns `nil` if they do not form a URL.
    init?(removingFrom all: inout [String: String]) {
        guard all["protocol"] != nil, all["server"] != nil else { return nil }
        attributes = [:]
        for name in ["protocol", "server", "port", "object"] {
            attributes[name] = all.removeValue(forKey: name)
        }
    }

    /// The complete URL.
    var text: String {
        (attributes["protocol"] ?? "") + "://" + (attributes["server"] ?? "")
            + (attributes["port"].map { ":" + $0 } ?? "") + (attributes["object"].map { "/" + $0 } ?? "")
    }
}
