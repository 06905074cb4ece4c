// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
internal import CredKitClient
internal import HTTPTypes

/// Sends the requests of one part of a ``TransportSuite``.
struct SuiteClient: Sendable {
    let peer: TransportSuite.Peer
    let log: RequestLog

    /// Sends a request, with a deadline that is never reached by default.
    func send(
        _ path: String,
        method: HTTPRequest.Method = .get,
        fields: HTTPFields = [:],
        body: HTTPRequestBody? = nil,
        within time: Duration = .seconds(600)
    ) async throws -> TransportResponse {
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: peer.authority,
            path: path,
            headerFields: fields
        )
        return try await peer.transport.send(head, body: body, deadline: .now + time)
    }

    /// Sends a request and reads the whole response.
    func collect(
        _ path: String,
        method: HTTPRequest.Method = .get,
        fields: HTTPFields = [:],
        body: HTTPRequestBody? = nil
    ) async throws -> (head: HTTPResponse, body: [UInt8]) {
        let response = try await send(path, method: method, fields: fields, body: body)
        var bytes: [UInt8] = []
        for try await piece in response.body { bytes += piece }
        return (response.head, bytes)
    }

    /// Returns the only request with a path.
    func onlyRequest(_ path: String) throws(SuiteFailure) -> PeerRequest {
        let requests = log.requests(path)
        try SuiteFailure.expect(requests.count, toEqual: 1, "the number of requests to \(path)")
        return requests[0]
    }

    /// Requires that a call fails with a code, as CredKit reports its error.
    func expect(
        _ code: ClientError.Code,
        from subject: String,
        _ call: () async throws -> Void
    ) async throws(SuiteFailure) {
        do {
            try await call()
        } catch {
            let error = ClientError.wrapping(error, as: .transport)
            let text = "\(error.code): \(error)\(error.underlying.map { " (\($0))" } ?? "")"
            return try SuiteFailure.check(error.code == code, "\(subject): expected \(code), got \(text)")
        }
        throw SuiteFailure("\(subject): expected \(code), but it succeeded")
    }
}
#endif
