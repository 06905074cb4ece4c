// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

private func send(
    _ transport: ScriptedTransport,
    body: HTTPRequestBody? = nil,
    within time: Duration = .seconds(20)
) async throws -> TransportResponse {
    try await transport.send(
        HTTPRequest(method: .post, scheme: "https", authority: "a", path: "/x"),
        body: body,
        deadline: .now + time
    )
}

final class ScriptedTransportTests: XCTestCase {
    func testTransportPassesTheCommonSuite() async throws {
        try await TransportSuite(scripted: { $0 }).run()
    }

    func testAnswersComeInOrderAndRequestsAreRecorded() async throws {
        let transport = ScriptedTransport([
            .json("{}").addingHeader("X-Auth-Token", "t"), .redirect(to: "/y"), .failure(.noResponse),
        ])
        let first = try await send(transport, body: HTTPRequestBody(Array("a=1".utf8)))
        XCTAssertEqual(first.head.headerFields[HTTPField.Name("x-auth-token")!], "t")
        var body: [UInt8] = []
        for try await piece in first.body { body += piece }
        XCTAssertEqual(body, Array("{}".utf8))
        let second = try await send(
            transport,
            body: HTTPRequestBody(streaming: HTTPResponseBody(Array("b=2".utf8)))
        )
        XCTAssertEqual(second.head.headerFields[.location], "/y")
        await assertThrows(.noResponse) { try await send(transport) }
        await assertThrows(.noConnection) { try await send(transport) }
        XCTAssertEqual(transport.requests.map(\.text), ["a=1", "b=2", "", ""])
        transport.clearRequests()
        XCTAssertEqual(transport.requests.count, 0)
    }

    func testDelaysEndAtTheDeadlineOrOnCancellation() async throws {
        await assertThrows(.timedOut) {
            try await send(ScriptedTransport([.never]), within: .milliseconds(50))
        }
        await assertThrows(.timedOut) {
            try await send(ScriptedTransport([.json("{}").after(.seconds(60))]), within: .milliseconds(50))
        }
        let late = try await send(ScriptedTransport([.json("{}").after(.milliseconds(20))]))
        XCTAssertEqual(late.head.status, .ok)
        let transport = ScriptedTransport { _ in .never }
        let task = Task { try await send(transport, within: .seconds(600)) }
        while transport.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await assertThrows(.cancelled) { try await task.value }
    }

    func testClosureAnswersConcurrentRequests() async throws {
        let transport = ScriptedTransport { request in .json(request.text).after(.milliseconds(1)) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let text = Array("\(number)".utf8)
                    var answer: [UInt8] = []
                    for try await piece in try await send(transport, body: HTTPRequestBody(text)).body {
                        answer += piece
                    }
                    return answer == text
                }
            }
            for try await isRight in group { XCTAssertTrue(isRight) }
        }
        XCTAssertEqual(Set(transport.requests.map(\.text)).count, 500)
    }
}
