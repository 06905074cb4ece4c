// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Addresses to connect to for a host and a port, in place of those that DNS has.
public struct HostResolution: Sendable, Hashable {
    /// The host as in URLs, in lower case.
    public let host: String

    /// The port of the URL.
    public let port: UInt16

    /// IPv4 and IPv6 addresses without brackets, at least one.
    public let addresses: [String]

    /// Create a resolution.
    ///
    /// - Parameters:
    ///   - host: The host as in URLs.
    ///   - port: The port of the URL.
    ///   - addresses: IPv4 and IPv6 addresses, at least one.
    /// - Throws: ``LoginError/invalidRequest``.
    public init(host: String, port: UInt16, addresses: [String]) throws(LoginError) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}
