// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What the requests of a pool to one scheme and authority have in common.
final class CurlPeer: Sendable {
    /// Scheme and authority, as they were given.
    let prefix: String
    /// Scheme, host and port, as the wire has them.
    let origin: Origin
    /// What requests connect to.
    let route: ConnectionRoute
    /// libcurl's list of the route's addresses, if it has any.
    let resolutions: CurlResolutions?

    /// Look up the route to a peer.
    ///
    /// - Parameters:
    ///   - prefix: Scheme and authority. The authority is one that ``URLBytes`` allows.
    ///   - routes: Which peers requests connect to.
    /// - Throws: ``LoginError/invalidURL``; as ``ConnectionRoutes/route(to:)``.
    init(_ prefix: String, routes: ConnectionRoutes) throws(LoginError) {
        self.prefix = prefix
        origin = try HTTPURL(prefix + "/").origin
        route = try routes.route(to: origin)
        if case .resolved(let addresses) = route {
            resolutions = CurlResolutions(addresses, for: origin)
        } else {
            resolutions = nil
        }
    }
}
