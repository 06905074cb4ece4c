// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc
import ServiceLifecycle

/// Ends the server gracefully. Its service group stops services in reverse order, so that this one, the last, learns of a
/// signal first.
struct ServerDrain: Service {
    /// The time that running requests get to complete when the server stops.
    static let timeout = Duration.seconds(10)
    /// The time in which a request may come on a connection that has none when the server stops: a proxy has chosen the
    /// connection already, or opened it for the request.
    static let requestTime = Duration.seconds(1)

    let health: ServerHealth
    let listener: ServerListener
    /// How long requests are still accepted when the server is no longer ready, so that load balancers notice.
    let delay: Duration
    /// What to do before the process ends because something did not complete.
    let onTimeout: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        health.begin(.draining)
        ServiceNotification.send("STOPPING=1")
        if delay > .zero { await Self.sleep(delay) }
        await Task.detached { [listener] in await listener.drain() }.value
        let onTimeout = self.onTimeout
        // Connections are closed at the timeout. What still runs then, such as the check of an expensive password, has no
        // client any more.
        Task.detached {
            await Self.sleep(Self.timeout + .milliseconds(500))
            onTimeout()
            Glibc.exit(0)
        }
    }

    /// Sleeps also in a task that the end of the server cancels.
    private static func sleep(_ duration: Duration) async {
        await Task.detached { try? await Task.sleep(for: duration) }.value
    }
}

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
