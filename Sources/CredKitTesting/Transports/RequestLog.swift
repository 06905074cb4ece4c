// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
internal import CredKitSystem

/// The requests that the server of a ``TransportSuite`` has received.
final class RequestLog: Sendable {
    private struct State {
        var requests: [PeerRequest] = []
        var waiting: [(path: String, continuation: AsyncStream<Void>.Continuation)] = []
    }

    private let state = Lock(State())

    func add(_ request: PeerRequest) {
        let continuations = state.withLock { state in
            state.requests.append(request)
            return state.waiting.filter { $0.path == request.path }.map(\.continuation)
        }
        for continuation in continuations { continuation.yield() }
    }

    /// Returns the requests with a path.
    func requests(_ path: String) -> [PeerRequest] {
        state.withLock { $0.requests.filter { $0.path == path } }
    }

    /// Returns when a request with a path has been received, or when the task is cancelled.
    func waitForRequest(_ path: String) async {
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
        let isThere = state.withLock { state in
            state.waiting.append((path, continuation))
            return state.requests.contains { $0.path == path }
        }
        if isThere { return }
        for await _ in arrivals { return }
    }
}
#endif
