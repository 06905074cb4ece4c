// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A proxy that carries connections.
public struct Proxy: Sendable, Hashable {
    /// How to talk to a proxy.
    public enum Scheme: String, Sendable, Hashable {
        /// Plain HTTP; https origins are reached through CONNECT.
        case http
        /// HTTP over TLS; https origins are reached through CONNECT.
        case https
        /// SOCKS 5, RFC 1928. Host names are resolved at the proxy.
        case socks5
    }

    /// How to talk to it.
    public let scheme: Scheme

    /// Its host as in URLs, in lower case: a name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String

    /// Its port.
    public let port: UInt16

    /// The user and password that the proxy asks for: Basic for http and https, RFC 1929 for SOCKS 5.
    public let credentials: ProxyCredentials?

    /// Create a proxy.
    ///
    /// - Parameters:
    ///   - scheme: How to talk to it.
    ///   - host: Its host as in URLs.
    ///   - port: Its port, from 1 on.
    ///   - credentials: The user and password that it asks for. A user has no `:` for http and https (RFC 7617), and 1 to
    ///     255 bytes for SOCKS 5 (RFC 1929), as the password has at most 255.
    /// - Throws: ``LoginError/invalidRequest``.
    public init(
        scheme: Scheme,
        host: String,
        port: UInt16,
        credentials: ProxyCredentials? = nil
    ) throws(LoginError) {
        do throws(LoginError) {
            self.host = try HostText.canonical(Substring(host))
        } catch {
            throw .invalidRequest("cannot use a proxy: \(error)")
        }
        guard port > 0 else { throw .invalidRequest("cannot use a proxy: its port is from 1 to 65535") }
        try credentials?.check(for: scheme)
        self.scheme = scheme
        self.port = port
        self.credentials = credentials
    }

    /// Parse the URL of a proxy as curl reads it.
    ///
    /// - Parameters:
    ///   - url: `[scheme://]host[:port]`, with `http` (the default), `https`, `socks5h` or `socks5`, whose names are both
    ///     resolved at the proxy. The port is 443 for https and 1080 for others where the URL has none. What follows the
    ///     port, such as a slash, is ignored.
    ///   - credentials: The user and password that it asks for. They must not be in the URL.
    /// - Throws: ``LoginError/invalidRequest``.
    public init(_ url: String, credentials: ProxyCredentials? = nil) throws(LoginError) {
        let text = try ProxyText(url)
        guard text.username == nil else {
            throw .invalidRequest("the URL of a proxy must not have a user in it")
        }
        try self.init(scheme: text.scheme, host: text.host, port: text.port, credentials: credentials)
    }
}

extension Proxy: CustomStringConvertible {
    /// Scheme, host and port, such as `http://proxy.example:1080`; no user or password.
    public var description: String { "\(scheme.rawValue)://\(host):\(port)" }
}
