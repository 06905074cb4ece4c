// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What the requests of a pool to one scheme and authority have in common.
final class CurlPeer: Sendable {
    /// Scheme and authority, in their one form.
    let prefix: String
    /// Scheme, host and port, as the wire has them.
    let origin: Origin
    /// What requests connect to.
    let route: ConnectionRoute
    /// libcurl's list of the route's addresses, if it has any.
    let resolutions: CurlResolutions?
    /// What the proxy is told of its user.
    let proxyCredentials: CurlProxyCredentials?

    /// Look up the route to a peer.
    ///
    /// - Parameters:
    ///   - prefix: Scheme and authority. The authority is one that ``URLBytes`` allows.
    ///   - routes: Which peers requests connect to.
    /// - Throws: ``LoginError/invalidURL``; as ``ConnectionRoutes/route(to:)``.
    init(_ prefix: String, routes: ConnectionRoutes) throws(LoginError) {
        origin = try HTTPURL(prefix + "/").origin
        self.prefix = origin.description
        route = try routes.route(to: origin)
        if case .resolved(let addresses) = route {
            resolutions = CurlResolutions(addresses, for: origin)
        } else {
            resolutions = nil
        }
        if case .proxy(let proxy) = route, let credentials = proxy.credentials {
            proxyCredentials = CurlProxyCredentials(credentials, for: proxy.scheme)
        } else {
            proxyCredentials = nil
        }
    }

    /// Whether the proxy has a TLS connection of its own.
    var usesHTTPSProxy: Bool {
        if case .proxy(let proxy) = route { proxy.scheme == .https } else { false }
    }

    /// Whether a proxy answers itself where it refuses: with http to the origin, an HTTP proxy's answer is a response.
    var hasProxyInPlaceOfOrigin: Bool {
        if case .proxy(let proxy) = route { proxy.scheme != .socks5 && !origin.isSecure } else { false }
    }
}
