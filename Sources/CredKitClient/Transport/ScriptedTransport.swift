// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
public import HTTPTypes

/// A transport without a network, for the tests of programs that log in.
///
/// ```swift
/// let transport = ScriptedTransport([
///     .json(#"{"key": "2026-01-02 03:04"}"#),
///     .json(#"{"userId": 7}"#).setting("Set-Cookie", "sid=1"),
///     .failure(.noConnection),
/// ])
/// …
/// transport.requests.map(\.head.path)                     // ["/hmackey.php", "/loginhmac.php", …]
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// A request that was sent.
    public struct Request: Sendable {
        /// The head.
        public let head: HTTPRequest

        /// The bytes of the body, all of them; empty for none.
        public let body: [UInt8]

        /// The body as text, bytes that are no UTF-8 repaired.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    private struct State: Sendable {
        var requests: [Request] = []
        var answers: ArraySlice<Answer> = []
    }

    private let state: Lock<State>
    private let answer: (@Sendable (Request) async -> Answer)?

    /// A transport that gives one answer after the other, and to further requests `noConnection`.
    ///
    /// - Parameter answers: The answers.
    public init(_ answers: [Answer]) {
        state = Lock(State(answers: answers[...]))
        answer = nil
    }

    /// A transport that asks for each answer. Requests that are under way together ask together.
    ///
    /// - Parameter answer: Gets a request and answers it.
    public init(_ answer: @escaping @Sendable (Request) async -> Answer) {
        state = Lock(State())
        self.answer = answer
    }

    /// The requests until now, in the order in which they were sent.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Forgets the requests until now.
    public func forgetRequests() { state.withLock { $0.requests = [] } }

    /// Records a request and answers it.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - body: The body; a stream is read to its end.
    ///   - deadline: When the head of the response must have come at the latest.
    /// - Returns: The answer.
    /// - Throws: ``LoginError``: what the answer says, `timedOut`, or `cancelled`.
    public func send(
        _ head: HTTPRequest,
        body: RequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws(LoginError) -> TransportResponse {
        guard !Task.isCancelled else { throw .cancelled }
        var bytes: [UInt8] = []
        switch body?.content {
        case nil: break
        case .bytes(let all): bytes = all
        case .stream(let stream, _): for try await piece in stream { bytes += piece }
        }
        let request = Request(head: head, body: bytes)
        let scripted = state.withLock { state -> Answer? in
            state.requests.append(request)
            return answer == nil ? state.answers.popFirst() ?? .failure(.noConnection) : nil
        }
        // A script that waits is cut off as a server would be.
        return try await DeadlineWatch.shared.run(until: deadline) { [answer] () async throws(LoginError) in
            var next = scripted
            if next == nil { next = await answer?(request) }
            guard let next else { throw .noConnection }
            return try await next.response()
        }
    }
}
