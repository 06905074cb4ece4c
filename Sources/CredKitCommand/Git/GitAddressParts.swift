// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// A URL, split into the attributes of a git credential. It is split by bytes, as git does: a character of Swift may
/// consist of a slash and an accent, which would then not end the host.
struct GitAddressParts {
    let protocolName: String
    let host: String
    let path: String?
    let username: String?
    let password: String?

    /// Splits `protocol://[user[:password]@]host[:port][/path]`, as git does: user and password end at the first `@`.
    init(_ url: String) throws(CommandFailure) {
        guard let colon = url.utf8.firstRange(of: "://".utf8), colon.lowerBound > url.startIndex else {
            throw CommandFailure(.malformed, "git sent a malformed URL, without a protocol")
        }
        protocolName = String(url[..<colon.lowerBound])
        let rest = url.utf8[colon.upperBound...]
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let at = authority.firstIndex(of: UInt8(ascii: "@"))
        host = try Self.text(Self.decode(at.map { authority[$0...].dropFirst() } ?? authority))
        if let user = at.map({ authority[..<$0] }) {
            let separator = user.firstIndex(of: UInt8(ascii: ":"))
            username = try Self.text(Self.decode(user[..<(separator ?? user.endIndex)]))
            password = try separator.map { separator throws(CommandFailure) in
                try Self.text(Self.decode(user[separator...].dropFirst()))
            }
        } else {
            (username, password) = (nil, nil)
        }
        let slash = UInt8(ascii: "/")
        let end = rest[authority.endIndex...].drop { $0 == slash }
        var decoded = Self.decode(end)
        while decoded.count > 1, decoded.last == slash { decoded.removeLast() }
        path = end.isEmpty ? nil : try Self.text(decoded)
    }

    private static func decode(_ text: Substring.UTF8View) -> [UInt8] {
        PercentCoding.component.decodeLeniently(text)
    }

    /// Rejects a line break, which would begin another attribute.
    private static func text(_ bytes: [UInt8]) throws(CommandFailure) -> String {
        guard !bytes.contains(where: GitCredentialMessage.isForbidden),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw CommandFailure(
                .malformed,
                "git sent a URL that contains a line feed, a carriage return or NUL, or is not UTF-8"
            )
        }
        return text
    }
}
