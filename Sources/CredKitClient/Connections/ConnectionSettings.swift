// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How to connect to servers: which certificates to trust, which to present, and which route to take.
///
/// Requests with different settings never share a connection.
public struct ConnectionSettings: Sendable, Hashable {
    /// The certificates that a server's chain must end in; by default, the system's.
    public var trustedCertificates = TrustedCertificates.system

    /// The certificate that this client presents to servers that ask for one.
    public var clientCertificate: ClientCertificate?

    /// The accepted public keys of the server's certificate; empty to accept any key.
    public var pinnedPublicKeys: [PublicKeyPin] = []

    /// Addresses to use instead of those from DNS.
    public var resolutions: [HostResolution] = []

    /// The path of a Unix socket to connect to instead of the host and port of the URL. The certificate must
    /// still be valid for the host of the URL. No proxy is used then.
    public var unixSocketPath: String?

    /// The proxy to use; by default, the one that the environment names.
    public var proxy = ProxySelection.environment

    /// Creates settings with the system's certificates, and direct connections or the environment's proxy.
    public init() {}
}

extension ConnectionSettings {
    /// The certificates that a server's chain must end in.
    public enum TrustedCertificates: Sendable, Hashable {
        /// The system's certification authorities.
        case system
        /// The certificates in a PEM file only.
        case file(String)
    }

    /// A client certificate and its private key, in PEM.
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of the file with the certificate, followed by intermediate certificates.
        public var certificatePath: String

        /// The path of the file with the private key, which may be the same file. Only its owner may have
        /// access to it, and the key must not be encrypted.
        public var keyPath: String

        /// Creates a client certificate.
        ///
        /// - Parameters:
        ///   - certificatePath: The path of the PEM file with the certificate.
        ///   - keyPath: The path of the PEM file with the key; `nil` if it is in the same file.
        public init(certificatePath: String, keyPath: String? = nil) {
            self.certificatePath = certificatePath
            self.keyPath = keyPath ?? certificatePath
        }
    }
}
