// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension AsyncHTTPClientTransport {
    /// Whose certificates a server's must come from.
    public enum TrustedCertificates: Sendable, Hashable {
        /// The system's authorities.
        case system
        /// The authorities in a PEM file, and no others.
        case file(String)
    }

    /// How a transport connects. It asks for no compressed bodies.
    public struct Configuration: Sendable, Hashable {
        /// How long a connection may take to be made, TLS included; 10 seconds by default.
        public var connectTimeout: Duration

        /// How long a connection may be silent while a response is awaited or read; 15 seconds by default.
        public var idleTimeout: Duration

        /// Whose certificates a server's must come from; the system's authorities by default.
        public var trustedCertificates: TrustedCertificates

        /// The most connections to one host with HTTP/1.1; further requests wait. 8 by default.
        public var maximumConnectionsPerHost: Int

        /// A configuration.
        ///
        /// - Parameters:
        ///   - connectTimeout: How long a connection may take to be made.
        ///   - idleTimeout: How long a connection may be silent.
        ///   - trustedCertificates: Whose certificates a server's must come from.
        ///   - maximumConnectionsPerHost: The most connections to one host, at least 1.
        public init(
            connectTimeout: Duration = Deadlines().connect,
            idleTimeout: Duration = Deadlines().idle,
            trustedCertificates: TrustedCertificates = .system,
            maximumConnectionsPerHost: Int = 8
        ) {
            self.connectTimeout = connectTimeout
            self.idleTimeout = idleTimeout
            self.trustedCertificates = trustedCertificates
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
        }
    }
}
