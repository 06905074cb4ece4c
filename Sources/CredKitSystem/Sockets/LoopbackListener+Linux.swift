// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// Listens on this computer's loopback address, for processes of this user and of root. Only ``wait(for:atMost:)`` blocks: it
/// is for a thread of its own, which ``wake()`` wakes.
package final class LoopbackListener: Sendable {
    /// Where to listen.
    package enum Host: Sendable {
        /// On 127.0.0.1.
        case ipv4
        /// On ::1.
        case ipv6
        /// On 127.0.0.1, and on ::1 if this computer has no IPv4.
        case ipv4OrIPv6
        /// On both with one port, or on the one that this computer has: a program that looks up `localhost` may choose
        /// either, and another user's process could hold the other.
        case both
    }

    /// What a connection waits for.
    package enum Interest: Sendable {
        /// To receive something.
        case receiving
        /// To send something.
        case sending
        /// Nothing but the loss of the connection.
        case loss
    }

    /// What can go on.
    package struct Readiness: Sendable {
        /// Whether there are connections to accept.
        package let hasNewConnections: Bool
        /// For each connection whether it can go on, or is lost.
        package let connections: [Bool]
    }

    private struct Failure: Error {
        let number: Int32
        /// Whether the computer has no such address, so that no other program can have it either.
        var isAbsence: Bool { number == EAFNOSUPPORT || number == EADDRNOTAVAIL }
    }

    /// How many connections wait to be accepted.
    private static let backlog: Int32 = 64

    /// The port.
    package let port: UInt16
    /// Whether it listens on 127.0.0.1; otherwise on ::1 alone.
    package let hasIPv4: Bool
    private let sockets: [Descriptor]
    private let waker: Descriptor
    private let wakened: Descriptor

    /// Listens.
    ///
    /// - Parameters:
    ///   - host: Where.
    ///   - port: The port; 0 for one that the system chooses.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError`` if the port is taken, there is no such address, or the users of peers cannot be told.
    package init(_ host: Host, port: UInt16, _ operation: String) throws(SystemError) {
        _ = try Descriptor.open(PeerUser.lists[0], O_RDONLY)
        do throws(Failure) {
            switch host {
            case .ipv4: sockets = [try Self.listening(AF_INET, port)]
            case .ipv6: sockets = [try Self.listening(AF_INET6, port)]
            case .ipv4OrIPv6:
                if let socket = try Self.listeningIfPresent(AF_INET, port) {
                    sockets = [socket]
                } else {
                    sockets = [try Self.listening(AF_INET6, port)]
                }
            case .both: sockets = try Self.listeningOnBoth(port)
            }
        } catch {
            throw SystemError(error.number, operation)
        }
        let address = sockets.first.flatMap { SocketAddress(of: $0) }
        self.port = address?.port ?? 0
        hasIPv4 = address?.isIPv4 ?? false
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError(errno, operation) }
        (waker, wakened) = (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    /// Accepts the first connection that waits at each address. Those of other users, and those that the peer has closed, are
    /// closed: all users can read the arguments of a browser, and thereby what to send here.
    ///
    /// - Returns: The others.
    package func accept() -> [LoopbackConnection] {
        sockets.compactMap { socket in
            let number = credkit_accept(socket.number)
            guard number >= 0 else {
                // Without a free descriptor the connection waits on, and this thread must not spin.
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
                    usleep(10_000)
                }
                return nil
            }
            let connection = Descriptor(number)
            guard PeerUser.find(connection).isTrusted(by: geteuid()) else { return nil }
            return LoopbackConnection(connection)
        }
    }

    /// Waits until a connection can go on, there is a new one, or another thread calls ``wake()``.
    ///
    /// - Parameters:
    ///   - connections: The connections, and what each waits for.
    ///   - time: How long to wait at most.
    /// - Returns: What can go on.
    package func wait(
        for connections: [(connection: LoopbackConnection, interest: Interest)],
        atMost time: Duration
    ) -> Readiness {
        var polled = [pollfd(fd: wakened.number, events: Int16(POLLIN), revents: 0)]
        for socket in sockets { polled.append(pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)) }
        let firstConnection = polled.count
        for (connection, interest) in connections {
            let events: Int32 =
                switch interest {
                case .receiving: POLLIN
                case .sending: POLLOUT
                case .loss: 0
                }
            polled.append(pollfd(fd: connection.socket.number, events: Int16(events), revents: 0))
        }
        let (seconds, attoseconds) = max(.zero, time).components
        let milliseconds =
            min(seconds, 1000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        guard unsafe poll(&polled, nfds_t(polled.count), Int32(milliseconds)) > 0 else {
            return Readiness(hasNewConnections: false, connections: connections.map { _ in false })
        }
        if polled[0].revents != 0 { takeWakeUps() }
        return Readiness(
            hasNewConnections: polled[1..<firstConnection].contains { $0.revents != 0 },
            connections: polled[firstConnection...].map { $0.revents != 0 }
        )
    }

    /// Refuses connections from now on, also where another thread still has the listener.
    package func stop() { for socket in sockets { shutdown(socket.number, Int32(SHUT_RDWR)) } }

    /// Ends the present call of ``wait(for:atMost:)``, or the next one.
    package func wake() {
        var one: UInt8 = 1
        // If there is no room, it has been woken often enough.
        _ = unsafe send(waker.number, &one, 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    private func takeWakeUps() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe recv(wakened.number, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == bytes.count {}
    }

    private static func listeningOnBoth(_ port: UInt16) throws(Failure) -> [Descriptor] {
        var attempts = 0
        while true {
            attempts += 1
            do throws(Failure) {
                guard let first = try listeningIfPresent(AF_INET, port) else {
                    return [try listening(AF_INET6, port)]
                }
                let chosen = SocketAddress(of: first)?.port ?? 0
                guard let second = try listeningIfPresent(AF_INET6, chosen) else { return [first] }
                return [first, second]
            } catch {
                // The port that is free at the first address is another program's at the second.
                guard port == 0, error.number == EADDRINUSE, attempts < 20 else { throw error }
            }
        }
    }

    private static func listeningIfPresent(_ family: Int32, _ port: UInt16) throws(Failure) -> Descriptor? {
        do throws(Failure) {
            return try listening(family, port)
        } catch {
            if error.isAbsence { return nil }
            throw error
        }
    }

    private static func listening(_ family: Int32, _ port: UInt16) throws(Failure) -> Descriptor {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let number = socket(family, Int32(type), 0)
        guard number >= 0 else { throw Failure(number: errno) }
        let socket = Descriptor(number)
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A port is free although connections to it have just ended. Two programs can still not listen on one.
        unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, size)
        guard SocketAddress(loopback: family, port: port).bind(socket) == 0, listen(number, backlog) == 0
        else {
            throw Failure(number: errno)
        }
        return socket
    }
}
