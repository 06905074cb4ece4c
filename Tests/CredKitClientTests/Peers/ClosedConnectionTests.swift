// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Servers that close connections, including those they declared persistent.
final class ClosedConnectionTests: XCTestCase {
    private static let id = HTTPField.Name("x-id")!

    private var server: FaultyPeer!

    override func setUpWithError() throws { server = try FaultyPeer("faulty_server.py") }

    override func tearDown() { server = nil }

    private static func request(
        _ method: HTTPRequest.Method,
        _ url: HTTPURL,
        id: String,
        body: [UInt8]? = nil
    ) -> OutgoingRequest {
        OutgoingRequest(
            method: method,
            url: url,
            headers: [Self.id: id],
            body: body.map { HTTPRequestBody($0) }
        )
    }

    /// Each response is complete, and the server closes the connection right after it without announcing that.
    func testRequestChainsSurviveClosingConnections() async throws {
        for (behaviour, overTLS, chainCount) in [
            ("close-after-answer", false, TestForm.isDeep ? 1000 : 200), ("close-after-answer", true, 100),
            ("reset-after-answer", false, 100),
        ] {
            let url = try server.url(of: behaviour, overTLS: overTLS)
            let runner = try server.runner { $0.maximumConnectionsPerHost = 16 }
            let name = "\(behaviour) \(overTLS)"
            let failures = await withTaskGroup(of: [String].self) { group in
                for task in 0..<20 {
                    group.addTask {
                        var failures: [String] = []
                        for chain in 0..<(chainCount / 20) {
                            for step in 0..<7 {
                                let method: HTTPRequest.Method =
                                    (chain + step).isMultiple(of: 2) ? .get : .post
                                let body: [UInt8]? =
                                    method == .post && step != 3 ? [UInt8](repeating: 1, count: 100) : nil
                                let id = "\(name) \(task) \(chain) \(step)"
                                let request = Self.request(method, url, id: id, body: body)
                                do {
                                    let answer = try await runner.run(request)
                                    if answer.body != Array("ok".utf8) {
                                        failures.append("\(method): \(answer.body.count)")
                                    }
                                } catch {
                                    failures.append("\(method) \(step): \(error)")
                                }
                            }
                        }
                        return failures
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            XCTAssertEqual(failures.count, 0, "\(name): \(failures.prefix(3))")
            // The server answers every request it reads, so no request may arrive twice.
            let counts = try server.counts("seen").filter { $0.key.hasPrefix(name) }
            XCTAssertEqual(counts.count, chainCount * 7, name)
            XCTAssertEqual(counts.filter { $0.value != 1 }, [:], name)
        }
    }

    /// Sends 200 POST requests whose connections are cut after the server has read them. The server sees each one
    /// exactly once.
    func testCutPostIsNeverSentTwice() async throws {
        for (behaviour, overTLS, count) in [
            ("close-at-second", false, 60), ("reset-at-second", false, 60),
            ("close-at-second-head", false, 40),
            ("close-at-second", true, 40), ("close-at-first", false, 20),
            ("half-answer-at-second", false, 20),
        ] {
            let url = try server.url(of: behaviour, overTLS: overTLS)
            let runner = try server.runner()
            for index in 0..<count {
                let id = "cut \(behaviour) \(overTLS) \(index)"
                // The first request opens the connection that the second may reuse.
                _ = try? await runner.run(Self.request(.get, url, id: "first \(id)"))
                let body: [UInt8]? = index.isMultiple(of: 2) ? nil : [UInt8](repeating: 2, count: index * 100)
                do {
                    let answer = try await runner.run(Self.request(.post, url, id: id, body: body))
                    XCTAssertEqual(answer.body, Array("ok".utf8))
                } catch {
                    XCTAssertEqual(error, .noResponse, "\(id): \(error)")
                }
            }
            let counts = try server.counts("seen").filter { $0.key.hasPrefix("cut \(behaviour) \(overTLS)") }
            XCTAssertEqual(counts.count, count, behaviour)
            XCTAssertEqual(counts.filter { $0.value != 1 }, [:], behaviour)
        }
    }

    /// A stream can be read only once, so it is not sent again, whatever the method.
    func testStreamedBodyIsNeverSentTwice() async throws {
        let url = try server.url(of: "close-at-second", overTLS: false)
        let runner = try server.runner()
        for index in 0..<20 {
            _ = try await runner.run(Self.request(.get, url, id: "before stream \(index)"))
            var put = Self.request(.put, url, id: "stream \(index)")
            put.body = HTTPRequestBody(
                streaming: HTTPResponseBody([1, 2, 3]),
                byteCount: index.isMultiple(of: 2) ? 3 : nil
            )
            _ = try? await runner.run(put)
        }
        let counts = try server.counts("seen").filter { $0.key.hasPrefix("stream") }
        XCTAssertEqual(counts.filter { $0.value != 1 }, [:])
    }

    /// An idempotent request is retried at most twice, and only if no byte of a response arrived.
    func testIdempotentRequestIsRetried() async throws {
        for behaviour in ["close-at-second", "reset-at-second"] {
            let url = try server.url(of: behaviour, overTLS: false)
            let runner = try server.runner()
            for index in 0..<20 {
                for method in [HTTPRequest.Method.get, .put, .delete, .head, .options] {
                    let id = "again \(behaviour) \(method) \(index)"
                    let answer = try await runner.run(
                        Self.request(method, url, id: id, body: method == .put ? [1] : nil)
                    )
                    XCTAssertEqual(answer.head.status, .ok)
                }
            }
            let counts = try server.counts("seen").filter { $0.key.hasPrefix("again \(behaviour)") }
            XCTAssertEqual(counts.count, 100)
            XCTAssertTrue(
                counts.allSatisfy { (1...3).contains($0.value) },
                "\(counts.filter { $0.value > 3 })"
            )
            XCTAssertTrue(counts.contains { $0.value > 1 }, "no request was retried: the test proves nothing")
        }
        // A request that also fails over new connections is not retried forever.
        let never = try server.url(of: "close-at-first", overTLS: false)
        let error = await loginError(of: "close-at-first") {
            try await self.server.runner().run(Self.request(.get, never, id: "never"))
        }
        XCTAssertEqual(error, .noResponse)
        let neverCount = try XCTUnwrap(server.counts("seen")["never"])
        XCTAssertLessThanOrEqual(neverCount, 3)
        // The server has begun to respond, so the request is not retried.
        let half = try server.url(of: "half-answer-at-second", overTLS: false)
        let runner = try server.runner()
        for index in 0..<10 {
            _ = try? await runner.run(Self.request(.get, half, id: "half \(index)"))
        }
        let counts = try server.counts("seen").filter { $0.key.hasPrefix("half ") }
        XCTAssertEqual(counts.filter { $0.value != 1 }, [:])
    }

    /// An unsolicited response on a kept connection is not taken as the response to the next request.
    func testUnsolicitedResponseIsIgnored() async throws {
        for overTLS in [false, true] {
            let url = try server.url(of: "unasked-answer", overTLS: overTLS)
            let runner = try server.runner()
            for (index, method) in [HTTPRequest.Method.get, .post, .delete, .put].enumerated() {
                let id = "unasked \(overTLS) \(index)"
                // The second request shows that the server keeps connections: later requests of all methods reuse them.
                for step in 0..<2 { _ = try await runner.run(Self.request(.get, url, id: "\(id) \(step)")) }
                XCTAssertEqual(try server.counts("answer-unasked"), ["answers": 1])
                var request = Self.request(method, url, id: id)
                if method == .put {
                    request.body = HTTPRequestBody(streaming: HTTPResponseBody([1, 2, 3]), byteCount: 3)
                }
                let answer = try await runner.run(request)
                XCTAssertEqual(answer.body, Array("ok".utf8), "\(method) \(index)")
            }
        }
        let counts = try server.counts("seen").filter { $0.key.hasPrefix("unasked") }
        XCTAssertEqual(counts.count, 24)
        XCTAssertEqual(counts.filter { $0.value != 1 }, [:])
    }

    func testTruncatedResponseIsAnError() async throws {
        for overTLS in [false, true] {
            let runner = try server.runner()
            for behaviour in [
                "cut-head", "cut-head-in-line", "cut-status-line", "cut-body", "cut-chunk", "cut-last-chunk",
                "cut-trailers",
            ] {
                let url = try server.url(of: behaviour, overTLS: overTLS)
                let error = await loginError(of: behaviour) {
                    try await runner.run(Self.request(.get, url, id: behaviour))
                }
                XCTAssertTrue(
                    error == .noResponse || error == .malformedResponse,
                    "\(behaviour): \(error as Any)"
                )
            }
            for behaviour in ["until-close", "old-until-close"] {
                let url = try server.url(of: behaviour, overTLS: overTLS)
                let whole = try await runner.run(Self.request(.get, url, id: behaviour))
                XCTAssertEqual(whole.body, Array("ok".utf8), behaviour)
            }
        }
        // TLS marks the end of a stream. Without that mark an attacker may have cut it.
        for behaviour in ["until-cut", "old-until-cut"] {
            let url = try server.url(of: behaviour, overTLS: true)
            let error = await loginError(of: behaviour) {
                try await self.server.runner().run(Self.request(.get, url, id: behaviour))
            }
            XCTAssertEqual(error, .noResponse, behaviour)
        }
    }

    /// libcurl keeps each of them in memory.
    func testEndlessTrailersAreRefused() async throws {
        for overTLS in [false, true] {
            let runner = try server.runner()
            let url = try server.url(of: "endless-trailers", overTLS: overTLS)
            let error = await loginError(of: "endless trailers") {
                try await runner.run(Self.request(.get, url, id: "endless-trailers"))
            }
            XCTAssertEqual(error, .overLimit)
        }
    }
}
