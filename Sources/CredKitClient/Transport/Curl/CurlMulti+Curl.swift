// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit

/// A set of connections, and the transfers over them: libcurl's multi handle. Used only on the curl thread.
@safe
final class CurlMulti: @unchecked Sendable {
    /// How long idle connections are kept open.
    private static let idleTime = Duration.seconds(60)
    /// The maximum number of idle connections and handles.
    private static let maximumKeptCount = 64
    /// If a request is cancelled after this time without a byte, its connection is suspect.
    private static let suspectTime = Duration.seconds(1)

    /// Whether HTTP/2 may be used.
    let isMultiplexed: Bool
    /// A unique ID for the life of the process; `0` before the loop knows the set.
    var number: UInt32 = 0
    /// When libcurl must be called, regardless of its sockets.
    private(set) var dueAt: ContinuousClock.Instant?

    private var handle: OpaquePointer?
    /// Handles for further transfers. The most recently used one is used first, because it has its
    /// connection.
    private var handles: [OpaquePointer] = unsafe []
    private var queues: [Origin: CurlQueue] = [:]
    private var runningCount = 0
    private var lastUse = ContinuousClock.now
    private var mustCollect = false
    /// Shared connections on which a request timed out. No further request uses them, and they are closed
    /// when the current ones have ended.
    private var retired: Set<SocketEnds> = []

    init(isMultiplexed: Bool) { self.isMultiplexed = isMultiplexed }

    private var loop: CurlLoop { .shared }

    // MARK: Transfers

    /// Accepts a transfer, and starts it at once if the limit of its origin allows.
    func enqueue(_ transfer: CurlTransfer) {
        transfer.state = .queued
        let queue = queue(of: transfer.request.origin)
        transfer.queue = queue
        queue.append(transfer)
        startNext(in: queue, of: transfer.pool)
    }

    private func queue(of origin: Origin) -> CurlQueue {
        if let queue = queues[origin] { return queue }
        let queue = CurlQueue()
        queues[origin] = queue
        return queue
    }

    private func startNext(in queue: CurlQueue, of pool: CurlPool) {
        // A transfer that fails at once starts the next one in this loop, to avoid recursion.
        guard !queue.isStarting else { return }
        queue.isStarting = true
        defer { queue.isStarting = false }
        let maximum = pool.configuration.maximumConnectionsPerHost
        while let transfer = queue.next(maximumConnectionCount: maximum) {
            queue.runningCount += 1
            runningCount += 1
            run(transfer)
        }
    }

    /// Starts a transfer that is already counted as running.
    private func run(_ transfer: CurlTransfer) {
        transfer.state = .running
        do throws(ClientError) {
            let multi = unsafe try open()
            guard let easy = unsafe handles.popLast() ?? libcurl.curl_easy_init() else { throw .outOfMemory }
            unsafe transfer.easy = easy
            // A login that is bound to a connection needs it again, also for a POST.
            let keeps =
                transfer.queue?.keepsConnections ?? false || transfer.options.channelBinding != nil
            unsafe try CurlSetup.apply(
                to: easy,
                for: transfer,
                isMultiplexed: isMultiplexed,
                needsNewConnection: transfer.needsNewConnection || !(transfer.request.mayBeRepeated || keeps)
            )
            guard unsafe libcurl.curl_multi_add_handle(multi, easy) == 0 else { throw .outOfMemory }
        } catch {
            return finish(transfer, error)
        }
        if let upload = transfer.request.upload, transfer.uploadTask == nil {
            transfer.uploadTask = Task { await upload.run { CurlLoop.shared.send(.goOn(transfer)) } }
        }
    }

    /// Ends a transfer before libcurl does.
    func stop(_ transfer: CurlTransfer, _ error: ClientError) {
        if transfer.state == .queued {
            transfer.queue?.remove(transfer)
            transfer.exchange.end(error)
            loop.end(transfer)
        } else if transfer.state == .running {
            if isMultiplexed, transfer.isSent, let connection = transfer.connection, connection.ownPort > 0,
                error == .timedOut || transfer.lastActivity.advanced(by: Self.suspectTime) <= loop.now
            {
                retire(connection)
                // Prevents all waiting transfers from opening a connection each at once.
                transfer.queue?.isHTTP2 = false
            }
            finish(transfer, error)
        }
    }

