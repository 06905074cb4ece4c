// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
internal import CCredKitOpenSSL
import CredKitTerminal

/// Verifies the certificate chain of a server.
///
/// NIO's own check also accepts the socket's address in place of the host name, and falls back to the common name. Here the whole
/// chain is verified by OpenSSL at its security level 2, and only names in subjectAltName count: a wildcard is a whole label,
/// and an address is compared only with address entries.
final class PeerVerifier: @unchecked Sendable {
    /// An `X509_STORE`, which any thread may use.
    private let store: OpaquePointer

    private static let flags = UInt32(
        X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
    )
    /// Keys of at least 112 bits of security, and no SHA-1.
    private static let securityLevel: Int32 = 2

    /// Creates a verifier.
    ///
    /// - Parameter authorities: Certificates in PEM, in place of the system's; `nil` for the system's.
    /// - Throws: ``Failure`` if there is no certificate, or not enough memory.
    init(authorities: [UInt8]?) throws(Failure) {
        guard let store = X509_STORE_new() else { throw Failure("there is not enough memory") }
        self.store = store
        guard let authorities else {
            guard X509_STORE_set_default_paths(store) == 1 else {
                throw Failure("the system's certificates cannot be read")
            }
            return
        }
        guard let count = Int32(exactly: authorities.count), let source = BIO_new_mem_buf(authorities, count)
        else {
            throw Failure("there is not enough memory")
        }
        defer { BIO_free(source) }
        var added = 0
        while let certificate = PEM_read_bio_X509(source, nil, nil, nil) {
            defer { X509_free(certificate) }
            guard X509_STORE_add_cert(store, certificate) == 1 else { break }
            added += 1
        }
        // The end of the file is an error to OpenSSL.
        ERR_clear_error()
        guard added > 0 else { throw Failure("there is no certificate in it") }
    }

    deinit { X509_STORE_free(store) }

    /// Why certificates cannot be used.
    struct Failure: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    /// Returns the reason why a server is not to be trusted; `nil` if it is.
    ///
    /// - Parameters:
    ///   - chain: The certificates that it sent, in DER, its own first.
    ///   - host: The name or the address that it must have.
    /// - Returns: A message for people.
    func problem(of chain: [[UInt8]], host: String) -> String? {
        let certificates = chain.prefix(16).compactMap(Self.certificate)
        defer { for certificate in certificates { X509_free(certificate) } }
        guard let leaf = certificates.first, certificates.count == chain.count else {
            return "it sent no valid certificate"
        }
        guard let others = OPENSSL_sk_new_null() else { return "there is not enough memory" }
        defer { OPENSSL_sk_free(others) }
        for certificate in certificates.dropFirst() {
            guard OPENSSL_sk_push(others, UnsafeRawPointer(certificate)) > 0 else {
                return "there is not enough memory"
            }
        }
        guard let context = X509_STORE_CTX_new() else { return "there is not enough memory" }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, leaf, others) == 1,
            X509_STORE_CTX_set_default(context, "ssl_server") == 1,
            let parameters = X509_STORE_CTX_get0_param(context)
        else { return "there is not enough memory" }
        X509_VERIFY_PARAM_set_auth_level(parameters, Self.securityLevel)
        guard X509_verify_cert(context) == 1 else {
            let reason = String(
                cString: X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context)))
            )
            ERR_clear_error()
            return "its certificate is not valid: \(reason)"
        }
        let matches =
            RedisAddress.isAddress(host)
            ? X509_check_ip_asc(leaf, host, 0) == 1
            : X509_check_host(leaf, host, 0, Self.flags, nil) == 1
        return matches ? nil : "its certificate is not for \(host)"
    }

    private static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_X509(nil, &next, buffer.count)
        }
    }
}
#endif
