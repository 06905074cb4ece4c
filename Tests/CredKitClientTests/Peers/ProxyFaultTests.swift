// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Tests against faulty_proxy.py, whose proxies refuse, fail and hang.
final class ProxyFaultTests: XCTestCase {
    fileprivate static let password = "word-for-the-proxy"
    fileprivate static let token = "token-for-the-server"

    /// The proxies, and the servers behind them.
    fileprivate struct Peers {
        let proxy: FaultyPeer
        let server: FaultyPeer

        init() throws {
            proxy = try FaultyPeer("faulty_proxy.py")
            server = try FaultyPeer("faulty_server.py")
        }
    }

    private var peers: Peers!
    private var proxy: FaultyPeer { peers.proxy }
    private var server: FaultyPeer { peers.server }

    override func setUpWithError() throws { peers = try Peers() }

    override func tearDown() { peers = nil }
}

extension ProxyFaultTests.Peers {
    /// Creates a transport through a proxy, with a file of both CA certificates.
    fileprivate func transport(_ behaviour: String, timeout: Duration) throws -> CurlTransport {
        let both = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: both) }
        let files = [proxy.authority, server.authority]
        try files.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined().write(
            to: both,
            atomically: true,
            encoding: .utf8
        )
        let scheme: Proxy.Scheme =
            behaviour.hasPrefix("socks") ? .socks5 : behaviour.hasPrefix("https") ? .https : .http
        let used = try Proxy(
            scheme: scheme,
            host: "127.0.0.1",
            port: proxy.port(of: behaviour),
            credentials: ProxyCredentials(
                username: "user",
                password: SecretBytes(Array(ProxyFaultTests.password.utf8))
            )
        )
        return try server.transport(timeout: timeout) {
            $0.connection.trustedCertificates = .file(both.path)
            $0.connection.proxy = .proxy(used)
        }
    }

    fileprivate func send(_ behaviour: String, to kind: String = "good", timeout: Duration = .seconds(20))
        async throws
        -> FinalResponse<[UInt8]>
    {
        let runner = RequestRunner(
            transport: try transport(behaviour, timeout: timeout),
            rules: .init(credentialOrigins: []),
            total: .seconds(60)
        )
        let request = OutgoingRequest(
            method: .post,
            url: try HTTPURL("https://localhost:\(server.port(of: kind, overTLS: true))/"),
            headers: [.authorization: ProxyFaultTests.token, HTTPField.Name("x-id")!: behaviour],
            body: HTTPRequestBody(Array("a body for the server".utf8))
        )
        return try await runner.run(request)
    }
}

extension ProxyFaultTests {
    private static let silent = [
        "silent", "half-head-hang", "silent-tunnel", "socks-silent", "socks-silent-at-once",
        "socks-silent-tunnel",
    ]

    private static let expectations: [String: ([ClientError], says: [String])] = {
        var all: [String: ([ClientError], says: [String])] = [
            "password": ([.proxyRefused], ["password"]),
            "digest": ([.proxyRefused], ["password"]),
            "negotiate": ([.proxyRefused], ["password"]),
            "forbidden": ([.proxyRefused], ["403"]),
            "https-forbidden": ([.proxyRefused], ["403"]),
            "bad-gateway": ([.proxyRefused], ["502"]),
            "redirect": ([.proxyRefused], ["302"]),
            "endless-body": ([.proxyRefused], ["403"]),
            "https-other-name": (
                [.untrustedServer], ["certificate of 127.0.0.1", "only valid for 192.0.2.1"]
            ),
            "https-expired": ([.untrustedServer], ["certificate of 127.0.0.1", "expired"]),
            "https-other-authority": ([.untrustedServer], ["certificate of 127.0.0.1", "issuer"]),
        ]
        for behaviour in ["close", "half-head", "junk", "endless-head", "endless-line"] {
            all[behaviour] = ([.proxyRefused, .noResponse, .overLimit, .malformedResponse], ["proxy"])
        }
        for behaviour in ["close-in-tunnel", "cut-in-handshake", "junk-in-tunnel", "socks-close-in-tunnel"] {
            all[behaviour] = ([.noResponse, .untrustedServer], [])
        }
        for behaviour in [
            "socks-no-method", "socks-rejects-password", "socks-failure", "socks-forbidden",
            "socks-unreachable",
            "socks-refused", "socks-unknown-code", "socks-close", "socks-close-at-once", "socks-half-answer",
            "socks-version-4", "socks-junk", "socks-other-method",
        ] {
            all[behaviour] = ([.proxyRefused], ["proxy"])
        }
        for behaviour in silent { all[behaviour] = ([.timedOut], ["proxy"]) }
        return all
    }()

