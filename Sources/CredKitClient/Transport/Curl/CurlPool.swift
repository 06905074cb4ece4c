// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The connections of transports with the same configuration. Two pools never share connections, resolved
/// names or TLS sessions.
final class CurlPool: Sendable {
    /// The properties that two transports must have in common to share a pool.
    struct Key: Hashable {
        var configuration: CurlTransport.Configuration
        var routes: ConnectionRoutes
    }

    let configuration: CurlTransport.Configuration
    let routes: ConnectionRoutes
    /// The contents of the files in the configuration when the pool was created.
    let files: ConnectionFiles
    /// HTTP/2 where the server supports it, for responses that are collected; HTTP/1.1 for those that are
    /// streamed.
    let multiplexed = CurlMulti(isMultiplexed: true)
    let streamed = CurlMulti(isMultiplexed: false)
    /// Cached data of the peers that requests were sent to.
    private let peers = Lock([String: CurlPeer]())
    private static let maximumPeerCount = 256

    private init(_ key: Key, files: ConnectionFiles) {
        configuration = key.configuration
        routes = key.routes
        self.files = files
    }

    deinit { CurlLoop.shared.send(.close([multiplexed, streamed])) }

    private struct Entry {
        weak var pool: CurlPool?
    }

    private static let pools = Lock([Key: Entry]())

    /// The pool of the default configuration, which names no files.
    static var standard: CurlPool {
        let configuration = CurlTransport.Configuration()
        return shared(Key(configuration: configuration, routes: ConnectionRoutes(configuration.connection)))
    }

    /// Returns the pool of a configuration. A configuration that names files always gets a new pool, because
    /// the files may have changed.
    static func shared(_ configuration: CurlTransport.Configuration) throws(ClientError) -> CurlPool {
        let settings = configuration.connection
        let key = Key(configuration: configuration, routes: ConnectionRoutes(settings))
        guard settings.trustedCertificates == .system, settings.clientCertificate == nil else {
            return CurlPool(key, files: try settings.files())
        }
        try settings.validate()
        return shared(key)
    }

    private static func shared(_ key: Key) -> CurlPool {
        pools.withLock { pools in
            if let pool = pools[key]?.pool { return pool }
            pools = pools.filter { $0.value.pool != nil }
            let pool = CurlPool(key, files: ConnectionFiles())
            pools[key] = Entry(pool: pool)
            return pool
        }
    }

    /// Returns the peer for a scheme and an authority.
    func peer(scheme: String, authority: String) throws(ClientError) -> CurlPeer {
        // Compare bytes before strings: for strings, a Kelvin sign equals a K.
        guard scheme == "https" || scheme == "http" else {
            throw .invalidRequest("invalid request: the scheme must be https or http")
        }
        guard URLBytes.isAuthority(authority) else {
            throw .invalidRequest("invalid request: the authority must be a host and an optional port")
        }
        let prefix = "\(scheme)://\(authority)"
        if let peer = peers.withLock({ $0[prefix] }) { return peer }
        let peer = try CurlPeer(prefix, routes: routes)
        peers.withLock { peers in
            if peers.count >= Self.maximumPeerCount { peers.removeAll() }
            peers[prefix] = peer
        }
        return peer
    }

    /// Returns the set of connections for a request.
    ///
    /// HTTP/2 is not used through an https proxy: libcurl 7.88 ignores data that the outer TLS connection has
    /// already read, and waits for its socket. (The curl command also hangs with 10 simultaneous requests.)
    func multi(for request: CurlRequest, _ options: TransferOptions) -> CurlMulti {
        let isShared =
            options.collectsBody && request.upload == nil && request.origin.isSecure
            && !request.peer.usesHTTPSProxy
        return isShared ? multiplexed : streamed
    }
}
