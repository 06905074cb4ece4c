// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How servers are reached: whom to trust, what to present, and over what.
///
/// Requests with different settings never share a connection.
public struct ConnectionSettings: Sendable, Hashable {
    /// The certificates that a server's chain must end in; the system's by default.
    public var trustedCertificates = TrustedCertificates.system

    /// The certificate that this client presents to servers that ask for one.
    public var clientCertificate: ClientCertificate?

    /// The public keys of which the server's certificate must have one; empty for any key.
    public var pinnedPublicKeys: [PublicKeyPin] = []

    /// Addresses to use in place of those that DNS has.
    public var resolutions: [HostResolution] = []

    /// The path of a Unix socket to connect to in place of the host and port of the URL. The host still is what the
    /// certificate must be valid for. No proxy is used then.
    public var unixSocketPath: String?

    /// Which proxy to use; that of the environment by default.
    public var proxy = ProxySelection.environment

    /// Create settings: the system's certificates, direct connections or the environment's proxy.
    public init() {}
}

extension ConnectionSettings {
    /// Which certificates a server's chain must end in.
    public enum TrustedCertificates: Sendable, Hashable {
        /// The system's certification authorities.
        case system
        /// The certificates in a PEM file, and no others.
        case file(String)
    }

    /// A certificate of the client's and its private key, in PEM.
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of the file with the certificate, followed by those of intermediate authorities.
        public var certificatePath: String

        /// The path of the file with the private key, which may be the same file. It must be readable by its owner
        /// only, and not be encrypted.
        public var keyPath: String

        /// Create a client certificate.
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
