// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension CurlTransport {
    /// How a transport connects. It never requests compressed bodies.
    public struct Configuration: Sendable, Hashable {
        /// The timeout for establishing a connection, including DNS and TLS; 10 seconds by default.
        public var connectTimeout: Duration

        /// The timeout for a silent connection while a request is sent or a response is awaited or read; 15
        /// seconds by default. Time during which the reader of a body reads nothing does not count.
        public var idleTimeout: Duration

        /// The maximum number of connections to one origin; further requests wait. 8 by default. Over HTTP/2,
        /// up to 100 requests share one connection.
        public var maximumConnectionsPerHost: Int

        /// The trusted certificates, the client certificate, and the route to servers.
        public var connection: ConnectionSettings

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - connectTimeout: The timeout for establishing a connection.
        ///   - idleTimeout: The timeout for a silent connection.
        ///   - maximumConnectionsPerHost: The maximum number of connections to one origin, at least 1.
        ///   - connection: The trusted certificates, the client certificate, and the route to servers.
        public init(
            connectTimeout: Duration = Timeouts().connect,
            idleTimeout: Duration = Timeouts().idle,
            maximumConnectionsPerHost: Int = 8,
            connection: ConnectionSettings = ConnectionSettings()
        ) {
            self.connectTimeout = connectTimeout
            self.idleTimeout = idleTimeout
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.connection = connection
        }
    }
}