    /// Each fault throws an error that names the proxy and contains no secret, and no byte of the request reaches a
    /// server.
    func testEachFaultOfAProxyEndsInItsError() async throws {
        let working: Set<String> = ["good", "cookie", "cut-in-answer"]
        XCTAssertEqual(Set(proxy.ports.keys).subtracting(working), Set(Self.expectations.keys))
        let peers = try XCTUnwrap(peers)
        await withTaskGroup { group in
            for (behaviour, expected) in Self.expectations {
                group.addTask {
                    let timeout: Duration = Self.silent.contains(behaviour) ? .seconds(1) : .seconds(20)
                    let error = await loginError(of: behaviour) {
                        try await peers.send(behaviour, timeout: timeout)
                    }
                    XCTAssertTrue(expected.0.contains { $0 == error }, "\(behaviour): \(error as Any)")
                    let text = "\(error as Any)"
                    for word in expected.says { XCTAssertTrue(text.contains(word), "\(behaviour): \(text)") }
                    XCTAssertFalse(text.contains(Self.password) || text.contains(Self.token), behaviour)
                }
            }
        }
        let error = await loginError(of: "password") { try await peers.send("password") }
        XCTAssertEqual(error?.statusCode, 407)
        let seen = try server.counts("seen")
        XCTAssertEqual(seen.filter { !working.contains($0.key) }, [:])
        let heads = try proxy.texts("heads")
        XCTAssertGreaterThan(heads.count, 20)
        for (behaviour, heard) in heads {
            for text in heard {
                XCTAssertFalse(text.contains(Self.token) || text.contains("a body"), "\(behaviour): \(text)")
            }
        }
    }

    /// Fields in a proxy's answer to CONNECT are not taken as the server's.
    func testProxyResponseFieldsAreNotTheServers() async throws {
        for behaviour in ["good", "cookie"] {
            let answer = try await peers.send(behaviour)
            XCTAssertEqual(answer.head.status, .ok)
            XCTAssertEqual(answer.body, Array("ok".utf8))
            XCTAssertEqual(answer.head.headerFields.map(\.name), [.contentLength], behaviour)
        }
        let heads = try XCTUnwrap(proxy.texts("heads")["good"])
        let names = heads[0].split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        XCTAssertTrue(
            Set(names).isSubset(of: ["host", "proxy-authorization", "proxy-connection", "user-agent"]),
            "\(names)"
        )
        XCTAssertTrue(names.contains("proxy-authorization"))
    }

    /// A response whose tunnel is cut in its body is incomplete and therefore fails.
    func testTunnelCutDuringAResponseIsAnError() async throws {
        let flood = try HostileServer(tls: true)
        var connection = ConnectionSettings()
        connection.trustedCertificates = .file(flood.start.authority)
        connection.proxy = .proxy(
            try Proxy(scheme: .http, host: "127.0.0.1", port: proxy.port(of: "cut-in-answer"))
        )
        let runner = RequestRunner(
            transport: try CurlTransport(.init(connection: connection)),
            rules: .init(credentialOrigins: [])
        )
        let url = try flood.url("/big?bytes=1000000", host: "localhost", port: "good", scheme: "https")
        let error = await loginError(of: "cut") { try await runner.run(OutgoingRequest(url: url)) }
        XCTAssertEqual(error, .noResponse)
    }

    /// A proxy port without a listener, and a proxy host that does not exist.
    func testErrorNamesAnUnreachableProxy() async throws {
        let closed = try HostileServer()
        var connection = ConnectionSettings()
        connection.proxy = .proxy(try Proxy(scheme: .http, host: "127.0.0.1", port: closed.port("closed")))
        let runner = RequestRunner(
            transport: try CurlTransport(.init(connection: connection)),
            rules: .init(credentialOrigins: [])
        )
        let error = await loginError(of: "closed") {
            try await runner.run(OutgoingRequest(url: try HTTPURL("https://localhost:1/")))
        }
        XCTAssertEqual(error, .noConnection)
        XCTAssertTrue("\(error as Any)".contains("proxy http://127.0.0.1"), "\(error as Any)")
    }
}
