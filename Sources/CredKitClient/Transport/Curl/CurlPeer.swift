// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The shared data of all requests of a pool to one scheme and authority.
final class CurlPeer: Sendable {
    /// Scheme and authority in canonical form.
    let prefix: String
    /// Scheme, host and port as sent to the server.
    let origin: Origin
    /// The peer that requests connect to.
    let route: ConnectionRoute
    /// libcurl's list of the route's addresses; `nil` if it has none.
    let resolutions: CurlResolutions?
    /// The credentials for the proxy.
    let proxyCredentials: CurlProxyCredentials?

    /// Determines the route to a peer.
    ///
    /// - Parameters:
    ///   - prefix: Scheme and authority. The authority must be valid for ``URLBytes``.
    ///   - routes: Selects the peers of requests.
    /// - Throws: ``ClientError/invalidURL``, the errors of ``ConnectionRoutes/route(to:)``, and with credentials for a proxy
    ///   ``ClientError/missingLibrary``.
    init(_ prefix: String, routes: ConnectionRoutes) throws(ClientError) {
        origin = try HTTPURL(prefix + "/").origin
        self.prefix = origin.description
        route = try routes.route(to: origin)
        if case .resolved(let addresses) = route {
            resolutions = CurlResolutions(addresses, for: origin)
        } else {
            resolutions = nil
        }
        if case .proxy(let proxy) = route, let credentials = proxy.credentials {
            // Their form depends on its version.
            try CurlLibrary.load()
            proxyCredentials = CurlProxyCredentials(credentials, for: proxy.scheme)
        } else {
            proxyCredentials = nil
        }
    }

    /// Whether the connection to the proxy uses TLS.
    var usesHTTPSProxy: Bool {
        if case .proxy(let proxy) = route { proxy.scheme == .https } else { false }
    }

    /// Whether a refusal of the proxy looks like a response of the origin, as with http through an HTTP
    /// proxy.
    var hasProxyInPlaceOfOrigin: Bool {
        if case .proxy(let proxy) = route { proxy.scheme != .socks5 && !origin.isSecure } else { false }
    }
}
