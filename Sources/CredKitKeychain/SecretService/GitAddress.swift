// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A URL in separate parts, as git stores it in the Secret Service.
struct GitAddress: Sendable, Hashable {
    var attributes: [String: String]

    /// Parses a URL, `protocol://server[:port][/object]`.
    init(_ text: String) throws(KeychainError) {
        guard let colon = text.firstRange(of: "://"), colon.lowerBound > text.startIndex else {
            throw .invalid(
                "git's items need a URL such as https://example.com as the service, not '\(text)'"
            )
        }
        var attributes = ["protocol": String(text[..<colon.lowerBound])]
        let rest = text[colon.upperBound...]
        let server = rest.prefix { $0 != "/" }
        // Only one slash is removed: the path of a certificate, `cert:////home/…`, begins with a slash.
        let object = rest[server.endIndex...].dropFirst()
        if !object.isEmpty { attributes["object"] = String(object) }
        // The colons of an IPv6 address are in brackets.
        if let colon = server.lastIndex(of: ":"), !server[colon...].contains("]") {
            guard let port = UInt16(server[server.index(after: colon)...]) else {
                throw .invalid("the URL '\(text)' has an invalid port")
            }
            attributes["server"] = String(server[..<colon])
            attributes["port"] = String(port)
        } else {
            attributes["server"] = String(server)
        }
        guard !server.contains("@") else {
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
