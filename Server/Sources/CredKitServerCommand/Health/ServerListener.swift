// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOConcurrencyHelpers
import NIOCore

/// The socket that accepts connections, and its end.
///
/// When a listening socket is closed, the kernel resets the connections that wait to be accepted. Their clients count as
/// connected, and may have sent a request: a proxy must not repeat it if it is a POST.
final class ServerListener: Sendable {
    /// The longest wait for connections to be accepted, of which there may be too many already.
    private static let timeout = Duration.seconds(1)
    /// How long handshakes that are under way may take, between a proxy and a server of one site.
    private static let handshakeTime = Duration.milliseconds(10)

    private let channel = NIOLockedValueBox<(any Channel)?>(nil)

    /// Notes the channel of the socket.
    func begin(_ channel: any Channel) { self.channel.withLockedValue { $0 = channel } }

    /// Lets no further connection begin, and waits until the existing ones are accepted. A client that connects meanwhile gets no
    /// answer; it tries again after a second, and then the socket is closed.
    func drain() async {
        guard let options = channel.withLockedValue({ $0 }) as? any SocketOptionProvider else { return }
        do {
            try await options.unsafeSetSocketOption(
                level: .socket,
                name: NIOBSDSocket.Option(rawValue: SO_ATTACH_FILTER),
                value: SocketFilter.withoutNewConnections
            ).get()
            let end = ContinuousClock.now + Self.timeout
            repeat {
                try await Task.sleep(for: Self.handshakeTime)
                // Of a listening socket, it is the number of connections that wait to be accepted.
            } while try await options.getTCPInfo().get().tcpi_unacked > 0 && .now < end
        } catch {
            // The socket is closed, or the system has no such filter. The end of the server does not depend on it.
        }
    }
}
