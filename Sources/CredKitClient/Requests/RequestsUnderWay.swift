// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The requests of a session that are under way, as far as later ones depend on them.
final class RequestsUnderWay: Sendable {
    private struct State {
        /// The requests that callers can join.
        var shared: [SharedRequest.Key: SharedRequest] = [:]
        /// The callers that hold an endpoint.
        var holders: [EndpointHold.Key: CancellableWork] = [:]
    }

    private let state = Lock(State())

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

    /// Holds an endpoint in place of the caller that holds it, which is cancelled. Of any number of callers at the same
    /// time, one remains.
    func replaceHolder(of key: EndpointHold.Key) -> EndpointHold {
        let work = CancellableWork()
        let replaced = state.withLock { $0.holders.updateValue(work, forKey: key) }
        replaced?.cancel()
        return EndpointHold(key, work, in: self)
    }

    /// Holds an endpoint; `nil` if another caller holds it.
    func hold(_ key: EndpointHold.Key) -> EndpointHold? {
        let work = CancellableWork()
        let isFree = state.withLock { state in
            guard state.holders[key] == nil else { return false }
            state.holders[key] = work
            return true
        }
        return isFree ? EndpointHold(key, work, in: self) : nil
    }

    /// Lets go of an endpoint, unless another caller has replaced this one.
    func release(_ key: EndpointHold.Key, _ work: CancellableWork) {
        state.withLock { state in
            if state.holders[key] === work { state.holders[key] = nil }
        }
    }

    /// The number of endpoints that are held.
    var heldCount: Int { state.withLock { $0.holders.count } }

    /// The number of requests that callers can join.
    var sharedCount: Int { state.withLock { $0.shared.count } }
}
