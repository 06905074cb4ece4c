// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import XCTest

@testable import CredKitClient

final class ConnectionRoutesTests: XCTestCase {
    private let environment = ProxyEnvironment(environment: [
        "all_proxy": "p.example:1", "no_proxy": "direct.example",
    ])

    private func routes(_ change: (inout ConnectionSettings) throws -> Void) throws -> ConnectionRoutes {
        var settings = ConnectionSettings()
        try change(&settings)
        return ConnectionRoutes(settings, environment: environment)
    }

    func testASocketComesFirstThenAProxyThenResolutions() throws {
        let origin = try Origin("http://a.example")
        let loopback = try HostResolution("a.example:80:127.0.0.1")
        let named = try Proxy("q.example:2")
        let environmental = try Proxy("p.example:1")
        XCTAssertEqual(try routes { _ in }.route(to: origin), .proxy(environmental))
        XCTAssertEqual(try routes { $0.proxy = .proxy(named) }.route(to: origin), .proxy(named))
        XCTAssertEqual(try routes { $0.proxy = .none }.route(to: origin), .direct)
        XCTAssertEqual(try routes { _ in }.route(to: Origin("https://x.direct.example")), .direct)
        XCTAssertEqual(
            try routes { $0.proxy = .proxy(named) }.route(to: Origin("https://x.direct.example")),
            .proxy(named)
        )
        let asCurl = try routes { $0.proxy = .proxyHonoringNoProxy(named) }
        XCTAssertEqual(try asCurl.route(to: origin), .proxy(named))
        XCTAssertEqual(try asCurl.route(to: Origin("https://x.direct.example")), .direct)
        let both = try routes {
            $0.proxy = .proxy(named)
            $0.resolutions = [loopback]
        }
        XCTAssertEqual(try both.route(to: origin), .proxy(named))
        XCTAssertEqual(both.proxyInPlaceOfResolution(of: origin), named)
        XCTAssertNil(both.proxyInPlaceOfResolution(of: try Origin("http://b.example")))
        let all = try routes {
            $0.proxy = .proxy(named)
            $0.resolutions = [loopback]
            $0.unixSocketPath = "/run/x"
        }
        XCTAssertEqual(try all.route(to: origin), .unixSocket("/run/x"))
        XCTAssertNil(all.proxyInPlaceOfResolution(of: origin))
        let resolved = try routes {
            $0.proxy = .none
            $0.resolutions = [loopback, try HostResolution("a.example:80:192.0.2.1,::1")]
        }
        // The last entry applies, and the port is part of the match.
        XCTAssertEqual(try resolved.route(to: origin), .resolved(["192.0.2.1", "::1"]))
        XCTAssertEqual(try resolved.route(to: Origin("https://a.example")), .direct)
        XCTAssertEqual(
            try resolved.route(to: Origin("https://a.example:80")),
            .resolved(["192.0.2.1", "::1"])
        )
        XCTAssertEqual(try resolved.route(to: Origin("http://b.example")), .direct)
        XCTAssertNil(resolved.proxyInPlaceOfResolution(of: origin))
        XCTAssertEqual(try ConnectionRoutes.direct.route(to: origin), .direct)
    }

    func testLocalityIsJudgedByTheActualPeer() throws {
        let local = try Origin("http://localhost:8080")
        let remote = try Origin("http://a.example")
        let check = { (routes: ConnectionRoutes, origin: Origin, stays: Bool, line: UInt) in
            XCTAssertEqual(routes.isLocal(origin), stays, line: line)
        }
        check(.direct, local, true, #line)
        check(.direct, remote, false, #line)
        check(try routes { _ in }, local, true, #line)
        check(try routes { _ in }, remote, false, #line)
        let socket = try routes { $0.unixSocketPath = "/run/x" }
        check(socket, remote, true, #line)
        check(socket, local, true, #line)
        // The address behind a proxy is unknown, wherever the proxy is.
        let proxied = try routes { $0.proxy = .proxy(try Proxy("127.0.0.1:3128")) }
        check(proxied, local, false, #line)
        check(proxied, remote, false, #line)
        let resolved = try routes {
            $0.proxy = .none
            $0.resolutions = [
                try HostResolution("a.example:80:127.0.0.1,::1"),
                try HostResolution("localhost:8080:192.0.2.1"),
                try HostResolution("b.example:80:127.0.0.1,192.0.2.1"),
            ]
        }
        check(resolved, remote, true, #line)
        check(resolved, local, false, #line)
        check(resolved, try Origin("http://a.example:81"), false, #line)
        check(resolved, try Origin("http://b.example"), false, #line)
        // A proxy takes precedence over a resolution, and an unreadable proxy setting is never bypassed.
        let hidden = try routes { $0.resolutions = [try HostResolution("a.example:80:127.0.0.1")] }
        check(hidden, remote, false, #line)
        var settings = ConnectionSettings()
        settings.resolutions = [try HostResolution("a.example:80:127.0.0.1")]
        let malformed = ConnectionRoutes(
            settings,
            environment: ProxyEnvironment(environment: ["http_proxy": "foo://"])
        )
        check(malformed, remote, false, #line)
        check(malformed, local, true, #line)
        XCTAssertThrowsError(try malformed.route(to: remote)) {
            XCTAssertEqual($0 as? ClientError, .invalidRequest)
        }
        XCTAssertEqual(try malformed.route(to: local), .direct)
    }

    func testUnencryptedRedirectsAreJudgedByTheActualPeer() throws {
        let remote = try HTTPURL("http://a.example/")
        let local = try HTTPURL("http://127.0.0.1:8080/")
        var settings = ConnectionSettings()
        settings.resolutions = [try HostResolution("a.example:80:127.0.0.1")]
        settings.proxy = .none
        let resolved = RedirectRules(credentialOrigins: [remote.origin], routes: ConnectionRoutes(settings))
        XCTAssertEqual(try resolved.firstStep(to: remote).url, remote)
        settings.proxy = .proxy(try Proxy("127.0.0.1:3128"))
        let proxied = RedirectRules(credentialOrigins: [local.origin], routes: ConnectionRoutes(settings))
        for url in [remote, local] {
            XCTAssertThrowsError(try proxied.firstStep(to: url)) {
                XCTAssertEqual($0 as? ClientError, .insecureConnection)
            }
        }
        let direct = RedirectRules(credentialOrigins: [local.origin])
        XCTAssertThrowsError(try direct.firstStep(to: remote))
        let step = try direct.firstStep(to: local)
        var request = OutgoingRequest(url: local)
        let head = HTTPResponse(status: .found)
        XCTAssertThrowsError(try direct.follow(head, to: remote, from: step, changing: &request)) {
            XCTAssertEqual($0 as? ClientError, .insecureConnection)
        }
    }

    func testSessionsUseTheirOwnConnectionSettings() throws {
        let make = { (server: String, change: (inout ConnectionSettings) throws -> Void) in
            var configuration = LoginSession.Configuration()
            configuration.connection.proxy = .none
            try change(&configuration.connection)
            _ = try LoginSession(
                server: server,
                profile: .form(),
                keychain: nil,
                configuration: configuration
            )
        }
        XCTAssertNoThrow(try make("http://localhost") { _ in })
        for change: (inout ConnectionSettings) throws -> Void in [
            { $0.proxy = .proxy(try Proxy("127.0.0.1:3128")) },
            { $0.resolutions = [try HostResolution("localhost:80:192.0.2.1")] },
        ] {
            XCTAssertThrowsError(try make("http://localhost", change)) {
                XCTAssertEqual($0 as? ClientError, .insecureConnection)
            }
        }
    }
}
