// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// What binds a login to its TLS connection, so that a relay between client and server cannot use it even if the client
    /// trusts the certificate of the relay.
    public struct ChannelBinding: Sendable, Hashable {
        /// The kind of binding, by its registered name.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A hash of the server's certificate ([RFC 5929](https://www.rfc-editor.org/rfc/rfc5929#section-4)). It detects
            /// another certificate, and not another connection to the same server.
            case serverEndPoint = "tls-server-end-point"
            /// A value that only both ends of one connection can compute
            /// ([RFC 9266](https://www.rfc-editor.org/rfc/rfc9266)).
            case exporter = "tls-exporter"
        }

        /// The kind of binding.
        public let kind: Kind

        /// The value of the connection: the hash, or the 32 bytes of the exporter.
        public let value: [UInt8]

        /// Creates a binding.
        ///
        /// - Parameters:
        ///   - kind: The kind of binding.
        ///   - value: The value of the connection: see ``serverEndPoint(certificate:)`` for that of a certificate.
        public init(_ kind: Kind, value: [UInt8]) {
            self.kind = kind
            self.value = value
        }
    }

    /// What a client says of channel binding at the beginning of a login.
    public enum BindingRequest: Sendable, Hashable {
        /// The client does not support it: `n`.
        case unsupported
        /// The client supports it and believes that the server does not: `y`. A server that does then knows that an attacker
        /// has changed its list of mechanisms.
        case notOffered
        /// The login is bound: `p=…`. The mechanism must be one with channel binding.
        case bound(ChannelBinding.Kind)
    }
}
