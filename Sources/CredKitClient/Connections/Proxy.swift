// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

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
    public var scheme: Scheme

    /// Its host as in URLs: a name, an IPv4 address, or an IPv6 address in brackets.
    public var host: String

    /// Its port.
    public var port: UInt16

    /// The user and password that the proxy asks for: Basic for http and https, RFC 1929 for SOCKS 5.
    public var credentials: ProxyCredentials?

    /// Create a proxy.
    ///
    /// - Parameters:
    ///   - scheme: How to talk to it.
    ///   - host: Its host as in URLs.
    ///   - port: Its port.
    ///   - credentials: The user and password that it asks for.
    public init(scheme: Scheme, host: String, port: UInt16, credentials: ProxyCredentials? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

/// A user and a password at a proxy. They are sent to the proxy only.
public struct ProxyCredentials: Sendable, Hashable {
    /// The user.
    public let username: String

    /// The password.
    public let password: SecretBytes

    /// Create credentials.
    ///
    /// - Parameters:
    ///   - username: The user.
    ///   - password: The password.
    public init(username: String, password: SecretBytes) {
        self.username = username
        self.password = password
    }

    /// Whether user and password are the same. Passwords are compared in constant time.
    public static func == (left: Self, right: Self) -> Bool {
        left.username == right.username && left.password == right.password
    }

    /// Hash the user; of the password nothing.
    public func hash(into hasher: inout Hasher) { hasher.combine(username) }
}

/// Which proxy to use.
public enum ProxySelection: Sendable, Hashable {
    /// The proxy that the environment names: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, as curl reads
    /// them. It never applies to loopback.
    case environment
    /// None, whatever the environment says.
    case none
    /// This one, for all requests.
    case proxy(Proxy)
}
