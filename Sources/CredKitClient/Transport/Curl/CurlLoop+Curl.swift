// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CCredKitCurl
internal import CredKit
internal import Glibc

/// The thread that drives libcurl for all transports of the process. It sleeps until a socket is ready, a
/// timer expires or a task sends a command. It wakes tasks once per iteration, for everything received in it.
@safe
final class CurlLoop: @unchecked Sendable {
    static let shared = CurlLoop()

    /// The commands from tasks to the thread.
    enum Command {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        /// A body was read, or there is more of an upload.
        case goOn(CurlTransfer)
        /// A pool was deallocated.
        case close([CurlMulti])
    }

    private struct Inbox {
        var commands: [Command] = []
        var isAsleep = false
        var isStarted = false
    }

    private let inbox = Lock(Inbox())
    private var epoll: Int32 = -1
    private var wakeUp: Int32 = -1

    // The following state belongs to the thread.

    /// The time when the current iteration began.
    private(set) var now = ContinuousClock.now
    /// The number of the current iteration.
    private(set) var turn: UInt32 = 0
    private var transfers: [UInt64: CurlTransfer] = [:]
    private var lastNumber: UInt64 = 0
    private var multis: [UInt32: CurlMulti] = [:]
    private var lastMultiNumber: UInt32 = 0
    private var sockets: [Int32: CurlSocket] = [:]
    private var descriptors: [SocketEnds: Int32] = [:]
    /// Transfers for which something was received.
    private var touched: [CurlTransfer] = []
    private var nextCheck: ContinuousClock.Instant?

    private init() {}

    // MARK: For tasks

    /// Starts the thread unless it is running.
    func start() throws(ClientError) {
        try CurlLibrary.load()
        try inbox.withLock { (inbox) throws(ClientError) in
            guard !inbox.isStarted else { return }
            if epoll < 0 { epoll = credkit_epoll_create() }
            if wakeUp < 0 { wakeUp = credkit_eventfd_create() }
            guard epoll >= 0, wakeUp >= 0,
                credkit_epoll_add_wake_up(epoll, wakeUp, UInt64.max) == 0,
                DetachedThread.start({ self.run() })
            else { throw .outOfMemory }
            inbox.isStarted = true
        }
    }

