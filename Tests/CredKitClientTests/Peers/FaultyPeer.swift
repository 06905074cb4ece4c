// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import XCTest

@testable import CredKitClient

/// A peer with a separate port on 127.0.0.1 for each of its behaviours.
final class FaultyPeer: Sendable {
    private struct Start: Decodable {
        var authority: String
        var ports: [String: UInt16]
        var tls: [String: UInt16]?
    }

    private let peer: Peer

    /// The path of the CA certificate that issued the peer's certificates.
    let authority: String
    /// The port of each behaviour, in the peer's own protocol.
    let ports: [String: UInt16]
    /// The port of each behaviour over TLS, where a behaviour has both.
    let portsOverTLS: [String: UInt16]

    init(_ script: String) throws {
        peer = try Peer(script)
        let start = try peer.started(as: Start.self)
        (authority, ports, portsOverTLS) = (start.authority, start.ports, start.tls ?? [:])
    }

    func port(of behaviour: String, overTLS: Bool = false) throws -> UInt16 {
        try XCTUnwrap((overTLS ? portsOverTLS : ports)[behaviour], behaviour)
    }

    func url(of behaviour: String, overTLS: Bool) throws -> HTTPURL {
        try HTTPURL("http\(overTLS ? "s" : "")://127.0.0.1:\(port(of: behaviour, overTLS: overTLS))/")
    }

    /// Returns numbers that the peer counted.
    func counts(_ command: String) throws -> [String: Int] { try peer.ask(command, as: [String: Int].self) }

    /// Returns texts that the peer recorded.
    func texts(_ command: String) throws -> [String: [String]] {
        try peer.ask(command, as: [String: [String]].self)
    }

    /// Creates a transport that trusts only the peer's CA and uses no proxy.
    func transport(
        timeout: Duration = .seconds(20),
        _ change: (inout CurlTransport.Configuration) throws -> Void = { _ in }
    ) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration(connectTimeout: timeout, idleTimeout: timeout)
        configuration.connection.trustedCertificates = .file(authority)
        configuration.connection.proxy = .none
        try change(&configuration)
        return try CurlTransport(configuration)
    }

    /// Creates a runner with a new transport.
    func runner(
        timeout: Duration = .seconds(20),
        total: Duration = .seconds(60),
        _ change: (inout CurlTransport.Configuration) throws -> Void = { _ in }
    ) throws -> RequestRunner {
        RequestRunner(
            transport: try transport(timeout: timeout, change),
            rules: .init(credentialOrigins: []),
            total: total,
            maximumBodyByteCount: 1 << 20
        )
    }
}

/// Returns the error that a call throws, and fails the test if it throws another error or none.
func loginError(
    of what: String,
    _ body: () async throws -> FinalResponse<[UInt8]>,
    line: UInt = #line
) async -> ClientError? {
    do {
        let response = try await body()
        let text = String(decoding: response.body.prefix(100), as: UTF8.self)
        XCTFail("\(what): no error, but \(response.head.status) and \(text)", line: line)
    } catch let error as ClientError {
        return error
    } catch {
        XCTFail("\(what): \(error)", line: line)
    }
    return nil
}
