// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

@testable import CredKitClient

/// The kinds of route between a client and the servers of a test.
struct RouteKind {
    /// The program that accepts requests on behalf of the servers.
    enum Front: String {
        /// No front: HTTP/1.1 without TLS.
        case http
        /// nginx, HTTP/1.1 over TLS.
        case http1
        /// nginx, HTTP/2 over TLS.
        case http2
    }

    /// The proxy between client and front.
    enum ProxyKind: String {
        case none
        /// tinyproxy with a password.
        case http
        /// tinyproxy with a password, over TLS.
        case https
        /// microsocks without a password.
        case socks5
        /// microsocks with a password.
        case socks5WithPassword = "socks5-password"
    }

    var front = Front.http
    var proxy = ProxyKind.none

    static let direct = RouteKind()

    var isDirect: Bool { front == .http && proxy == .none }
}

/// A route to servers on loopback that records every byte. It ends with this object.
final class Route {
    private struct Start: Decodable {
        struct Proxy: Decodable {
            var scheme: String
            var port: UInt16
            var username: String?
            var password: String?
        }

        var ports: [String: UInt16]
        var scheme: String
        var authority: String
        var proxy: Proxy?
    }

    let kind: RouteKind
    /// The scheme of URLs on this route.
    let scheme: String
    /// The connection settings for this route.
    let connection: ConnectionSettings
    private let peer: Peer?
    private let ports: [String: UInt16]
    /// The proxy password, in each form in which it may be on the wire.
    private let proxySecrets: [String]

    /// The direct route to the servers.
    static var direct: Route { Route() }

    private init() {
        (kind, scheme, peer, ports, proxySecrets) = (.direct, "http", nil, [:], [])
        connection = ConnectionSettings()
    }

    /// Creates a route to servers that listen on ports of 127.0.0.1, 127.0.0.2 and ::1.
    convenience init(_ kind: RouteKind, to ports: [UInt16]) throws {
        if kind.isDirect { self.init() } else { try self.init(through: kind, to: ports) }
    }

    private init(through kind: RouteKind, to ports: [UInt16]) throws {
        let peer = try Peer("route.py", [kind.front.rawValue, kind.proxy.rawValue] + ports.map { "\($0)" })
        let start = try peer.started(as: Start.self)
        var connection = ConnectionSettings()
        connection.trustedCertificates = .file(start.authority)
        connection.proxy = .none
        var secrets: [String] = []
        if let proxy = start.proxy {
            var credentials: ProxyCredentials?
            if let username = proxy.username, let password = proxy.password {
                credentials = try ProxyCredentials(
                    username: username,
                    password: SecretBytes(Array(password.utf8))
                )
                secrets = [password, Data("\(username):\(password)".utf8).base64EncodedString()]
            }
            connection.proxy = .proxy(
                try Proxy(
                    scheme: XCTUnwrap(Proxy.Scheme(rawValue: proxy.scheme)),
                    host: "127.0.0.1",
                    port: proxy.port,
                    credentials: credentials
                )
            )
        }
        (self.kind, self.peer, self.ports, scheme) = (kind, peer, start.ports, start.scheme)
        (self.connection, proxySecrets) = (connection, secrets)
    }

    /// Returns the port that the route uses in place of a server's own port.
    func port(for port: UInt16) -> UInt16 { ports["\(port)"] ?? port }

    func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration(connection: connection)
        change(&configuration)
        return try CurlTransport(configuration)
    }

    /// Plain http through a proxy is allowed only where the caller permits it.
    var needsInsecureHTTP: Bool { scheme == "http" && kind.proxy != .none }

    var isSecure: Bool { scheme == "https" }

    /// Whether a station on the route responds when the server does not.
    var answersForServers: Bool { kind.front != .http || ["http", "https"].contains(kind.proxy.rawValue) }

    /// Header fields that arrive at the servers although the client did not send them.
    var addedFields: Set<String> {
        ["http", "https"].contains(kind.proxy.rawValue) && !isSecure ? ["connection"] : []
    }

    /// Searches all bytes on this route: the client's credentials must have reached the servers and no station that
    /// does not need them; the proxy's credentials must have reached only the proxy.
    func assertNoLeak(of credentials: [String], line: UInt = #line) throws {
        guard let peer else { return }
        let texts = credentials + proxySecrets
        let found = try peer.ask(["search": texts], as: [String: [String]].self)
        let atOrigin = try Set(XCTUnwrap(found["origin"]))
        XCTAssertEqual(atOrigin, Set(credentials), "at the servers", line: line)
        // Everything between the proxy and nginx is encrypted.
        XCTAssertEqual(found["proxy-origin"] ?? [], [], "between proxy and server", line: line)
        guard kind.proxy != .none else { return }
        var atProxy = try Set(XCTUnwrap(found["client-proxy"]))
        XCTAssertEqual(
            atProxy.intersection(proxySecrets).isEmpty,
            proxySecrets.isEmpty,
            "at the proxy",
            line: line
        )
        atProxy.subtract(proxySecrets)
        XCTAssertEqual(atProxy, isSecure ? [] : Set(credentials), "at the proxy", line: line)
    }
}
