// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The user whose process holds the other end of a TCP connection within this computer, as the kernel lists it.
enum PeerUser {
    /// The kernel's list of the sockets of IPv4, and that of the sockets of IPv6, some of which are connected over IPv4.
    static let lists = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// More than the list of 400,000 sockets.
    private static let byteLimit = 64 << 20

    /// Returns the user; `nil` if the peer has closed its end, or is not found.
    ///
    /// - Parameter socket: A connected socket.
    /// - Returns: The user's number.
    static func user(of socket: Descriptor) -> uid_t? {
        guard let peer = SocketAddress(peerOf: socket), let own = SocketAddress(of: socket) else {
            return nil
        }
        // The list is read in pieces, between which it changes: an entry can be missed.
        for _ in 0..<3 {
            for path in peer.isIPv4 ? lists[...] : lists[1...] {
                let isMapped = peer.isIPv4 && path == lists[1]
                guard let list = try? Descriptor.open(path, O_RDONLY).readAll(limit: byteLimit),
                    let user = listedUser(
                        in: list,
                        of: "\(peer.listed(isMapped: isMapped)) \(own.listed(isMapped: isMapped))"
                    )
                else { continue }
                return user
            }
        }
        return nil
    }

    /// Returns the user of an established connection.
    ///
    /// - Parameters:
    ///   - list: The content of `/proc/net/tcp`.
    ///   - ends: The address of the user's end and that of the other one, as they stand there.
    /// - Returns: The user's number; `nil` if the connection is not there, or not open at the user's end.
    static func listedUser(in list: [UInt8], of ends: String) -> uid_t? {
        // 01 is an established connection. One that its process has closed has another state, and no user.
        let wanted = Array(": \(ends) 01 ".utf8)
        for line in list.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[colon...].starts(with: wanted)
            else {
                continue
            }
            // Queues, timer, repetitions, user, timeout, number of the file.
            let fields = line[colon...].dropFirst(wanted.count).split(separator: UInt8(ascii: " "))
            guard fields.count >= 6, let file = UInt64(String(decoding: fields[5], as: UTF8.self)), file != 0
            else { return nil }
            return uid_t(String(decoding: fields[3], as: UTF8.self))
        }
        return nil
    }
}