    /// Whether a request may use an idle connection.
    func mayUse(_ connection: SocketEnds) -> Bool { !retired.contains(connection) }

    /// Makes the last transfer over a connection close it. Otherwise the next request would reach the same
    /// hanging or flooding peer.
    private func retire(_ connection: SocketEnds) {
        retired.insert(connection)
        for transfer in loop.transfers(over: connection) {
            guard let easy = unsafe transfer.easy else { continue }
            _ = unsafe credkit_curl_set_long(easy, Int32(CREDKIT_CURL_LONG_FORBID_REUSE), 1)
        }
    }

    /// Handles the results of transfers that libcurl has ended.
    func collect() {
        guard mustCollect, let handle = unsafe handle else { return }
        mustCollect = false
        var left: Int32 = 0
        while let message = unsafe libcurl.curl_multi_info_read(handle, &left) {
            guard unsafe message.pointee.kind == Int32(CREDKIT_CURL_MESSAGE_DONE),
                let easy = unsafe message.pointee.easy,
                let context = unsafe credkit_curl_context(easy)
            else { continue }
            let result = unsafe message.pointee.data.result
            let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            end(transfer, result)
        }
    }

    private func end(_ transfer: CurlTransfer, _ result: Int32) {
        guard transfer.state == .running, let easy = unsafe transfer.easy else { return }
        let wasKept = unsafe CurlFailure.usedKeptConnection(easy)
        if CurlFailure.isClosedConnection(result, transfer, wasKept: wasKept) {
            transfer.queue?.keepsConnections = false
            let mayRepeat = transfer.request.mayBeRepeated || !transfer.isSent
            if mayRepeat, transfer.isSent, transfer.options.isSentOnce {
                return finish(transfer, CurlFailure.closedKeptConnection, isReusable: true)
            }
            if mayRepeat, transfer.retryCount < 2, !transfer.exchange.hasEnded {
                release(transfer, isReusable: true)
                transfer.resetForRetry()
                return run(transfer)
            }
        } else if result == 0 {
            if wasKept { transfer.queue?.keepsConnections = true }
            if isMultiplexed { transfer.queue?.isHTTP2 = unsafe CurlFailure.isHTTP2(easy) }
        }
        finish(transfer, unsafe CurlFailure.error(of: result, easy, transfer), isReusable: true)
    }

    /// Ends a running transfer with an error or with a complete response. Its handle is reusable if libcurl
    /// has ended it, too.
    private func finish(_ transfer: CurlTransfer, _ error: ClientError?, isReusable: Bool = false) {
        release(transfer, isReusable: isReusable)
        runningCount -= 1
        lastUse = loop.now
        let queue = transfer.queue
        queue?.runningCount -= 1
        transfer.exchange.end(error)
        // This clears the transfer's reference to its queue, which may retain the transfer.
        loop.end(transfer)
        if !retired.isEmpty { retired = retired.filter { loop.isInUse($0) } }
        if let queue { startNext(in: queue, of: transfer.pool) }
        if runningCount == 0 { loop.lookWhenIdle(self) }
    }

    /// Takes libcurl's handle from a transfer.
    ///
    /// A handle that is taken from an unfinished transfer is not reused: libcurl buffers data in it that was
    /// received while it was paused, and would pass that data to the next transfer.
    private func release(_ transfer: CurlTransfer, isReusable: Bool) {
        guard let easy = unsafe transfer.easy else { return }
        transfer.noteUpload()
        if !isReusable, transfer.isHeldUp {
            transfer.isDropped = true
            _ = unsafe libcurl.curl_easy_pause(easy, Int32(CREDKIT_CURL_CONTINUE))
        }
        unsafe transfer.easy = nil
        transfer.isHeldUp = false
        if let handle = unsafe handle { _ = unsafe libcurl.curl_multi_remove_handle(handle, easy) }
        // A reset clears the pointer to the address list, but not the flag that the list must be read.
        _ = unsafe credkit_curl_set_pointer(easy, Int32(CREDKIT_CURL_POINTER_RESOLUTIONS), nil)
        if unsafe isReusable && handles.count < Self.maximumKeptCount {
            // The reset removes all data of the request.
            unsafe libcurl.curl_easy_reset(easy)
            unsafe handles.append(easy)
        } else {
            unsafe libcurl.curl_easy_cleanup(easy)
        }
    }

