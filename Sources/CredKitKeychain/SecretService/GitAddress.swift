// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An address as git keeps it in the Secret Service: in parts.
struct GitAddress: Sendable, Hashable {
    var attributes: [String: String]

    /// Takes an address apart, `protocol://server[:port][/object]`.
    init(_ text: String) throws(KeychainError) {
        guard let colon = text.firstRange(of: "://"), colon.lowerBound > text.startIndex else {
            throw .invalid(
                "git's items are found by an address such as https://example.com, not by '\(text)'"
            )
        }
        var attributes = ["protocol": String(text[..<colon.lowerBound])]
        let rest = text[colon.upperBound...]
        let server = rest.prefix { $0 != "/" }
        // One slash only: the path of a certificate, `cert:////home/…`, begins with its own.
        let object = rest[server.endIndex...].dropFirst()
        if !object.isEmpty { attributes["object"] = String(object) }
        // The colons of an IPv6 address stand in brackets.
        if let colon = server.lastIndex(of: ":"), !server[colon...].contains("]") {
            guard let port = UInt16(server[server.index(after: colon)...]) else {
                throw .invalid("the address '\(text)' has a port that is none")
            }
            attributes["server"] = String(server[..<colon])
            attributes["port"] = String(port)
        } else {
            attributes["server"] = String(server)
        }
        guard !server.contains("@") else {
            throw .invalid("the address has a user in it, which is the item's account instead")
        }
        self.attributes = attributes
    }

    /// Takes the parts of an address out of an item's attributes; `nil` if they are none.
    init?(removingFrom all: inout [String: String]) {
        guard all["protocol"] != nil, all["server"] != nil else { return nil }
        attributes = [:]
        for name in ["protocol", "server", "port", "object"] {
            attributes[name] = all.removeValue(forKey: name)
        }
    }

    /// The address in one piece.
    var text: String {
        (attributes["protocol"] ?? "") + "://" + (attributes["server"] ?? "")
            + (attributes["port"].map { ":" + $0 } ?? "") + (attributes["object"].map { "/" + $0 } ?? "")
    }
}
