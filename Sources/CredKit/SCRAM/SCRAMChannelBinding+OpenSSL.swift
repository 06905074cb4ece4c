// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

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

extension SCRAM.ChannelBinding {
    /// Returns the binding to a server's certificate: its hash by the hash function of its signature, or by SHA-256 in place
    /// of MD5 and SHA-1 ([RFC 5929](https://www.rfc-editor.org/rfc/rfc5929#section-4.1), section 4.1).
    ///
    /// - Parameter certificate: The server's certificate, in DER.
    /// - Returns: The binding.
    /// - Throws: ``SCRAM/Error/channelBindingFailed`` if the bytes are not a certificate, or if its signature has no hash
    ///   function of its own, as with Ed25519: no binding is defined then.
    public static func serverEndPoint(certificate: [UInt8]) throws(SCRAM.Error) -> Self {
        try unsafe certificate.withUnsafeBufferPointer { (bytes) throws(SCRAM.Error) in
            var position = bytes.baseAddress
            guard let parsed = unsafe d2i_X509(nil, &position, bytes.count) else {
                _ = OpenSSLErrors.takeReason()
                throw .channelBindingFailed("the server's certificate cannot be parsed")
            }
            defer { unsafe X509_free(parsed) }
            guard let end = unsafe position, unsafe end == bytes.baseAddress?.advanced(by: bytes.count) else {
                throw .channelBindingFailed("the server's certificate has bytes behind its end")
            }
            return Self(.serverEndPoint, value: try digest(certificate, unsafe hashFunction(of: parsed)))
        }
    }

    /// Returns the identifier of the hash function with which a certificate was signed.
    private static func hashFunction(of certificate: OpaquePointer) throws(SCRAM.Error) -> Int32 {
        let algorithm = unsafe X509_get_signature_nid(certificate)
        var (function, key): (Int32, Int32) = (NID_undef, NID_undef)
        let isKnown: Bool
        if algorithm == NID_rsassaPss {
            // The parameters name the function.
            isKnown = unsafe X509_get_signature_info(certificate, &function, nil, nil, nil) == 1
        } else {
            isKnown = unsafe OBJ_find_sigid_algs(algorithm, &function, &key) == 1
        }
        _ = OpenSSLErrors.takeReason()
        guard isKnown, function != NID_undef else {
            let name = unsafe OBJ_nid2sn(algorithm).map { unsafe String(cString: $0) } ?? "unknown"
            throw .channelBindingFailed(
                "the server's certificate is signed with \(name), which has no hash function for tls-server-end-point"
            )
        }
        return function
    }

    private static func digest(_ bytes: [UInt8], _ function: Int32) throws(SCRAM.Error) -> [UInt8] {
        switch function {
        // RFC 5929 replaces both.
        case NID_md5, NID_sha1, NID_sha256: return Array(SHA256.hash(data: bytes))
        case NID_sha384: return Array(SHA384.hash(data: bytes))
        case NID_sha512: return Array(SHA512.hash(data: bytes))
        default:
            let name = unsafe OBJ_nid2sn(function).map { unsafe String(cString: $0) } ?? "unknown"
            throw .channelBindingFailed(
                "the server's certificate is signed with the hash function \(name), which is not supported"
            )
        }
    }
}
