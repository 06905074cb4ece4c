// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
internal import CredKitSystem
internal import Glibc

/// A small HTTP/1.1 server on a loopback address, with a thread for each connection.
final class LoopbackServer: Sendable {
    private let listener: Descriptor
    private let log: RequestLog
    private let connections = Lock([Int32: Descriptor]())

    /// The port.
    let port: UInt16

    /// Starts a server.
    ///
    /// - Parameter log: Gets all requests.
    /// - Throws: `SuiteFailure` if the system refuses a socket or a thread.
    init(log: RequestLog) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SuiteFailure("cannot create a socket") }
        listener = Descriptor(number)
        self.log = log
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(number, pointer, size) == 0 && getsockname(number, pointer, &size) == 0
            }
        }
        guard isBound, listen(number, 128) == 0 else { throw SuiteFailure("cannot listen on 127.0.0.1") }
        port = UInt16(bigEndian: address.sin_port)
        guard DetachedThread.start({ [self] in acceptConnections() }) else {
            throw SuiteFailure("cannot start a thread")
        }
    }

    /// Closes all connections and stops listening.
    func stop() {
        shutdown(listener.number, Int32(SHUT_RDWR))
        for connection in connections.withLock({ Array($0.values) }) {
            shutdown(connection.number, Int32(SHUT_RDWR))
        }
    }

    private func acceptConnections() {
        while true {
            let number = accept(listener.number, nil, nil)
            if number < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            let connection = Descriptor(number)
            connections.withLock { $0[number] = connection }
            _ = DetachedThread.start { [self] in
                serve(PeerConnection(connection))
                connections.withLock { _ = $0.removeValue(forKey: number) }
            }
        }
    }

    private func serve(_ connection: PeerConnection) {
        var connection = connection
        while let request = connection.readRequest() {
            log.add(request)
            guard connection.send(PeerAnswer(to: request), isHead: request.method == "HEAD") else { return }
        }
    }
}

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
