// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A proxy that forwards connections.
public struct Proxy: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Scheme: String, Sendable, Hashable {
        /// Unencrypted HTTP. https origins are reached through CONNECT.
        case http
        /// HTTP over TLS. https origins are reached through CONNECT.
        case https
        /// SOCKS 5, RFC 1928. The proxy resolves host names.
        case socks5
    }

    /// The protocol.
    public let scheme: Scheme

    /// The host in lower case, as in a URL: a name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String

    /// The port.
    public let port: UInt16

    /// The user and password for the proxy: Basic for http and https, RFC 1929 for SOCKS 5.
    public let credentials: ProxyCredentials?

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - scheme: The protocol.
    ///   - host: The host as in a URL.
    ///   - port: The port, at least 1.
    ///   - credentials: The user and password. For http and https the user must not contain `:` (RFC 7617).
    ///     For SOCKS 5 the user has 1 to 255 bytes and the password at most 255 (RFC 1929).
    /// - Throws: ``ClientError/invalidRequest``.
    public init(
        scheme: Scheme,
        host: String,
        port: UInt16,
        credentials: ProxyCredentials? = nil
    ) throws(ClientError) {
        do throws(ClientError) {
            self.host = try HostText.canonical(Substring(host))
        } catch {
            throw .invalidRequest("cannot use a proxy: \(error)")
        }
        guard port > 0 else { throw .invalidRequest("cannot use a proxy: its port must be from 1 to 65535") }
        try credentials?.check(for: scheme)
        self.scheme = scheme
        self.port = port
        self.credentials = credentials
    }

    /// Parses the URL of a proxy as curl does.
    ///
    /// - Parameters:
    ///   - url: `[scheme://]host[:port]`, with `http` (the default), `https`, `socks5h` or `socks5`. With
    ///     both SOCKS schemes the proxy resolves names. The default port is 443 for https and 1080 for the
    ///     others. Text after the port, such as a slash, is ignored.
    ///   - credentials: The user and password. The URL must not contain them.
    /// - Throws: ``ClientError/invalidRequest``.
    public init(_ url: String, credentials: ProxyCredentials? = nil) throws(ClientError) {
        let text = try ProxyText(url)
        guard text.username == nil else {
            throw .invalidRequest("invalid proxy URL: it must not contain a user")
        }
        try self.init(scheme: text.scheme, host: text.host, port: text.port, credentials: credentials)
    }
}

extension Proxy: CustomStringConvertible {
    /// Scheme, host and port, such as `http://proxy.example:1080`, without user and password.
    public var description: String { "\(scheme.rawValue)://\(host):\(port)" }
}
