// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Which peer requests connect to, decided by settings and environment alone.
///
/// A Unix socket comes first, then a proxy, then resolutions: as with curl, a proxy resolves the names of the origins
/// behind it, so that a resolution has no effect on requests through a proxy.
package struct ConnectionRoutes: Sendable, Hashable {
    /// Routes without a proxy, a socket or resolutions.
    package static let direct = ConnectionRoutes()

    private let socketPath: String?
    private let proxy: Proxy?
    /// The hosts that `proxy` is not for.
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

    /// Routes by settings.
    ///
    /// - Parameters:
    ///   - settings: How servers are reached.
    ///   - environment: The proxies to use if the settings leave them to the environment; those of this process by
    ///     default, as they are now.
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

    /// The route to an origin.
    ///
    /// - Throws: ``LoginError/invalidRequest`` if the environment variable with the proxy for it is malformed.
    package func route(to origin: Origin) throws(LoginError) -> ConnectionRoute {
        if let socketPath { return .unixSocket(socketPath) }
        if let proxy = try usedProxy(for: origin) { return .proxy(proxy) }
        if let resolution = resolution(of: origin) { return .resolved(resolution.addresses) }
        return .direct
    }

    /// Whether requests to an origin stay on this computer: judged by the peer that is connected to.
    ///
    /// A proxy on this computer does not count: what it connects to is unknown.
    package func staysOnThisComputer(_ origin: Origin) -> Bool {
        if socketPath != nil { return true }
        do throws(LoginError) {
            guard try usedProxy(for: origin) == nil else { return false }
        } catch {
            return false
        }
        return resolution(of: origin)?.isLoopback ?? origin.isLoopback
    }

    /// The proxy because of which a resolution of an origin has no effect; `nil` if there is none.
    package func proxyInPlaceOfResolution(of origin: Origin) -> Proxy? {
        guard socketPath == nil, resolution(of: origin) != nil else { return nil }
        return try? usedProxy(for: origin)
    }

    private func usedProxy(for origin: Origin) throws(LoginError) -> Proxy? {
        if let proxy { return excluded?.contains(origin.host) == true ? nil : proxy }
        return try environment?.proxy(for: origin)
    }

    /// The last resolution counts, as with curl.
    private func resolution(of origin: Origin) -> HostResolution? {
        resolutions.last { $0.port == origin.port && $0.host == origin.host }
    }
}
