// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Addresses to connect to for a host and port, instead of those from DNS.
///
/// Only requests that connect to the origin itself use it. A proxy resolves the names of the origins behind
/// it, and DNS resolves the name of the proxy, as with curl.
public struct HostResolution: Sendable, Hashable {
    /// The host in lower case, as in a URL.
    public let host: String

    /// The port of the URL.
    public let port: UInt16

    /// IPv4 and IPv6 addresses without brackets, at least one. IPv6 addresses are in the form of RFC 5952.
    public let addresses: [String]

    /// Whether every address is `::1` or in 127.0.0.0/8.
    let isLoopback: Bool

    /// Creates a resolution.
    ///
    /// - Parameters:
    ///   - host: The host as in a URL: a name, an IPv4 address, or an IPv6 address in brackets.
    ///   - port: The port of the URL, at least 1.
    ///   - addresses: IPv4 and IPv6 addresses, at least one. Brackets around an IPv6 address are removed.
    /// - Throws: ``ClientError/invalidRequest``.
    public init(host: String, port: UInt16, addresses: [String]) throws(ClientError) {
        do throws(ClientError) {
            self.host = try HostText.canonical(Substring(host))
        } catch {
            throw .invalidRequest("cannot resolve a host: \(error)")
        }
        guard port > 0 else {
            throw .invalidRequest("cannot resolve '\(self.host)': the port must be from 1 to 65535")
        }
        guard !addresses.isEmpty else {
            throw .invalidRequest("cannot resolve '\(self.host)': no address was given")
        }
        var parsed: [IPAddress] = []
        for text in addresses {
            guard let address = IPAddress(Self.withoutBrackets(text)) else {
                throw .invalidRequest(
                    "cannot resolve '\(self.host)': an address must be IPv4 or IPv6 without a zone, not a name"
                )
            }
            parsed.append(address)
        }
        self.port = port
        self.addresses = parsed.map(\.description)
        isLoopback = parsed.allSatisfy(\.isLoopback)
    }

    /// Parses the form of curl's `--resolve`.
    ///
    /// - Parameter text: `HOST:PORT:ADDRESS[,ADDRESS…]`. Brackets around an IPv6 address are optional in an
    ///   address, and required in the host.
    /// - Throws: ``ClientError/invalidRequest``.
    package init(_ text: String) throws(ClientError) {
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

    private static var malformed: ClientError {
        .invalidRequest("invalid resolution: write it as HOST:PORT:ADDRESS, with a port from 1 to 65535")
    }
}
