// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// A URL, split into the attributes of a git credential.
struct GitAddressParts {
    let protocolName: String
    let host: String
    let path: String?
    let username: String?
    let password: String?

    /// Splits `protocol://[user[:password]@]host[:port][/path]`, as git does.
    init(_ url: String) throws(CommandFailure) {
        guard let colon = url.firstRange(of: "://"), colon.lowerBound > url.startIndex else {
            throw CommandFailure(.malformed, "git sent a malformed URL, without a protocol")
        }
        protocolName = String(url[..<colon.lowerBound])
        let rest = url[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let at = authority.lastIndex(of: "@")
        host = try Self.decode(at.map { authority[authority.index(after: $0)...] } ?? authority[...])
        let user = at.map { authority[..<$0] }
        let separator = user?.firstIndex(of: ":")
        username = try user.map { user throws(CommandFailure) in
            try Self.decode(separator.map { user[..<$0] } ?? user)
        }
        if let user, let separator {
            password = try Self.decode(user[user.index(after: separator)...])
        } else {
            password = nil
        }
        let end = rest[authority.endIndex...].drop { $0 == "/" }
        let trimmed = end.reversed().drop { $0 == "/" }.reversed()
        path = end.isEmpty ? nil : try Self.decode(Substring(String(trimmed)))
    }

    /// Decodes percent-encoding such as `%41`. Rejects a line feed, which would begin another attribute.
    private static func decode(_ text: Substring) throws(CommandFailure) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16),
                rest.count >= 2
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        guard !bytes.contains(10), !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw CommandFailure(
                .malformed,
                "git sent a URL that contains a line feed or NUL, or is not UTF-8"
            )
        }
        return text
    }
}
