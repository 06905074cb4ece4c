// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// The user whose process holds the other end of a TCP connection within this computer, as the kernel tells.
enum PeerUser: Equatable {
    /// The user with this number.
    case user(uid_t)
    /// The process has closed its end, which then has no user.
    case closed
    /// There is no such connection.
    case missing

    /// The kernel's list of the sockets of IPv4, and that of the sockets of IPv6, some of which are connected over IPv4.
    static let lists = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// More than the list of 400,000 sockets.
    private static let byteLimit = 64 << 20

    /// Whether a process of a user takes the connection.
    func isTrusted(by user: uid_t) -> Bool {
        // Root's: WSL forwards the connections of Windows programs with a process of root.
        self == .user(user) || self == .user(0)
    }

    /// Finds the user of the other end of a connection.
    ///
    /// - Parameter socket: A connected socket.
    /// - Returns: The user, if the process has not closed its end.
    static func find(_ socket: Descriptor) -> PeerUser {
        guard let peer = SocketAddress(peerOf: socket), let own = SocketAddress(of: socket) else {
            return .closed
        }
        return asked(peer, own) ?? listed(peer, own)
    }

    /// Asks the kernel for one end of a connection; `nil` if it has no answer to such questions, as in some sandboxes.
    static func asked(_ end: SocketAddress, _ other: SocketAddress) -> PeerUser? {
        var user = uid_t()
        let answer = unsafe end.withBytes { end in
            unsafe other.withBytes { other in unsafe credkit_tcp_user(end, other, &user) }
        }
        return switch answer {
        case 1: .user(user)
        case 0: .closed
        case -ENOENT: .missing
        default: nil
        }
    }

    /// Looks for one end of a connection in the kernel's lists, which takes 40 ms with 10,000 sockets.
    static func listed(_ peer: SocketAddress, _ own: SocketAddress) -> PeerUser {
        // The list is read in pieces, between which it changes: an entry can be missed.
        for _ in 0..<3 {
            for path in peer.isIPv4 ? lists[...] : lists[1...] {
                let isMapped = peer.isIPv4 && path == lists[1]
                let list = try? Descriptor.open(path, O_RDONLY).readAll(limit: byteLimit)
                let ends = "\(peer.listed(isMapped: isMapped)) \(own.listed(isMapped: isMapped))"
                let user = PeerUser(in: list ?? [], ends: ends)
                if user != .missing { return user }
            }
        }
        return .missing
    }

    /// Finds the user of one end of a connection.
    ///
    /// - Parameters:
    ///   - list: The content of `/proc/net/tcp`.
    ///   - ends: The address of the user's end and that of the other one, as they stand there.
    init(in list: [UInt8], ends: String) {
        self = .missing
        let text = list + [0]
        let position = unsafe text.withUnsafeBytes { text -> Int? in
            guard let start = unsafe text.baseAddress?.assumingMemoryBound(to: CChar.self),
                let found = unsafe strstr(start, ": \(ends) ")
            else { return nil }
            return unsafe start.distance(to: UnsafePointer(found))
        }
        guard let position else { return }
        let line = text[position...].dropFirst(2).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        // Both ends, state, queues, timer, repetitions, user, timeout, number of the file; the state 1 is that of an open
        // connection.
        let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard fields.count >= 9, fields[2] == "01", fields[8] != "0", let user = uid_t(fields[6]) else {
            self = .closed
            return
        }
        self = .user(user)
    }
}
