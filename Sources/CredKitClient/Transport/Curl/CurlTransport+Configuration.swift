// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension CurlTransport {
    /// How a transport connects. It asks for no compressed bodies.
    public struct Configuration: Sendable, Hashable {
        /// How long a connection may take to be made, DNS and TLS included; 10 seconds by default.
        public var connectTimeout: Duration

        /// How long a connection may be silent while a request is sent or a response is awaited or read; 15 seconds by
        /// default. Time in which the reader of a body takes nothing does not count.
        public var idleTimeout: Duration

        /// The most connections to one origin; further requests wait. 8 by default. Over HTTP/2, up to 100 requests share
        /// one connection.
        public var maximumConnectionsPerHost: Int

        /// Whom to trust, what to present, and over what to connect.
        public var connection: ConnectionSettings

        /// Create a configuration.
        ///
        /// - Parameters:
        ///   - connectTimeout: How long a connection may take to be made.
        ///   - idleTimeout: How long a connection may be silent.
        ///   - maximumConnectionsPerHost: The most connections to one origin, at least 1.
        ///   - connection: Whom to trust, what to present, and over what to connect.
        public init(
            connectTimeout: Duration = Deadlines().connect,
            idleTimeout: Duration = Deadlines().idle,
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
