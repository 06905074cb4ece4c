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
    private struct Start: Decodable {
        let authority: String
        let ports: [String: Int]
    }

    private var server: Process!
    private var input: FileHandle!
    private var output: FileHandle!
    private var start: Start!

    override func setUpWithError() throws {
        server = Process()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = ["python3", TestScripts.path("certificate_server.py")]
        let (input, output) = (Pipe(), Pipe())
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        server.standardInput = input
        server.standardOutput = output
        try server.run()
        (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
        start = try JSONDecoder().decode(Start.self, from: try line())
    }

    override func tearDown() {
        try? input?.close()
        server?.waitForExit()
        (server, input, output) = (nil, nil, nil)
    }

    private func line() throws -> Data {
        var line = Data()
        while line.last != 10 {
            let next = output.availableData
            guard !next.isEmpty else { throw XCTSkip("the server of certificates ended") }
            line += next
        }
        return line
    }

    /// What differs from the client, which has a list of public suffixes.
    private static let exceptions = ["suffix-wildcard"]

    func testServersAreTrustedOrRefusedAsRequired() async throws {
        XCTAssertEqual(Set(CertificateCase.all.map(\.kind)), Set(start.ports.keys))
        let tls = try RedisTLS(authorities: FileArgument(argument: start.authority))
        var expected: [String: Int] = [:]
        for row in CertificateCase.all {
            let host = row.host.filter { $0 != "[" && $0 != "]" }
            let isTrusted = try await reach(host, port: XCTUnwrap(start.ports[row.kind]), tls)
            let expectation = row.refusal == nil || Self.exceptions.contains(row.kind)
            XCTAssertEqual(isTrusted, expectation, "\(row.kind) for \(row.host)")
            if expectation { expected[row.kind, default: 0] += 1 }
        }
        // A refused server gets no byte.
        try input.write(contentsOf: Data("requests\n".utf8))
        let counts = try JSONDecoder().decode([String: Int].self, from: try line())
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
