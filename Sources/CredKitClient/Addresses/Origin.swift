// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Scheme, host and port, RFC 6454. Credentials belong to an origin.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// Whether the scheme is https.
    public let isSecure: Bool

    /// The host in lower case: a name in ASCII without a final dot, an IPv4 address, or an IPv6 address in
    /// brackets.
    public let host: String

    /// The port; 443 or 80 if the URL has none.
    public let port: UInt16

    /// Host and port as the authority of a request. The default port of the scheme is left out.
    public let authority: String

    /// Whether the host is this computer: `localhost`, 127.0.0.0/8 or `[::1]`.
    ///
    /// Names below `localhost` do not count, because the C library looks them up on the network.
    public let isLoopback: Bool

    init(isSecure: Bool, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        // Each request asks for them several times.
        authority = port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
        isLoopback = Self.isLoopback(host)
    }

    /// Whether scheme, host and port are the same.
    public static func == (left: Origin, right: Origin) -> Bool {
        left.isSecure == right.isSecure && left.port == right.port
            && ASCIIText.areEqual(left.host, right.host)
    }

    /// Hashes host and port.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }

    /// Parses the origin of a URL. The path and query are ignored.
    ///
    /// - Parameter text: An http or https URL, such as `https://school.example:8443`.
    /// - Throws: ``ClientError/invalidURL``.
    public init(_ text: String) throws(ClientError) { self = try HTTPURL(text).origin }

    /// `https` or `http`.
    public var scheme: String { isSecure ? "https" : "http" }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8)
            && parts.allSatisfy { part in
                // A sign is no part of an address, but of a name that a resolver may find anywhere.
                part.allSatisfy { (0x30...0x39).contains($0) } && UInt8(Substring(part)) != nil
            }
    }

    /// The origin as text, such as `https://school.example:8443`.
    public var description: String { "\(scheme)://\(authority)" }
}
