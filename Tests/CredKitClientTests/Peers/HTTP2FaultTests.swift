// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Tests against http2_server.py, which misbehaves frame by frame.
final class HTTP2FaultTests: XCTestCase {
    private enum Expectation {
        case answer(String)
        case errors([ClientError])
        /// Either outcome is accepted, because versions of libcurl differ; a wrong response never is.
        case answerOrErrors(String, [ClientError])

        /// Whether only a deadline may end it.
        var endsWithTime: Bool {
            switch self {
            case .answer: false
            case .errors(let errors), .answerOrErrors(_, let errors): errors.contains(.timedOut)
            }
        }

        static let ended = Self.errors([.noResponse])
        static let malformed = Self.errors([.malformedResponse, .noResponse])
        static let overLimit = Self.errors([.overLimit, .malformedResponse, .noResponse])
        static let silent = Self.errors([.timedOut])
        /// A flood ends at the total deadline, or earlier when it is recognized as a flood.
        static let flood = Self.errors([.timedOut, .overLimit, .malformedResponse, .noResponse])
    }

    private static let expectations: [String: Expectation] = [
        "good": .answer("ok"), "informational": .answer("ok"), "trailers": .answer("ok"),
        "unknown-frames": .answer("ok"),
        "one-at-a-time": .answer("ok"), "go-away-every-5": .answer("ok"), "go-away-and-answer": .answer("ok"),
        "reset-after-answer": .answerOrErrors("ok", [.noResponse]),
        "go-away-in-body": .ended, "reset-in-body-with-length": .malformed,
        "go-away-at-once": .ended, "go-away-unprocessed": .ended, "go-away-with-error": .ended,
        "close-after-request": .ended, "close-in-body": .ended, "close-in-head": .ended,
        "close-at-once": .ended,
        "reset": .ended, "reset-refused": .ended, "reset-no-error": .ended, "reset-in-body": .ended,
        // The server reports no error and declared no length, so libcurl takes these for the end.
        "reset-in-body-no-error": .answerOrErrors("half", [.noResponse]),
        "trailers-without-end": .answerOrErrors("half", [.malformedResponse, .noResponse]),
        "endless-continuation": .overLimit, "endless-empty-continuation": .flood,
        "endless-informational": .flood,
        "endless-data": .errors([.overLimit]), "endless-empty-data": .flood, "settings-flood": .flood,
        "ping-flood": .flood, "window-flood": .flood, "priority-flood": .flood, "unknown-flood": .flood,
        "many-fields": .errors([.overLimit]), "table-bomb": .overLimit, "field-of-81-kibibytes": .overLimit,
        "no-status": .malformed, "two-statuses": .malformed, "status-text": .malformed,
        "status-low": .malformed,
        "status-long": .malformed, "status-101": .malformed, "upper-case-name": .malformed,
        "line-feed-in-value": .malformed, "nul-in-value": .malformed, "empty-field-name": .malformed,
        "space-in-name": .malformed, "connection-field": .malformed, "request-pseudo-field": .malformed,
        "late-status": .malformed, "data-beyond-length": .malformed, "data-below-length": .malformed,
        "negative-length": .malformed, "malformed-table-index": .malformed, "push-promise": .malformed,
        "data-before-head": .malformed, "head-of-stream-0": .malformed, "head-of-other-stream": .malformed,
        "huge-frame": .malformed, "not-http2": .malformed, "window-overflow": .malformed,
        "closed-window": .silent, "no-streams": .silent, "no-answer": .silent, "no-settings": .silent,
        "half-head": .silent, "half-body": .silent, "head-alone": .silent,
        // The first connection hangs; later ones respond.
        "silent-at-first": .answerOrErrors("ok", [.timedOut]),
    ]

    private var server: FaultyPeer!

    override func setUpWithError() throws { server = try FaultyPeer("http2_server.py") }

    override func tearDown() { server = nil }

    private static func request(_ method: HTTPRequest.Method, _ behaviour: String, _ server: FaultyPeer)
        throws -> OutgoingRequest
    {
        let url = try HTTPURL("https://127.0.0.1:\(server.port(of: behaviour))/")
        // More than the sockets and the server's flow-control window can hold.
        return OutgoingRequest(
            method: method,
            url: url,
            body: method == .get ? nil : HTTPRequestBody([UInt8](repeating: 1, count: 1 << 20))
        )
    }

