// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Tells the service manager what the server is doing, as `sd_notify` does.
enum ServiceNotification {
    /// Sends a message to the socket of `NOTIFY_SOCKET`. Does nothing without one: the server then runs outside of systemd.
    static func send(_ message: String) {
        guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return }
        var path = Array(name.utf8)
        // A leading @ stands for the NUL of an abstract name.
        guard let first = path.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return }
        if first == UInt8(ascii: "@") { path[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.count < capacity else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = MemoryLayout<sockaddr_un>.size - capacity + path.count
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let bytes = Array(message.utf8)
        // The manager reports a start that it does not hear of.
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, socklen_t(length))
            }
        }
    }
}
