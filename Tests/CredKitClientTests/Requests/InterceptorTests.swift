// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Notes what passes it, and can change it.
private struct Probe: RequestInterceptor {
    typealias Change = @Sendable (inout HTTPRequest) -> Void

    let name: String
    let notes: Lock<[String]>
    var change: Change = { _ in }

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws -> TransportResponse {
        var request = request
        let cookie = request.headerFields[.cookie] == nil ? "" : " with cookie"
        notes.withLock {
            $0.append("\(name) \(next.attempt).\(next.redirectCount) \(request.path ?? "")\(cookie)")
        }
        change(&request)
        let response = try await next(request, body: body)
        notes.withLock { $0.append("\(name) \(response.head.status.code)") }
        return response
    }
}

/// Does what a closure does.
private struct Stand: RequestInterceptor {
    let body: @Sendable (HTTPRequest, HTTPRequestBody?, RequestChain) async throws -> TransportResponse

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws -> TransportResponse { try await self.body(request, body, next) }
}

/// A program's own stages between those of a session.
final class InterceptorTests: SessionTestCase {
    private struct Failure: Error {}

    private let notes = Lock<[String]>([])

    /// A session with a probe at each place.
    private func probed(_ change: [String: Probe.Change] = [:]) async throws -> LoginSession {
        func probe(_ name: String) -> [any RequestInterceptor] {
            [Probe(name: name, notes: notes, change: change[name] ?? { _ in })]
        }
        return try await loggedIn {
            $0.interceptors.call = probe("call")
            $0.interceptors.attempt = probe("attempt")
            $0.interceptors.hop = probe("hop")
            $0.interceptors.transport = probe("transport")
        }
    }

    func testEachStageSeesWhatItsPlacePromises() async throws {
        let session = try await probed()
        XCTAssertEqual(notes.withLock { $0 }, [], "a login passes none")
        server.script("/data") { _ in .redirect(to: "/data/next") }
        _ = try await session.send(.data)
        XCTAssertEqual(
            notes.withLock { $0 },
            [
                "call 1.0 /data", "attempt 1.0 /data", "hop 1.0 /data", "transport 1.0 /data with cookie",
                "transport 302", "hop 302", "hop 1.1 /data/next", "transport 1.1 /data/next with cookie",
                "transport 200", "hop 200", "attempt 200", "call 200",
            ]
        )
    }

    func testRenewalRepeatsAttemptsAndHopsOnly() async throws {
        let session = try await probed()
        server.expire()
        _ = try await session.send(.data)
        XCTAssertEqual(
            notes.withLock { $0 },
            [
                "call 1.0 /data", "attempt 1.0 /data", "hop 1.0 /data", "transport 1.0 /data with cookie",
                "transport 401", "hop 401", "attempt 401", "attempt 2.0 /data", "hop 2.0 /data",
                "transport 2.0 /data with cookie", "transport 200", "hop 200", "attempt 200", "call 200",
            ]
        )
    }

    func testRequestCanBeChangedAnsweredAndRepeated() async throws {
        let seen = Lock<[String]>([])
        server.script("/data") { [seen] request in
            seen.withLock { $0.append(request.head.headerFields[.acceptLanguage] ?? "none") }
            return nil
        }
        let session = try await loggedIn {
            $0.interceptors.call = [
                Stand { request, body, next in
                    guard request.path != "/answered" else {
                        return TransportResponse(
                            head: HTTPResponse(status: .ok),
                            body: HTTPResponseBody(Array(#"{"user": "made here"}"#.utf8))
                        )
                    }
                    var request = request
                    request.headerFields[.acceptLanguage] = "zh"
                    _ = try await next(request, body: body)
                    return try await next(request, body: body)
                }
            ]
        }
        let changed = try await session.value(of: .data)
        XCTAssertEqual(changed.user, "alice")
        XCTAssertEqual(seen.withLock { $0 }, ["zh", "zh"])
        let answered = try await session.value(of: Endpoint<WhoAmI>.get("/answered"))
        XCTAssertEqual(answered.user, "made here")
    }

    func testErrorsOfInterceptorsAreWrapped() async throws {
        for (thrown, expected) in [
            (Failure() as any Error, ClientError.interceptor), (CancellationError(), .cancelled),
            (ClientError.noConnection, .noConnection),
        ] {
            let session = try await loggedIn { $0.interceptors.hop = [Stand { _, _, _ in throw thrown }] }
            let error = await failure { _ = try await session.send(.data) }
            XCTAssertEqual(error, expected)
            if thrown is Failure { XCTAssertTrue(error?.underlying is Failure) }
        }
    }

    // The credentials of one server must not reach another one because an interceptor has changed the address.
    func testServerIsNotChangedAfterRedirects() async throws {
        for place in ["hop", "transport"] {
            for change in [
                { $0.authority = "127.0.0.1:2" }, { $0.authority = "127.0.0.1:1@other" },
                { $0.scheme = "https" },
                { $0.path = "@other/data" },
            ] as [Probe.Change] {
                let session = try await probed([place: change])
                let error = await failure { _ = try await session.send(.data) }
                XCTAssertEqual(error, .invalidRequest, place)
            }
        }
        XCTAssertEqual(server.dataTries, 0)
        // In front of redirects it may change, and gets no credentials there.
        notes.withLock { $0 = [] }
        let session = try await probed(["call": { $0.authority = "localhost:1" }])
        let error = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(error?.statusCode, 401)
        XCTAssertFalse(notes.withLock { $0 }.contains { $0.hasSuffix("/data with cookie") })
    }

    func testFramingHeadersAreRefusedAtEveryPlace() async throws {
        for place in ["call", "attempt", "hop", "transport"] {
            for name in ["Content-Length", "Transfer-Encoding", "Host", "Connection"] {
                let field = try XCTUnwrap(HTTPField.Name(name))
                let session = try await probed([place: { $0.headerFields[field] = "0" }])
                let error = await failure { _ = try await session.send(.data) }
                XCTAssertEqual(error, .invalidRequest, "\(place) \(name)")
            }
        }
        XCTAssertEqual(server.dataTries, 0)
    }

    func testPathsOfCookiesAreThoseOfTheChangedRequest() async throws {
        let session = try await probed(["hop": { $0.path = "/data/changed" }])
        let paths = Lock<[String?]>([])
        server.script("/data/changed") { request in
            paths.withLock { $0.append(request.head.headerFields[.cookie]) }
            return ScriptedTransport.Answer.json(#"{"user": "x"}"#).addingHeader("Set-Cookie", "deep=1")
        }
        _ = try await session.send(.data)
        XCTAssertEqual(session.cookies.first { $0.name == "deep" }?.path, "/data")
        XCTAssertEqual(paths.withLock { $0.count }, 1)
    }

    func testInterceptorThatHangsEndsAtTheDeadline() async throws {
        let session = try await loggedIn {
            $0.timeouts.total = .seconds(1)
            $0.interceptors.call = [
                Stand { request, body, next in
                    try? await Task.sleep(for: .seconds(600))
                    return try await next(request, body: body)
                }
            ]
        }
        let error = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(error, .timedOut)
        XCTAssertEqual(server.dataTries, 0)
    }
}
