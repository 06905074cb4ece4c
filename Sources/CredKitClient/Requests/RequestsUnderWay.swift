// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The requests of a session that are under way, as far as later ones depend on them.
final class RequestsUnderWay: Sendable {
    private struct State {
        /// The requests that callers can join.
        var shared: [SharedRequest.Key: SharedRequest] = [:]
        /// The endpoints of callers that let later ones be ignored.
        var exclusive: Set<String> = []
    }

    private let state = Lock(State())
    /// The callers that later ones replace.
    let replaceable = CancellationGroup()

    /// Joins an equal request, or registers a new one.
    ///
    /// - Parameters:
    ///   - key: What makes requests equal.
    ///   - deadline: The end of the caller's time.
    /// - Returns: The request, and whether the caller must begin it.
    func join(
        _ key: SharedRequest.Key,
        until deadline: ContinuousClock.Instant
    ) -> (request: SharedRequest, isNew: Bool) {
        state.withLock { state in
            if let request = state.shared[key], request.join() { return (request, false) }
            let request = SharedRequest(key, until: deadline)
            state.shared[key] = request
            return (request, true)
        }
    }

    /// Removes a caller from a request, which is cancelled with its last caller.
    func leave(_ request: SharedRequest) {
        guard request.leave() else { return }
        close(request)
        request.cancel()
    }

    /// Ends joining a request.
    func close(_ request: SharedRequest) {
        state.withLock { state in
            if state.shared[request.key] === request { state.shared[request.key] = nil }
        }
    }

    /// Ends joining the present requests: what they read may be about to change, or has changed.
    ///
    /// - Parameter key: A request that can still be joined.
    func closeAll(except key: SharedRequest.Key?) {
        state.withLock { state in
            let kept = key.flatMap { key in state.shared[key].map { [key: $0] } }
            state.shared = kept ?? [:]
        }
    }

    /// Reserves an endpoint.
    ///
    /// - Parameter endpoint: The endpoint.
    /// - Returns: Whether no other caller has reserved it.
    func reserve(_ endpoint: String) -> Bool {
        state.withLock { $0.exclusive.insert(endpoint).inserted }
    }

    /// Ends a reservation.
    func release(_ endpoint: String) { state.withLock { _ = $0.exclusive.remove(endpoint) } }
}
