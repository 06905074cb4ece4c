// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Addresses to connect to for a host and a port, in place of those that DNS has.
///
/// Only requests that connect to the origin itself use it: a proxy resolves the names of the origins behind it, and the
/// name of the proxy is resolved by DNS, as with curl.
public struct HostResolution: Sendable, Hashable {
    /// The host as in URLs, in lower case.
    public let host: String

    /// The port of the URL.
    public let port: UInt16

    /// IPv4 and IPv6 addresses without brackets, at least one. IPv6 addresses have the form of RFC 5952.
    public let addresses: [String]

    /// Whether all addresses are in 127.0.0.0/8 or `::1`.
    let isLoopback: Bool

    /// Create a resolution.
    ///
    /// - Parameters:
    ///   - host: The host as in URLs: a name, an IPv4 address, or an IPv6 address in brackets.
    ///   - port: The port of the URL, from 1 on.
    ///   - addresses: IPv4 and IPv6 addresses, at least one. Brackets around an IPv6 address are removed.
    /// - Throws: ``LoginError/invalidRequest``.
    public init(host: String, port: UInt16, addresses: [String]) throws(LoginError) {
        do throws(LoginError) {
            self.host = try HostText.canonical(Substring(host))
        } catch {
            throw .invalidRequest("cannot resolve a host: \(error)")
        }
        guard port > 0 else {
            throw .invalidRequest("cannot resolve '\(self.host)': a port is from 1 to 65535")
        }
        guard !addresses.isEmpty else {
            throw .invalidRequest("cannot resolve '\(self.host)': no address was given")
        }
        var parsed: [IPAddress] = []
        for text in addresses {
            guard let address = IPAddress(Self.withoutBrackets(text)) else {
                throw .invalidRequest(
                    "cannot resolve '\(self.host)': an address is IPv4 or IPv6, not a name, and has no zone"
                )
            }
            parsed.append(address)
        }
        self.port = port
        self.addresses = parsed.map(\.description)
        isLoopback = parsed.allSatisfy(\.isLoopback)
    }

    /// Parse the form of curl's `--resolve`.
    ///
    /// - Parameter text: `HOST:PORT:ADDRESS[,ADDRESS…]`. An IPv6 address may have brackets; as the host it must.
    /// - Throws: ``LoginError/invalidRequest``.
    package init(_ text: String) throws(LoginError) {
        let bytes = Substring(text).utf8
        let hostEnd: Substring.Index?
        if bytes.first == UInt8(ascii: "[") {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: "]")).map { bytes.index(after: $0) }
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":"))
        }
        guard let hostEnd, hostEnd < bytes.endIndex, bytes[hostEnd] == UInt8(ascii: ":") else {
            throw Self.malformed
        }
        let rest = bytes[bytes.index(after: hostEnd)...]
        guard let portEnd = rest.firstIndex(of: UInt8(ascii: ":")),
            let port = PortText.number(rest[..<portEnd])
        else { throw Self.malformed }
        let list = rest[rest.index(after: portEnd)...]
        try self.init(
            host: String(text[..<hostEnd]),
            port: port,
            addresses: list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
        )
    }

    private static func withoutBrackets(_ text: String) -> Substring {
        let bytes = Substring(text).utf8
        guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"),
            bytes.contains(UInt8(ascii: ":"))
        else { return Substring(text) }
        return Substring(bytes.dropFirst().dropLast())
    }

    private static var malformed: LoginError {
        .invalidRequest("a resolution is written as HOST:PORT:ADDRESS, with a port from 1 to 65535")
    }
}