    private static func check(
        _ method: HTTPRequest.Method,
        _ behaviour: String,
        _ server: FaultyPeer,
        _ runner: RequestRunner
    ) async throws {
        let expectation = try XCTUnwrap(expectations[behaviour], behaviour)
        do {
            let answer = try await runner.run(try request(method, behaviour, server))
            let body = String(decoding: answer.body.prefix(100), as: UTF8.self)
            switch expectation {
            case .answer(let text), .answerOrErrors(let text, _):
                XCTAssertEqual(body, text, "\(method) \(behaviour)")
            case .errors: XCTFail("\(method) \(behaviour): no error, but \(answer.head.status) and \(body)")
            }
            XCTAssertEqual(answer.head.status, .ok, behaviour)
        } catch {
            let error = error as? ClientError
            switch expectation {
            case .answer: XCTFail("\(method) \(behaviour): \(error as Any)")
            case .errors(let errors), .answerOrErrors(_, let errors):
                XCTAssertTrue(errors.contains { $0 == error }, "\(method) \(behaviour): \(error as Any)")
            }
        }
    }

    /// Each fault ends in its error, and none disturbs another request or a server that works correctly.
    func testEachFaultEndsInItsError() async throws {
        XCTAssertEqual(Set(Self.expectations.keys), Set(server.ports.keys))
        let server = try XCTUnwrap(server)
        // Faults that end by themselves get enough time on a busy machine; the others do not need it.
        let patient = try server.runner(timeout: .seconds(60), total: .seconds(120))
        let hasty = try server.runner(timeout: .seconds(2), total: .seconds(5))
        for method in [HTTPRequest.Method.get, .post] {
            try await withThrowingTaskGroup { group in
                for behaviour in Self.expectations.keys.sorted()
                where method == .post || behaviour != "closed-window" {
                    let runner = Self.expectations[behaviour]?.endsWithTime ?? false ? hasty : patient
                    group.addTask { try await Self.check(method, behaviour, server, runner) }
                }
                try await group.waitForAll()
            }
            try await Self.check(.get, "good", server, patient)
        }
        // A POST is never sent twice, and no request is sent more than three times.
        let counts = try server.counts("requests")
        for (behaviour, count) in counts where behaviour != "good" {
            XCTAssertLessThanOrEqual(count, 3 + 1, behaviour)
        }
    }

    /// Other requests are answered while servers send frames endlessly.
    func testFloodDoesNotDelayOtherRequests() async throws {
        let server = try XCTUnwrap(server)
        let runner = try server.runner(timeout: .seconds(120), total: .seconds(120))
        for behaviour in Self.expectations.keys.sorted()
        where behaviour.hasSuffix("flood") || behaviour.hasPrefix("endless") {
            let request = try Self.request(.get, behaviour, server)
            let flood = Task { try await runner.run(request) }
            while try server.counts("requests")[behaviour] == 0 { await Task.yield() }
            for _ in 0..<20 { try await Self.check(.get, "good", server, runner) }
            flood.cancel()
            _ = await flood.result
        }
    }

    /// A connection on which a response timed out is not reused.
    func testHangingConnectionIsNotReused() async throws {
        let runner = try server.runner()
        let request = try Self.request(.get, "silent-at-first", server)
        let error = await loginError(of: "silent-at-first") {
            try await runner.run(request, deadline: .now.advanced(by: .seconds(2)))
        }
        XCTAssertEqual(error, .timedOut)
        for _ in 0..<5 {
            let answer = try await runner.run(request)
            XCTAssertEqual(answer.body, Array("ok".utf8))
        }
        XCTAssertEqual(try server.counts("connections")["silent-at-first"], 2)
        let post = try await runner.run(try Self.request(.post, "silent-at-first", server))
        XCTAssertEqual(post.body, Array("ok".utf8))
    }

    /// GOAWAY after every fifth request, as real servers send it: no request fails.
    func testGoAwayFailsNoRequest() async throws {
        for behaviour in ["go-away-every-5", "go-away-and-answer", "one-at-a-time"] {
            let runner = try server.runner()
            let request = try Self.request(.get, behaviour, server)
            let failures = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do {
                            let body = try await runner.run(request).body
                            return body == Array("ok".utf8) ? nil : "\(body)"
                        } catch { return "\(error)" }
                    }
                }
                return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
            XCTAssertEqual(failures.count, 0, "\(behaviour): \(failures.prefix(3))")
        }
    }

    /// Streams refused before any processing: an idempotent request is retried at most twice, a POST never.
    func testRefusedStreamIsRetriedAtMostTwice() async throws {
        for (method, most) in [(HTTPRequest.Method.get, 3), (.post, 1)] {
            for behaviour in ["reset-refused", "reset", "go-away-unprocessed", "close-after-request"] {
                let before = try server.counts("requests")[behaviour] ?? 0
                let runner = try server.runner()
                let request = try Self.request(method, behaviour, server)
                let error = await loginError(of: behaviour) { try await runner.run(request) }
                XCTAssertEqual(error, .noResponse, behaviour)
                let count = try (server.counts("requests")[behaviour] ?? 0) - before
                XCTAssertTrue((1...most).contains(count), "\(method) \(behaviour): \(count)")
            }
        }
    }
}
