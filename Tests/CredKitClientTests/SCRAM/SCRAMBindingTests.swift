// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitClient

/// The contract between a login that is bound to its connection and a transport.
final class SCRAMBindingTests: SessionTestCase {
    private static let required = LoginProfile.scram(channelBinding: .required(.exporter))
    private static let preferred = LoginProfile.scram(channelBinding: .preferred(.exporter))

    private func logIn(_ transport: any HTTPTransport, _ profile: LoginProfile) async throws -> ClientError? {
        let session = try session("https://127.0.0.1:1", profile: profile, transport: transport) {
            $0.name = "\(UUID())"
        }
        return await failure { try await session.logIn(username: "alice", password: "zhang") }
    }

    func testProofIsBoundToTheConnectionThatCarriesIt() async throws {
        let cases: [([[UInt8]], ClientError?, first: Int, last: Int)] = [
            ([[1]], nil, 1, 1), ([[1], [2]], nil, 2, 1), ([[1], [2], [3], [3]], nil, 2, 1),
            ([[1], [2], [3], [4], [5]], nil, 3, 1),
            ([[1], [2], [3], [4], [5], [6]], .connectionChanged, 3, 0),
        ]
        for (values, expected, first, last) in cases {
            let server = try SCRAMScript()
            let error = try await logIn(BindingTransport(server, values: values), Self.required)
            XCTAssertEqual(error, expected, "\(values)")
            XCTAssertEqual(server.count("first"), first, "\(values)")
            XCTAssertEqual(server.count("last"), last, "\(values)")
            XCTAssertEqual(
                server.state.withLock { $0.flags },
                .init(repeating: .bound(.exporter), count: first)
            )
        }
    }

    /// The code goes over the connection over which the server has proved itself. Over another one it waits for another proof.
    func testCodeIsNotSentOverAnExchangedConnection() async throws {
        func logIn(_ server: SCRAMScript) async throws -> ClientError? {
            server.state.withLock { $0.code = "654321" }
            let transport = BindingTransport(server, values: [[1], [1], [2]])
            let session = try session("https://127.0.0.1:1", profile: Self.required, transport: transport) {
                $0.name = "\(UUID())"
                $0.oneTimeCode = { _ in try? SecretBytes("654321") }
            }
            return await failure { try await session.logIn(username: "alice", password: "zhang") }
        }
        let honest = try SCRAMScript()
        let error = try await logIn(honest)
        XCTAssertNil(error)
        XCTAssertEqual(honest.state.withLock { $0.codes }, ["", "", "otp=654321"])
        XCTAssertEqual(honest.count("first"), 2)
        // At the other end of the second connection is a server that proves nothing.
        let impostor = try SCRAMScript()
        impostor.changeLast { [impostor] reply in
            if impostor.count("last") > 1 { reply.field = nil }
        }
        let refused = try await logIn(impostor)
        XCTAssertEqual(refused, .serverNotAuthenticated)
        XCTAssertEqual(impostor.state.withLock { $0.codes }, ["", ""])
        impostor.changeLast(nil)
    }

    func testTransportWithoutBindings() async throws {
        let server = try SCRAMScript()
        let transports: [any HTTPTransport] = [
            server.transport, BindingTransport(server, values: [[1]], kinds: [.serverEndPoint]),
        ]
        for transport in transports {
            let refused = try await logIn(transport, Self.required)
            XCTAssertEqual(refused, .channelBindingFailed)
            XCTAssertEqual(server.count("first"), 0)
        }
        for transport in transports {
            let error = try await logIn(transport, Self.preferred)
            XCTAssertNil(error)
        }
        // It cannot, which is not that it believes that the server cannot.
        XCTAssertEqual(server.state.withLock { $0.flags }, [.unsupported, .unsupported])
        XCTAssertEqual(server.count("list"), 0)
        // The contract's own default.
        let request = OutgoingRequest(url: try HTTPURL("https://127.0.0.1:1/")).head
        let error = await failure {
            _ = try await server.transport.send(
                request,
                body: nil,
                deadline: .now + .seconds(5),
                options: TransferOptions(channelBinding: .any(.exporter))
            )
        }
        XCTAssertEqual(error, .channelBindingFailed)
    }

    func testTransportThatLeavesTheBindingOutIsRefused() async throws {
        let server = try SCRAMScript()
        let error = try await logIn(BindingTransport(server, values: [[1]], forgets: true), Self.required)
        XCTAssertEqual(error, .channelBindingFailed)
        XCTAssertEqual(server.count("last"), 0)
    }

    func testPreferredBinding() async throws {
        let server = try SCRAMScript()
        var error = try await logIn(BindingTransport(server, values: [[1]]), Self.preferred)
        XCTAssertNil(error)
        XCTAssertEqual(server.state.withLock { $0.flags }, [.notOffered])
        server.state.withLock { $0.bindings = [.init(.exporter, value: [1])] }
        error = try await logIn(BindingTransport(server, values: [[1]]), Self.preferred)
        XCTAssertNil(error)
        XCTAssertEqual(server.state.withLock { $0.flags.last }, .bound(.exporter))
        XCTAssertEqual(server.count("list"), 2)
    }

    func testServerThatAnswersWithItsListAlone() async throws {
        let plain = #"SCRAM-SHA-256 realm="a""#
        let both = #"SCRAM-SHA-256-PLUS realm="a", SCRAM-SHA-256 realm="a""#
        let cases: [(LoginProfile, String, ClientError)] = [
            (Self.preferred, both, .channelBindingFailed), (Self.preferred, plain, .malformedChallenge),
            (Self.required, plain, .channelBindingFailed), (Self.required, both, .malformedChallenge),
            (.scram(), both, .malformedChallenge),
        ]
        for (profile, list, expected) in cases {
            let server = try SCRAMScript()
            server.changeFirst { $0.header = list }
            let error = try await logIn(BindingTransport(server, values: [[1]]), profile)
            XCTAssertEqual(error, expected, "\(list)")
            XCTAssertEqual(server.count("last"), 0)
        }
    }

    func testALostAnswerBeginsABoundLoginAnewAndNoOther() async throws {
        for (profile, count) in [(Self.required, SCRAMLogin.maximumAttemptCount), (.scram(), 1)] {
            let server = try SCRAMScript()
            let transport = LosingTransport(BindingTransport(server, values: [[1]]))
            let error = try await logIn(transport, profile)
            XCTAssertEqual(error, .noResponse)
            XCTAssertEqual(server.count("first"), count)
        }
    }
}
