// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The connections of transports with one configuration. Two pools never share a connection, nor what was
/// resolved, nor a TLS session.
final class CurlPool: Sendable {
    /// What two transports must agree in to share a pool.
    struct Key: Hashable {
        var configuration: CurlTransport.Configuration
        var routes: ConnectionRoutes
    }

    let configuration: CurlTransport.Configuration
    let routes: ConnectionRoutes
    /// The files that the configuration names, as they were when the first transport with it was made.
    let files: ConnectionFiles
    /// HTTP/2 where a server has it, for responses that are collected; and HTTP/1.1, for those that are streamed.
    let multiplexed = CurlMulti(isMultiplexed: true)
    let streamed = CurlMulti(isMultiplexed: false)
    /// What was seen of the servers that requests went to.
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

    /// The pool of the standard configuration, which names no files.
    static var standard: CurlPool {
        let configuration = CurlTransport.Configuration()
        return shared(Key(configuration: configuration, routes: ConnectionRoutes(configuration.connection)))
    }

    /// The pool of a configuration. One that names files has a pool of its own: they may have changed.
    static func shared(_ configuration: CurlTransport.Configuration) throws(LoginError) -> CurlPool {
        let settings = configuration.connection
        let key = Key(configuration: configuration, routes: ConnectionRoutes(settings))
        guard settings.trustedCertificates == .system, settings.clientCertificate == nil else {
            return CurlPool(key, files: try settings.files())
        }
        try settings.check()
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

    /// Where requests with a scheme and an authority go.
    func peer(scheme: String, authority: String) throws(LoginError) -> CurlPeer {
        // Bytes are looked at before texts are compared: a Kelvin sign equals a K.
        guard scheme == "https" || scheme == "http" else {
            throw .invalidRequest("the scheme is neither https nor http")
        }
        guard URLBytes.isAuthority(authority) else {
            throw .invalidRequest("the host is none that a request can be sent to")
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

    /// Where a request goes.
    ///
    /// Not over HTTP/2 through a proxy that has TLS of its own: libcurl 7.88 does not look at what the outer TLS connection
    /// has already read, and waits for its socket (the curl command stands still with 10 requests at once, too).
    func multi(for request: CurlRequest, _ options: TransferOptions) -> CurlMulti {
        let isShared =
            options.collectsBody && request.upload == nil && request.origin.isSecure
            && !request.peer.usesHTTPSProxy
        return isShared ? multiplexed : streamed
    }
}
