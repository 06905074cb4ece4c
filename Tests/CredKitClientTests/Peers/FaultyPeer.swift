// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import XCTest

@testable import CredKitClient

/// A peer that has a port of its own on 127.0.0.1 for each of its behaviours.
final class FaultyPeer: Sendable {
    private struct Start: Decodable {
        var authority: String
        var ports: [String: UInt16]
        var tls: [String: UInt16]?
    }

    private let peer: Peer

    /// The path of the certificate of the authority that its own are issued by.
    let authority: String
    /// The port of each behaviour, as the peer itself speaks.
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

    /// Numbers that the peer counts.
    func counts(_ command: String) throws -> [String: Int] { try peer.ask(command, as: [String: Int].self) }

    /// Texts that the peer kept.
    func texts(_ command: String) throws -> [String: [String]] {
        try peer.ask(command, as: [String: [String]].self)
    }

    /// A transport that trusts the peer's authority alone and uses no proxy.
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

    /// A runner over a transport of its own.
    func runner(
        timeout: Duration = .seconds(20),
        total: Duration = .seconds(60),
        _ change: (inout CurlTransport.Configuration) throws -> Void = { _ in }
    ) throws -> RequestRunner {
        RequestRunner(
            transport: try transport(timeout: timeout, change),
            rules: .init(allowedOrigins: []),
            total: total,
            maximumBodyByteCount: 1 << 20
        )
    }
}

/// The error that a call ends with; a failed test if it is another one, or none.
func loginError(
    of what: String,
    _ body: () async throws -> FinalResponse<[UInt8]>,
    line: UInt = #line
) async -> LoginError? {
    do {
        let response = try await body()
        let text = String(decoding: response.body.prefix(100), as: UTF8.self)
        XCTFail("\(what): no error, but \(response.head.status) and \(text)", line: line)
    } catch let error as LoginError {
        return error
    } catch {
        XCTFail("\(what): \(error)", line: line)
    }
    return nil
}
