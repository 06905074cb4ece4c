// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The transfers to one origin: the number of running ones, the waiting ones, and facts about the server.
///
/// Used only on the curl thread. libcurl's own limit of connections per host is not used, because libcurl
/// would examine waiting transfers again and again.
final class CurlQueue {
    /// The maximum number of streams on an HTTP/2 connection, unless the server allows fewer.
    static let maximumStreamCount = 100

    var runningCount = 0
    /// Whether the server has responded over HTTP/2.
    var isHTTP2 = false
    /// Whether a reused connection has carried another request, and none was found closed since. Only then
    /// may a request that must not be sent twice use an existing connection.
    var keepsConnections = false
    /// Whether the next transfers are being started.
    var isStarting = false
    private var waiting: [CurlTransfer?] = []
    private var first = 0

    /// Whether no transfer is running or waiting.
    var isIdle: Bool { runningCount == 0 && first == waiting.count }

    func append(_ transfer: CurlTransfer) { waiting.append(transfer) }

    /// Returns the next transfer that may run.
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
