// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit

/// The URL of a proxy, split into parts as curl does.
package struct ProxyText: Sendable {
    /// How to talk to the proxy.
    package let scheme: Proxy.Scheme
    /// Its host in canonical form.
    package let host: String
    /// Its port; by default 443 for https and 1080 for the others.
    package let port: UInt16
    /// The user in the URL, percent-decoded; `nil` if there is none.
    package let username: String?
    /// The password in the URL, percent-decoded; `nil` if there is none.
    package let password: SecretBytes?

    /// Parses `[scheme://][user[:password]@]host[:port]`. The rest is ignored.
    ///
    /// - Throws: ``ClientError/invalidRequest``. The message omits the text, which may contain a password.
    package init(_ text: String) throws(ClientError) {
        let bytes = Substring(text).utf8
        let (scheme, rest) = try Self.scheme(bytes)
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        // For SOCKS, curl reads a path as that of a Unix socket.
        guard scheme != .socks5 || rest[end...].elementsEqual("/".utf8) || end == rest.endIndex else {
            throw .invalidRequest("invalid proxy URL: the URL of a SOCKS proxy must not have a path")
        }
        var authority = rest[..<end]
        if let at = authority.firstIndex(of: UInt8(ascii: "@")) {
            let user = authority[..<at]
            authority = authority[authority.index(after: at)...]
            guard !authority.contains(UInt8(ascii: "@")) else {
                throw .invalidRequest("invalid proxy URL: write '@' in the user or password as %40")
            }
            let colon = user.firstIndex(of: UInt8(ascii: ":"))
            username = try Self.username(user[..<(colon ?? user.endIndex)])
            password = try colon.map { (colon) throws(ClientError) in
                try Self.password(user[user.index(after: colon)...])
            }
        } else {
            username = nil
            password = nil
        }
        // 'http:/proxy' has no scheme, and would mean a host named http.
        guard authority.last != UInt8(ascii: ":") || rest.startIndex > bytes.startIndex else {
            throw .invalidRequest("invalid proxy URL: write it as http://host:port")
        }
        let (host, port) = try Self.hostAndPort(authority)
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == .https ? 443 : 1080)
    }

    /// Returns the proxy with the user and password of the URL.
    func proxy() throws(ClientError) -> Proxy {
        guard let username else { return try Proxy(scheme: scheme, host: host, port: port) }
        let credentials: ProxyCredentials
        if let password {
            credentials = ProxyCredentials(username: username, password: password)
        } else {
            credentials = ProxyCredentials(username: username, password: try Self.secret([]))
        }
        return try Proxy(scheme: scheme, host: host, port: port, credentials: credentials)
    }

    private static func scheme(
        _ bytes: Substring.UTF8View
    ) throws(ClientError) -> (Proxy.Scheme, Substring.UTF8View) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return (.http, bytes) }
        let rest = bytes[colon...].dropFirst(3)
        switch ASCIIText.lowercased(Substring(bytes[..<colon])) {
        case "http": return (.http, rest)
        case "https": return (.https, rest)
        case "socks5", "socks5h": return (.socks5, rest)
        default:
            throw .invalidRequest("unsupported proxy protocol (use http://, https:// or socks5h://)")
        }
    }

    private static func hostAndPort(
        _ authority: Substring.UTF8View
    ) throws(ClientError) -> (host: String, port: UInt16?) {
        var host = authority
        var port: UInt16?
        let afterBrackets = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        if let colon = authority[afterBrackets...].firstIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            let digits = authority[authority.index(after: colon)...]
            if !digits.isEmpty {
                port = PortText.number(digits)
                guard port != nil else {
                    throw .invalidRequest("invalid proxy URL: the port must be a number from 1 to 65535")
                }
            }
        }
        do throws(ClientError) {
            return (try HostText.canonical(Substring(host)), port)
        } catch {
            throw .invalidRequest("invalid proxy URL: \(error)")
        }
    }

    private static func username(_ text: Substring.UTF8View) throws(ClientError) -> String {
        guard let name = String(validating: decoded(text), as: UTF8.self) else {
            throw .invalidRequest("invalid proxy URL: the user is not valid UTF-8")
        }
        return name
    }

    private static func password(_ text: Substring.UTF8View) throws(ClientError) -> SecretBytes {
        try secret(decoded(text))
    }

    private static func secret(_ bytes: [UInt8]) throws(ClientError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(bytes)
        } catch {
            throw .outOfMemory
        }
    }

    /// Decodes escapes. A `%` that does not begin one is literal, as with curl.
    private static func decoded(_ text: Substring.UTF8View) -> [UInt8] {
        PercentCoding.component.decodeLeniently(text)
    }
}

/// Parses port numbers.
enum PortText {
    /// Returns the number from 1 to 65535 that decimal digits denote; `nil` for other text.
    static func number(_ text: Substring.UTF8View) -> UInt16? {
        guard text.count <= 5, text.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(Substring(text)), number > 0
        else { return nil }
        return number
    }
}
