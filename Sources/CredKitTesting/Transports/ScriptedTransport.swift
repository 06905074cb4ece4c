// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
public import CredKitClient
internal import CredKitSystem
public import HTTPTypes

/// A transport without a network, for testing programs that log in.
///
/// ```swift
/// let transport = ScriptedTransport([
///     .json(#"{"key": "2026-01-02 03:04"}"#),
///     .json(#"{"userId": 7}"#).addingHeader("Set-Cookie", "sid=1"),
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

        /// All bytes of the body; empty if there is none.
        public let body: [UInt8]

        /// The body as text; invalid UTF-8 is repaired.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    private struct State: Sendable {
        var requests: [Request] = []
        var answers: ArraySlice<Answer> = []
    }

    private let state: Lock<State>
    private let answer: (@Sendable (Request) async -> Answer)?

    /// Creates a transport that returns the given answers in order, and then `noConnection`.
    ///
    /// - Parameter answers: The answers.
    public init(_ answers: [Answer]) {
        state = Lock(State(answers: answers[...]))
        answer = nil
    }

    /// Creates a transport that calls a function for each answer. Simultaneous requests call it
    /// simultaneously.
    ///
    /// - Parameter answer: Returns the answer to a request.
    public init(_ answer: @escaping @Sendable (Request) async -> Answer) {
        state = Lock(State())
        self.answer = answer
    }

    /// The requests so far, in the order in which they were sent.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Forgets the requests so far.
    public func clearRequests() { state.withLock { $0.requests = [] } }

    /// Records a request and answers it.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - body: The body; a stream is read to its end.
    ///   - deadline: When the head of the response must have been received.
    /// - Returns: The answer.
    /// - Throws: ``ClientError``: the error of the answer, `timedOut`, or `cancelled`.
    public func send(
        _ head: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> TransportResponse {
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
        // An answer that takes too long times out like a real server's.
        return try await RequestDeadline.run(until: deadline) { [answer] () async throws(ClientError) in
            var next = scripted
            if next == nil { next = await answer?(request) }
            guard let next else { throw .noConnection }
            return try await next.response()
        }
    }
}
#endif
