// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The transfers to one origin: how many run, which wait, and what is known of the server.
///
/// The curl thread's alone. libcurl's own limit of connections to a host is not used: with it, waiting transfers are
/// looked at again and again.
final class CurlQueue {
    /// How many streams share an HTTP/2 connection, unless the server allows fewer.
    static let maximumStreamCount = 100

    var runningCount = 0
    /// Whether the server has answered over HTTP/2.
    var isHTTP2 = false
    /// Whether a connection that was kept has carried another request, and none was found closed since. A request that
    /// must not be sent twice goes over a kept connection only then.
    var keepsConnections = false
    /// Whether the next ones are being started.
    var isStarting = false
    private var waiting: [CurlTransfer?] = []
    private var first = 0

    /// Whether nothing runs and nothing waits.
    var isIdle: Bool { runningCount == 0 && first == waiting.count }

    func append(_ transfer: CurlTransfer) { waiting.append(transfer) }

    /// The next transfer that may run.
    func next(maximumConnectionCount: Int) -> CurlTransfer? {
        let limit =
            isHTTP2 && keepsConnections
            ? max(maximumConnectionCount, Self.maximumStreamCount) : max(1, maximumConnectionCount)
        guard runningCount < limit, first < waiting.count else { return nil }
        let transfer = waiting[first]
        waiting[first] = nil
        first += 1
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 256, first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        return transfer
    }

    func remove(_ transfer: CurlTransfer) {
        guard let index = waiting[first...].firstIndex(where: { $0 === transfer }) else { return }
        waiting.remove(at: index)
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            first = 0
        }
    }
}
