// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HTTPTypes

/// The proxies whose statements about a client count, and the header in which they make them.
/// `clientAddress` of `ServerContext` makes the name for the limits from the result.
struct TrustedProxies: Sendable {
    /// The header that the proxies set. Only this one is read: a proxy passes the other one on as the client sent it.
    enum Header: String, Sendable, CaseIterable, ExpressibleByArgument {
        case xForwardedFor = "x-forwarded-for"
        case forwarded
    }

    /// Where a request comes from.
    struct Origin: Sendable, Equatable {
        /// The address of the client.
        var address: String
        /// Whether the client's connection to the proxy is encrypted, as the proxy states.
        var isEncrypted = false
        /// Whether a trusted proxy has sent the request.
        var isForwarded = false
    }

    var ranges: [AddressRange] = []
    var header = Header.xForwardedFor

    /// The maximum number of entries of a line of `X-Forwarded-For` that are read, the last ones: a client could send
    /// thousands. A value of `Forwarded` has a limit in bytes instead, in `ForwardedElement`.
    private static let maximumEntryCount = 64

    private static let forwardedScheme = HTTPField.Name("x-forwarded-proto")
    private static let forwardedFor = HTTPField.Name("x-forwarded-for")
    private static let forwarded = HTTPField.Name("forwarded")

    /// Returns where a request comes from: the rightmost address that is not one of the trusted proxies.
    ///
    /// Statements are read from the right, because everything left of an untrusted address may be invented. At a hidden or
    /// malformed statement the reading ends: the address is then the one of the last trusted proxy, which all such
    /// clients share.
    ///
    /// - Parameters:
    ///   - peer: The address of the connection.
    ///   - headers: The headers of the request.
    /// - Returns: The origin; the peer itself if it is not trusted.
    func origin(peer: String, _ headers: HTTPFields) -> Origin {
        guard let proxy = NetworkAddress(peer: peer), isTrusted(proxy) else { return Origin(address: peer) }
        switch header {
        case .xForwardedFor:
            var origin = origin(from: proxy, headers.fromLast(Self.forwardedFor) { Self.entries($0) }).origin
            let schemes = Self.forwardedScheme.map { headers[values: $0] } ?? []
            origin.isEncrypted = schemes.count == 1 && schemes[0].lowercased() == "https"
            return origin
        case .forwarded:
            let elements = headers.fromLast(Self.forwarded) { value in
                ForwardedElement.list(value).map { $0.map(Optional.some) } ?? [nil]
            }
            var (origin, count) = origin(from: proxy, elements.map { $0?.node })
            // The scheme is stated by the proxy that states the client.
            if count > 0 { origin.isEncrypted = elements[count - 1]?.scheme == "https" }
            return origin
        }
    }

    /// Follows the statements from the nearest one on; `nil` is a malformed one. Returns also how many were believed.
    private func origin(from proxy: NetworkAddress, _ statements: [ForwardedNode?]) -> (
        origin: Origin, count: Int
    ) {
        var origin = Origin(address: proxy.description, isForwarded: true)
        var count = 0
        for case .address(let address)? in statements.prefix(while: { $0 != nil && $0 != .hidden }) {
            origin.address = address.description
            count += 1
            guard isTrusted(address) else { break }
        }
        return (origin, count)
    }

    /// Whether the peer of a connection is one of the proxies.
    func areTrusted(_ peer: String) -> Bool { NetworkAddress(peer: peer).map(isTrusted) ?? false }

    private func isTrusted(_ address: NetworkAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Returns the entries of a value of `X-Forwarded-For`.
    private static func entries(_ value: String) -> [ForwardedNode?] {
        let entries = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return entries.suffix(maximumEntryCount).map { entry in
            var text = Substring(entry)
            text = text.drop { $0 == " " || $0 == "\t" }
            while text.last == " " || text.last == "\t" { text.removeLast() }
            return ForwardedNode(text, allowsBareIPv6: true)
        }
    }
}

extension HTTPFields {
    /// Returns what all headers of a name list, the last statement first.
    fileprivate func fromLast<Statement>(
        _ name: HTTPField.Name?,
        _ parse: (String) -> [Statement]
    ) -> [Statement] {
        guard let name else { return [] }
        return self[values: name].flatMap(parse).reversed()
    }
}
