// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The peer that a request to an origin connects to.
package enum ConnectionRoute: Sendable, Hashable {
    /// The origin's host itself, at the addresses that it resolves to.
    case direct
    /// The origin's host, at these addresses.
    case resolved([String])
    /// A Unix socket of this computer.
    case unixSocket(String)
    /// A proxy.
    case proxy(Proxy)
}

/// Which peer requests connect to, decided by settings and environment alone.
package struct ConnectionRoutes: Sendable {
    /// Routes without a proxy, a socket or resolutions.
    package static let direct = ConnectionRoutes()

    private let settings: ConnectionSettings

    private init() {
        var settings = ConnectionSettings()
        settings.proxy = .none
        self.settings = settings
    }

    /// The route to an origin.
    package func route(to origin: Origin) -> ConnectionRoute { .direct }

    /// Whether requests to an origin stay on this computer: judged by the peer that is connected to.
    package func staysOnThisComputer(_ origin: Origin) -> Bool { origin.isLoopback }
}
