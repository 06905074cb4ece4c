// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

@testable import CredKitClient

/// What stands between a client and the servers of a test.
struct RouteKind {
    /// What answers for the servers.
    enum Front: String {
        /// Themselves, HTTP/1.1 in clear.
        case http
        /// nginx, HTTP/1.1 over TLS.
        case http1
        /// nginx, HTTP/2 over TLS.
        case http2
    }

    /// The proxy between client and front.
    enum ProxyKind: String {
        case none
        /// tinyproxy, which demands a password.
        case http
        /// The same, over TLS.
        case https
        /// danted, without a password.
        case socks5
        /// microsocks, which demands a password.
        case socks5WithPassword = "socks5-password"
    }

    var front = Front.http
    var proxy = ProxyKind.none

    static let direct = RouteKind()

    var isDirect: Bool { front == .http && proxy == .none }
}

/// A way to servers on loopback, with every byte on it kept. It ends with this object.
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
    /// The scheme of URLs that take this way.
    let scheme: String
    /// How requests take it.
    let connection: ConnectionSettings
    private let peer: Peer?
    private let ports: [String: UInt16]
    /// The password at the proxy, in each form in which it may be on the wire.
    private let proxySecrets: [String]

    /// The way that is none: straight to the servers.
    static var direct: Route { Route() }

    private init() {
        (kind, scheme, peer, ports, proxySecrets) = (.direct, "http", nil, [:], [])
        connection = ConnectionSettings()
    }

    /// Makes a way to servers that listen on ports of 127.0.0.1, 127.0.0.2 and ::1.
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

    /// The port that stands for a server's own.
    func port(for port: UInt16) -> UInt16 { ports["\(port)"] ?? port }

    func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration(connection: connection)
        change(&configuration)
        return try CurlTransport(configuration)
    }

    /// Plain http through a proxy: allowed where a caller says so.
    var needsInsecureHTTP: Bool { scheme == "http" && kind.proxy != .none }

    var isSecure: Bool { scheme == "https" }

    /// Whether something on the way answers where the server does not.
    var answersForServers: Bool { kind.front != .http || ["http", "https"].contains(kind.proxy.rawValue) }

    /// Fields that come in at the servers though the client did not send them.
    var addedFields: Set<String> {
        ["http", "https"].contains(kind.proxy.rawValue) && !isSecure ? ["connection"] : []
    }

    /// danted is set up for IPv4 alone.
    var reachesIPv6: Bool { kind.proxy != .socks5 }

    /// Searches all bytes that went this way: credentials of the client's must have reached the servers and nothing in
    /// between that has no need of them; those for the proxy must have reached the proxy alone.
    func assertNoLeak(of credentials: [String], line: UInt = #line) throws {
        guard let peer else { return }
        let texts = credentials + proxySecrets
        let found = try peer.ask(["search": texts], as: [String: [String]].self)
        let atOrigin = try Set(XCTUnwrap(found["origin"]))
        XCTAssertEqual(atOrigin, Set(credentials), "at the servers", line: line)
        // Between proxy and nginx all is encrypted.
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
