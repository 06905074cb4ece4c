// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTesting
import HTTPTypes
import XCTest

/// Shows that the suite finds faults of transports, whatever they use to send requests.
final class TransportSuiteTests: XCTestCase {
    private let expected: [FaultyTransport.Fault: String] = [
        .changesTargets: "requests arrive unchanged", .dropsBodies: "requests arrive unchanged",
        .buffersOnePiece: "streamed bodies", .joinsCookies: "responses arrive unchanged",
        .truncatesBodies: "large bodies", .followsRedirects: "redirects are not followed",
        .storesCookies: "cookies are not stored", .retriesPosts: "connections that end early",
        .hidesEarlyEnds: "connections that end early", .ignoresDeadlines: "the deadline is enforced",
        .ignoresCancellation: "cancelled requests end", .endsFailedStreams: "errors of request streams",
        .mixesResponses: "many requests",
    ]

    private func assertFound(_ fault: FaultyTransport.Fault, by suite: TransportSuite) async throws {
        var suite = suite
        // Some faults make a part hang.
        suite.timeLimit = .seconds(fault == .ignoresDeadlines || fault == .ignoresCancellation ? 1 : 60)
        do {
            try await suite.run()
            XCTFail("\(fault) was not found")
        } catch let failure as SuiteFailure {
            let name = try XCTUnwrap(expected[fault])
            XCTAssertTrue(failure.description.contains(name), "\(fault): \(failure)")
        }
    }

    func testFaultsOfScriptedTransportsAreFound() async throws {
        XCTAssertEqual(expected.count, FaultyTransport.Fault.allCases.count)
        for fault in FaultyTransport.Fault.allCases {
            try await assertFound(fault, by: TransportSuite(scripted: { FaultyTransport(fault, $0) }))
        }
    }

    func testFaultsOfRealTransportsAreFound() async throws {
        for fault in FaultyTransport.Fault.allCases {
            try await assertFound(
                fault,
                by: TransportSuite { FaultyTransport(fault, try CurlTransport(.init())) }
            )
        }
    }

    func testForeignErrorsAreAllowedWhereTheyMeanCancellation() async throws {
        try await TransportSuite(scripted: { ForeignCancellation(transport: $0) }).run()
    }
}

/// A transport that reports cancellation as the standard library does.
private struct ForeignCancellation: HTTPTransport {
    let transport: ScriptedTransport

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        do throws(ClientError) {
            return try await transport.send(request, body: body, deadline: deadline)
        } catch {
            throw error == .cancelled ? CancellationError() : error
        }
    }
}
