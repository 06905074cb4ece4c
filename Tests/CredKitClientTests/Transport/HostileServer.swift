// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// Runs hostile_server.py, which behaves as a request's path says. It ends with this object.
final class HostileServer: @unchecked Sendable {
    struct Start: Decodable {
        var ports: [String: UInt16]
        var authority: String
    }

    struct Logged: Decodable {
        var at: String
        var method: String
        var target: String
        var headers: [[String]]
        var body: String

        func header(_ name: String) -> String? { headers.first { $0[0] == name }?[1] }
    }

    private let peer: Peer
    let start: Start

    /// The connection settings that clients use to reach it.
    let route: Route

    init(tls: Bool = false, through kind: RouteKind = .direct) throws {
        peer = try Peer("hostile_server.py", tls ? ["--tls"] : [])
        let start = try peer.started(as: Start.self)
        self.start = start
        route = try Route(kind, to: ["main", "second"].compactMap { start.ports[$0] })
    }

    func url(_ target: String, host: String = "127.0.0.1", port: String = "main", scheme: String? = nil)
        throws
        -> HTTPURL
    {
        try HTTPURL("\(scheme ?? route.scheme)://\(host):\(self.port(port))\(target)")
    }

    /// Returns the port for a name in URLs.
    func port(_ name: String = "main") -> UInt16 { route.port(for: start.ports[name] ?? 0) }

    private func ask(_ target: String) async throws -> Data {
        let runner = RequestRunner(transport: CurlTransport.shared, rules: .init(credentialOrigins: []))
        let url = try HTTPURL("http://127.0.0.1:\(start.ports["main"] ?? 0)\(target)")
        return Data(try await runner.run(.init(url: url)).body)
    }

    /// Returns all requests that arrived, on any address.
    func log() async throws -> [Logged] {
        try JSONDecoder().decode([Logged].self, from: try await ask("/log"))
    }

    /// Forgets all requests that arrived.
    func forget() async throws { _ = try await ask("/forget") }

    /// Returns how many bytes of floods the server could send.
    func sentByteCount() async throws -> Int {
        try JSONDecoder().decode([String: Int].self, from: try await ask("/sent"))["bytes"] ?? -1
    }
}

/// Runs `body`, and requires that it throws an error with a code.
@discardableResult
func assertThrows(
    _ expected: ClientError,
    file: StaticString = #filePath,
    line: UInt = #line,
    _ body: () async throws -> some Any
) async -> ClientError? {
    do {
        let value = try await body()
        XCTFail("no error, but \(value)", file: file, line: line)
    } catch let error as ClientError {
        XCTAssertEqual(error, expected, "\(error)", file: file, line: line)
        return error
    } catch {
        XCTFail("\(error)", file: file, line: line)
    }
    return nil
}

extension CurlTransport.Configuration {
    /// The standard configuration, with a file of certificates to trust.
    static func trusting(_ path: String) -> Self {
        var configuration = Self()
        configuration.connection.trustedCertificates = .file(path)
        return configuration
    }
}
