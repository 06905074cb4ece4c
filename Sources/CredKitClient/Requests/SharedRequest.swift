// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes

/// One request that any number of callers wait for.
final class SharedRequest: Sendable {
    /// Everything that makes two requests equal.
    struct Key: Hashable, Sendable {
        let method: HTTPRequest.Method
        let url: HTTPURL
        /// The header lines: text would be compared as Unicode, not byte by byte.
        let headers: [UInt8]
        let body: [UInt8]?
        /// The user, whose cookies and token the request has.
        let user: Int
        /// Who signs the request; `nil` if it is unsigned.
        let signer: String?
        /// It decides whether the response means that the login has expired.
        let envelope: Envelope
        let cachePolicy: CachePolicy

        /// The rest rarely differs, and takes longer.
        func hash(into hasher: inout Hasher) {
            hasher.combine(url)
            hasher.combine(body)
        }
    }

    /// The response and what became of the request.
    typealias Answer = (response: TransportResponse, outcome: RequestOutcome)

    private struct State {
        var callerCount = 1
        var isDone = false
        var cancel: (@Sendable () -> Void)?
    }

    let key: Key
    /// The end of the time of the caller that has begun it.
    let deadline: ContinuousClock.Instant
    private let state = Lock(State())
    private let answer = SharedOutcome<Answer, ClientError>()

    /// Creates a request with one caller.
    init(_ key: Key, until deadline: ContinuousClock.Instant) {
        self.key = key
        self.deadline = deadline
    }

    /// Begins the request, in a task of its own: it does not end with the caller that has begun it.
    ///
    /// - Parameters:
    ///   - work: Sends the request.
    ///   - isDone: Called when there is an answer, before callers get it.
    func begin(
        _ work: @escaping @Sendable () async throws(ClientError) -> Answer,
        isDone: @escaping @Sendable () -> Void
    ) {
        let task = Task.immediate { [state, answer] in
            let result: Result<Answer, ClientError>
            do throws(ClientError) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            isDone()
            state.withLock { $0.isDone = true }
            answer.give(result)
        }
        state.withLock { state in
            if !state.isDone { state.cancel = { task.cancel() } }
        }
    }

    /// Adds a caller, unless all callers have left: then the request is being cancelled.
    func join() -> Bool {
        state.withLock { state in
            guard state.callerCount > 0 else { return false }
            state.callerCount += 1
            return true
        }
    }

    /// Removes a caller.
    ///
    /// - Returns: Whether it was the last one, and there is no answer yet.
    func leave() -> Bool {
        state.withLock { state in
            state.callerCount -= 1
            return state.callerCount == 0 && !state.isDone
        }
    }

    /// Cancels the request. It has no effect when there is an answer.
    func cancel() { state.withLock { $0.cancel }?() }

    /// Waits for the answer.
    func value() async throws(ClientError) -> Answer { try await answer.value() }
}
