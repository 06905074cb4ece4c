// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Selects the peer that requests connect to, from the settings and the environment alone.
///
/// A Unix socket comes first, then a proxy, then resolutions. A proxy resolves the names of the origins
/// behind it, as with curl, so a resolution has no effect on requests through a proxy.
package struct ConnectionRoutes: Sendable, Hashable {
    /// Routes without a proxy, a socket or resolutions.
    package static let direct = ConnectionRoutes()

    private let socketPath: String?
    private let proxy: Proxy?
    /// The hosts that are reached without `proxy`.
    private let excluded: NoProxyList?
    private let environment: ProxyEnvironment?
    private let resolutions: [HostResolution]

    private init() {
        socketPath = nil
        proxy = nil
        excluded = nil
        environment = nil
        resolutions = []
    }

    /// Creates routes from settings.
    ///
    /// - Parameters:
    ///   - settings: How to connect to servers.
    ///   - environment: The proxies to use if the settings refer to the environment; by default, those that
    ///     this process has now.
    package init(
        _ settings: ConnectionSettings,
        environment: @autoclosure () -> ProxyEnvironment = .current
    ) {
        socketPath = settings.unixSocketPath
        resolutions = settings.resolutions
        switch settings.proxy {
        case .none: (proxy, excluded, self.environment) = (nil, nil, nil)
        case .proxy(let proxy): (self.proxy, excluded, self.environment) = (proxy, nil, nil)
        case .proxyHonoringNoProxy(let proxy):
            (self.proxy, excluded, self.environment) = (proxy, environment().excluded, nil)
        case .environment: (proxy, excluded, self.environment) = (nil, nil, environment())
        }
    }

    /// Returns the route to an origin.
    ///
    /// - Throws: ``ClientError/invalidRequest`` if the environment variable that names the proxy is malformed.
    package func route(to origin: Origin) throws(ClientError) -> ConnectionRoute {
        if let socketPath { return .unixSocket(socketPath) }
        if let proxy = try usedProxy(for: origin) { return .proxy(proxy) }
        if let resolution = resolution(of: origin) { return .resolved(resolution.addresses) }
        return .direct
    }

    /// Whether requests to an origin stay on this computer, judged by the connected peer.
    ///
    /// A proxy on this computer does not count: it may connect to any host.
    package func isLocal(_ origin: Origin) -> Bool {
        if socketPath != nil { return true }
        do throws(ClientError) {
            guard try usedProxy(for: origin) == nil else { return false }
        } catch {
            return false
        }
        return resolution(of: origin)?.isLoopback ?? origin.isLoopback
    }

    /// Returns the proxy that makes a resolution of an origin ineffective; `nil` if there is none.
    package func proxyInPlaceOfResolution(of origin: Origin) -> Proxy? {
        guard socketPath == nil, resolution(of: origin) != nil else { return nil }
        return try? usedProxy(for: origin)
    }

    private func usedProxy(for origin: Origin) throws(ClientError) -> Proxy? {
        if let proxy { return excluded?.contains(origin.host) == true ? nil : proxy }
        return try environment?.proxy(for: origin)
    }

    /// The last matching resolution wins, as with curl.
    private func resolution(of origin: Origin) -> HostResolution? {
        resolutions.last { $0.port == origin.port && $0.host == origin.host }
    }
}

/// The peer that a request to an origin connects to.
package enum ConnectionRoute: Sendable, Hashable {
    /// The origin's own host, at the addresses that its name resolves to.
    case direct
    /// The origin's own host, at these addresses.
    case resolved([String])
    /// A Unix socket on this computer.
    case unixSocket(String)
    /// A proxy.
    case proxy(Proxy)
}