    /// Sends a command to the thread.
    func send(_ command: Command) {
        let mustWake = inbox.withLock { inbox in
            // Without a thread there is nothing to end or close.
            guard inbox.isStarted else { return false }
            inbox.commands.append(command)
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if mustWake { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        _ = unsafe write(wakeUp, &one, 8)
    }

    // MARK: The thread

    private func run() {
        credkit_curl_note_sockets { descriptor, isOpen in
            CurlLoop.shared.note(descriptor, isOpen: isOpen != 0)
        }
        // Block SIGPIPE: a write to a closed peer returns an error instead.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        var commands: [Command] = []
        var events = [credkit_epoll_event](repeating: credkit_epoll_event(), count: 64)
        while true {
            now = .now
            turn &+= 1
            inbox.withLock { inbox in
                inbox.isAsleep = false
                swap(&commands, &inbox.commands)
            }
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
            for multi in multis.values where multi.isDue(at: now) {
                multi.act(on: Int32(CREDKIT_CURL_SOCKET_TIMEOUT))
            }
            for multi in multis.values { multi.collect() }
            checkTimes()
            flush()
            wait(&events)
        }
    }

    private func perform(_ command: Command) {
        switch command {
        case .start(let transfer):
            guard transfer.state == .new else { return }
            guard !transfer.exchange.hasEnded else { return end(transfer) }
            lastNumber += 1
            transfer.number = lastNumber
            transfer.lastActivity = now
            transfers[transfer.number] = transfer
            let multi = transfer.multi
            if multi.number == 0 {
                lastMultiNumber += 1
                multi.number = lastMultiNumber
                multis[multi.number] = multi
            }
            multi.enqueue(transfer)
            look(at: transfer.nextCheck)
        case .cancel(let transfer):
            if transfer.state == .new || transfer.state == .ended {
                end(transfer)
            } else {
                transfer.multi.stop(transfer, .cancelled)
            }
        case .goOn(let transfer): goOn(transfer)
        case .close(let closed):
            for multi in closed where multi.number != 0 {
                multi.close()
                multis[multi.number] = nil
            }
        }
    }

    /// Makes libcurl continue a paused transfer.
    private func goOn(_ transfer: CurlTransfer) {
        guard transfer.state == .running, let easy = unsafe transfer.easy else { return }
        transfer.lastActivity = now
        transfer.isHeldUp = false
        _ = unsafe libcurl.curl_easy_pause(easy, Int32(CREDKIT_CURL_CONTINUE))
        transfer.multi.actSoon()
    }

    /// Wakes tasks for the data received in this iteration.
    private func flush() {
        let flushed = touched
        touched.removeAll(keepingCapacity: true)
        for transfer in flushed {
            transfer.isTouched = false
            transfer.noteUpload()
            if transfer.exchange.flush() { goOn(transfer) }
        }
    }

    /// Records that something was received for a transfer.
    func touch(_ transfer: CurlTransfer) {
        transfer.lastActivity = now
        guard !transfer.isTouched else { return }
        transfer.isTouched = true
        touched.append(transfer)
    }

    /// Forgets a transfer that has ended.
    func end(_ transfer: CurlTransfer) {
        transfer.state = .ended
        transfer.queue = nil
        transfer.uploadTask?.cancel()
        transfer.uploadTask = nil
        transfer.request.upload?.cancel()
        transfers[transfer.number] = nil
    }

    /// Returns the running transfer with a number.
    func transfer(_ number: UInt64) -> CurlTransfer? { transfers[number] }

    // MARK: Times

    private func look(at instant: ContinuousClock.Instant) {
        if nextCheck.map({ instant < $0 }) ?? true { nextCheck = instant }
    }

    /// Ends transfers that take too long. All transfers are checked together when the first one may be late.
    private func checkTimes() {
        guard let due = nextCheck, due <= now else { return }
        nextCheck = nil
        for transfer in Array(transfers.values) {
            let multi = transfer.multi
            if let error = multi.lateness(of: transfer, at: now) {
                multi.stop(transfer, error)
            } else {
                look(at: max(transfer.nextCheck, now.advanced(by: .milliseconds(1))))
            }
        }
        for multi in multis.values {
            guard let idleUntil = multi.idleUntil else { continue }
            if idleUntil <= now { multi.close() } else { look(at: idleUntil) }
        }
    }

    /// Schedules a check for when an idle multi may close its connections.
    func lookWhenIdle(_ multi: CurlMulti) { if let instant = multi.idleUntil { look(at: instant) } }

    // MARK: Sockets

    private func wait(_ events: inout [credkit_epoll_event]) {
        var next = nextCheck
        for multi in multis.values {
            if let due = multi.dueAt, next.map({ due < $0 }) ?? true { next = due }
        }
        var milliseconds: Int32 = -1
        if let next {
            let left = now.duration(to: next)
            milliseconds = left <= .zero ? 0 : Int32(clamping: left.milliseconds + 1)
        }
        let isEmpty = inbox.withLock { inbox in
            inbox.isAsleep = inbox.commands.isEmpty && milliseconds != 0
            return inbox.commands.isEmpty
        }
        let count = unsafe credkit_epoll_wait(epoll, &events, Int32(events.count), isEmpty ? milliseconds : 0)
        // Commands that arrive from now on are handled in the next iteration.
        inbox.withLock { $0.isAsleep = false }
        guard count > 0 else { return }
        now = .now
        for event in events[..<Int(count)] {
            if event.tag == UInt64.max { continue }
            let descriptor = Int32(truncatingIfNeeded: event.tag)
            guard let socket = sockets[descriptor], let multi = multis[UInt32(event.tag >> 32)] else {
                credkit_epoll_remove(epoll, descriptor)
                continue
            }
            guard socket.wanted != 0 else {
                // Something was received on an idle connection. It is detected when the connection is about
                // to be reused.
                credkit_epoll_remove(epoll, descriptor)
                sockets[descriptor]?.registered = 0
                continue
            }
            // The number of a closed socket may have been reused.
            guard socket.multi == multi.number else { continue }
            multi.act(on: descriptor, events: event.events)
        }
    }

    /// Registers the events of a socket that libcurl waits for.
    func watch(_ descriptor: Int32, for what: Int32, by multi: CurlMulti) {
        var socket = sockets[descriptor] ?? CurlSocket(isOwn: false)
        let events = what == Int32(CREDKIT_CURL_POLL_REMOVE) ? 0 : what & Int32(CREDKIT_CURL_POLL_BOTH)
        socket.wanted = events
        if events == 0 {
            // An idle connection stays registered, because most are soon reused.
            if !socket.isOwn {
                credkit_epoll_remove(epoll, descriptor)
                sockets[descriptor] = nil
                return
            }
        } else if !socket.isOwn || socket.registered != events || socket.multi != multi.number {
            socket.multi = multi.number
            let tag = UInt64(multi.number) << 32 | UInt64(UInt32(bitPattern: descriptor))
            if credkit_epoll_set(epoll, descriptor, events, tag) == 0 { socket.registered = events }
        }
        sockets[descriptor] = socket
    }

    private func note(_ descriptor: Int32, isOpen: Bool) {
        if let ends = sockets[descriptor]?.ends { descriptors[ends] = nil }
        sockets[descriptor] = isOpen ? CurlSocket(isOwn: true) : nil
    }

    /// Returns the socket of a connection; `nil` if it is unknown, for example over a Unix socket.
    func descriptor(of ends: SocketEnds) -> Int32? {
        if let descriptor = descriptors[ends] { return descriptor }
        for (descriptor, socket) in sockets where socket.isOwn && socket.ends == nil {
            guard let ends = SocketEnds(of: descriptor) else { continue }
            sockets[descriptor]?.ends = ends
            descriptors[ends] = descriptor
        }
        return descriptors[ends]
    }

    /// Returns the transfers that use a connection.
    func transfers(over ends: SocketEnds) -> [CurlTransfer] {
        transfers.values.filter { $0.state == .running && $0.connection == ends }
    }

    /// Whether a transfer uses a connection.
    func isInUse(_ ends: SocketEnds) -> Bool {
        transfers.values.contains { $0.state == .running && $0.connection == ends }
    }
}

/// The state of a socket of libcurl.
private struct CurlSocket {
    /// Whether the socket's opening was observed and its closing will be: true for connections, false for
    /// name lookups.
    var isOwn: Bool
    /// The events that libcurl waits for, and those that are registered with the kernel.
    var wanted: Int32 = 0
    var registered: Int32 = 0
    /// The number of the multi that uses the socket.
    var multi: UInt32 = 0
    /// The endpoints of the connection, once they were looked up.
    var ends: SocketEnds?
}
