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