    // MARK: Times

    /// Returns the error if a transfer must end now because of a timeout; `nil` if it may continue.
    func lateness(of transfer: CurlTransfer, at now: ContinuousClock.Instant) -> ClientError? {
        if !transfer.head.isComplete, transfer.deadline <= now {
            return transfer.state == .queued
                ? .timedOut("timed out waiting for a free connection")
                : .timedOut("timed out waiting for a response")
        }
        guard transfer.state == .running, let easy = unsafe transfer.easy else {
            transfer.lastActivity = now
            return nil
        }
        // Connecting has its own timeout, and waiting for the caller does not count as silence.
        let uploaded = unsafe CurlFailure.uploadCount(easy)
        let waitsForCaller = transfer.exchange.isPaused || transfer.request.upload?.isStarved == true
        if !transfer.isSent || waitsForCaller || uploaded != transfer.lastUploadCount {
            transfer.lastUploadCount = uploaded
            transfer.lastActivity = now
            return nil
        }
        let idle = transfer.pool.configuration.idleTimeout.bounded
        return transfer.lastActivity.advanced(by: idle) <= now
            ? .timedOut("timed out: the server stopped sending") : nil
    }

    /// When the idle connections may be closed; `nil` if a transfer is running or there are no connections.
    var idleUntil: ContinuousClock.Instant? {
        guard unsafe handle != nil, runningCount == 0 else { return nil }
        return lastUse.advanced(by: Self.idleTime)
    }

    /// Whether libcurl must be called now.
    func isDue(at now: ContinuousClock.Instant) -> Bool { dueAt.map { $0 <= now } ?? false }

    // MARK: libcurl

    /// Makes libcurl handle a socket event or its timer.
    func act(on descriptor: Int32, events: Int32 = 0) {
        guard let handle = unsafe handle else { return }
        if descriptor == Int32(CREDKIT_CURL_SOCKET_TIMEOUT) { dueAt = nil }
        var count: Int32 = 0
        _ = unsafe libcurl.curl_multi_socket_action(handle, descriptor, events, &count)
        mustCollect = true
    }

    /// Makes libcurl check all transfers in the next iteration.
    func actSoon() { dueAt = loop.now }

    private func open() throws(ClientError) -> OpaquePointer {
        if let handle = unsafe handle { return unsafe handle }
        guard let new = unsafe libcurl.curl_multi_init() else { throw .outOfMemory }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let isSet = unsafe credkit_curl_multi_set_callbacks(
            new,
            context,
            { _, descriptor, what, context, _ in
                guard let context = unsafe context else { return 0 }
                let multi = unsafe Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
                CurlLoop.shared.watch(descriptor, for: what, by: multi)
                return 0
            },
            { _, milliseconds, context in
                guard let context = unsafe context else { return 0 }
                let multi = unsafe Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
                multi.dueAt =
                    milliseconds < 0 ? nil : CurlLoop.shared.now.advanced(by: .milliseconds(milliseconds))
                return 0
            }
        )
        _ = unsafe credkit_curl_multi_set_long(
            new,
            Int32(CREDKIT_CURL_MULTI_MAX_CONNECTIONS),
            Self.maximumKeptCount
        )
        guard isSet == 0 else {
            _ = unsafe libcurl.curl_multi_cleanup(new)
            throw .outOfMemory
        }
        unsafe handle = new
        return unsafe new
    }

    /// Closes all connections. No transfer may be running.
    func close() {
        while let easy = unsafe handles.popLast() { unsafe libcurl.curl_easy_cleanup(easy) }
        queues = queues.filter { !$0.value.isIdle }
        dueAt = nil
        if let handle = unsafe handle { _ = unsafe libcurl.curl_multi_cleanup(handle) }
        unsafe handle = nil
    }
}
