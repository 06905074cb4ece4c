// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import CredKitTestSupport
import Foundation
import NIOCore
import NIOPosix
import XCTest

@testable import CredKitServerCommand
import NIOConcurrencyHelpers

/// Every kind of certificate, as for the client's transport.
final class RedisCertificateTests: XCTestCase {
    private var server: CertificateServer!

    override func setUpWithError() throws { server = try CertificateServer() }

    override func tearDown() { server = nil }

    /// What differs from the client, which has a list of public suffixes.
    private static let exceptions = ["suffix-wildcard"]

    func testServersAreTrustedOrRefusedAsRequired() async throws {
        XCTAssertEqual(Set(CertificateCase.all.map(\.kind)), Set(server.ports.keys))
        let tls = try RedisTLS(authorities: FileArgument(argument: server.authority))
        var expected: [String: Int] = [:]
        for row in CertificateCase.all {
            let host = row.host.filter { $0 != "[" && $0 != "]" }
            let isTrusted = try await reach(host, port: XCTUnwrap(server.ports[row.kind]), tls)
            let expectation = row.refusal == nil || Self.exceptions.contains(row.kind)
            XCTAssertEqual(isTrusted, expectation, "\(row.kind) for \(row.host)")
            if expectation { expected[row.kind, default: 0] += 1 }
        }
        // A refused server gets no byte.
        let counts = try server.requestCounts()
        XCTAssertEqual(counts.filter { $0.value > 0 }, expected)
    }

    /// Returns whether a server that is meant to have a name is trusted. The request is written before the handshake.
    private func reach(_ host: String, port: Int, _ tls: RedisTLS) async throws -> Bool {
        let problem = NIOLockedValueBox<String?>(nil)
        let group = MultiThreadedEventLoopGroup.singleton
        let (channel, secured) = try await ClientBootstrap(group: group)
            .connect(host: host.contains(":") ? host : "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let secured = channel.eventLoop.makePromise(of: Void.self)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(try tls.handler(for: host, problem: problem))
                    try pipeline.addHandler(HandshakeObserver(secured))
                    return (channel, secured.futureResult)
                }
            }
        defer { channel.close(promise: nil) }
        channel.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"), promise: nil)
        do {
            try await secured.get()
        } catch {
            return false
        }
        try await channel.closeFuture.get()
        return problem.withLockedValue { $0 } == nil
    }
}
