// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
internal import CredKitClient
internal import HTTPTypes

extension TransportSuite {
    func reportsEarlyEnds(_ client: SuiteClient) async throws {
        // A POST, which must not be repeated.
        try await client.expect(.noResponse, from: "a connection that ends without a response") {
            _ = try await client.send("/no-response", method: .post, body: HTTPRequestBody([1]))
        }
        _ = try client.onlyRequest("/no-response")
        let response = try await client.send("/half")
        try SuiteFailure.expect(response.head.status.code, toEqual: 200, "the status of half a response")
        try await client.expect(.noResponse, from: "reading a body that ends early") {
            for try await _ in response.body {}
        }
    }

    func enforcesDeadlines(_ client: SuiteClient) async throws {
        try await client.expect(.timedOut, from: "a server that does not answer") {
            _ = try await client.send("/silent", within: .milliseconds(100))
        }
    }

    func endsCancelledRequests(_ client: SuiteClient) async throws {
        let isCancelled = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await client.send("/echo")
        }
        try await client.expect(.cancelled, from: "a request of a cancelled task") {
            try await isCancelled.value
        }
        let waiting = Task { _ = try await client.send("/silent") }
        await client.log.waitForRequest("/silent")
        waiting.cancel()
        try await client.expect(.cancelled, from: "a request that is cancelled") { try await waiting.value }
        let (pieces, continuation) = AsyncStream.makeStream(of: Int.self)
        let reading = Task {
            for try await piece in try await client.send("/stalled").body { continuation.yield(piece.count) }
        }
        for await _ in pieces { break }
        reading.cancel()
        try await client.expect(.cancelled, from: "reading a body, cancelled") { try await reading.value }
        try SuiteFailure.expect(
            client.log.requests("/echo").count,
            toEqual: 0,
            "requests of a cancelled task"
        )
    }

    func reportsStreamErrors(_ client: SuiteClient) async throws {
        struct StreamError: Error {}
        for byteCount in [nil, Int64(10)] {
            let stream = HTTPResponseBody {
                var rest: [UInt8]? = Array("part".utf8)
                return .init {
                    defer { rest = nil }
                    guard let rest else { throw StreamError() }
                    return rest
                }
            }
            let body = HTTPRequestBody(streaming: stream, byteCount: byteCount)
            try await client.expect(.requestBody, from: "a request stream that throws") {
                _ = try await client.send("/echo", method: .put, body: body)
            }
        }
        let count = client.log.requests("/echo").count
        try SuiteFailure.expect(count, toEqual: 0, "complete requests with a stream that throws")
    }
}
#endif
