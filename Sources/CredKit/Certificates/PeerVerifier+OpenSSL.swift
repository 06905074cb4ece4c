// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Verifies the certificate chain of a server, for TLS implementations whose own check is weaker.
///
/// SwiftNIO's check accepts the socket's address in place of the host name, and it and libpq's fall back to the common name. Here
/// the whole chain is verified by OpenSSL at its security level 2, and only names in subjectAltName count: a wildcard is a whole
/// label, and an address is compared only with address entries (RFC 6125).
///
/// ```swift
/// let verifier = try PeerVerifier(authorities: nil)
/// let problem = verifier.problem(of: chain, host: "redis.example")     // nil: the server is the one that it should be
/// ```
@safe
public final class PeerVerifier: @unchecked Sendable {
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
    public init(authorities: [UInt8]?) throws(Failure) {
        guard let store = unsafe X509_STORE_new() else { throw Failure("there is not enough memory") }
        unsafe self.store = unsafe store
        guard let authorities else {
            guard unsafe X509_STORE_set_default_paths(store) == 1 else {
                throw Failure("the system's certificates cannot be read")
            }
            return
        }
        guard let count = Int32(exactly: authorities.count),
            let source = unsafe BIO_new_mem_buf(authorities, count)
        else { throw Failure("there is not enough memory") }
        defer { unsafe BIO_free(source) }
        var added = 0
        while let certificate = unsafe PEM_read_bio_X509(source, nil, nil, nil) {
            defer { unsafe X509_free(certificate) }
            guard unsafe X509_STORE_add_cert(store, certificate) == 1 else { break }
            added += 1
        }
        // The end of the file is an error to OpenSSL.
        ERR_clear_error()
        guard added > 0 else { throw Failure("there is no certificate in it") }
    }

    deinit { unsafe X509_STORE_free(store) }

    /// Why certificates cannot be used.
    public struct Failure: Error, Sendable {
        /// A message for people.
        public let message: String
        init(_ message: String) { self.message = message }
    }

    /// Returns the reason why a server is not to be trusted; `nil` if it is.
    ///
    /// - Parameters:
    ///   - chain: The certificates that it sent, in DER, its own first.
    ///   - host: The name or the address that it must have.
    /// - Returns: A message for people.
    public func problem(of chain: [[UInt8]], host: String) -> String? {
        let certificates = unsafe chain.prefix(16).compactMap { unsafe Self.certificate($0) }
        defer { unsafe certificates.forEach { unsafe X509_free($0) } }
        guard let leaf = unsafe certificates.first, unsafe certificates.count == chain.count else {
            return "it sent no valid certificate"
        }
        guard let others = unsafe OPENSSL_sk_new_null() else { return "there is not enough memory" }
        defer { unsafe OPENSSL_sk_free(others) }
        guard
            unsafe certificates.dropFirst().allSatisfy({
                unsafe OPENSSL_sk_push(others, UnsafeRawPointer($0)) > 0
            })
        else {
            return "there is not enough memory"
        }
        guard let context = unsafe X509_STORE_CTX_new() else { return "there is not enough memory" }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, store, leaf, others) == 1,
            unsafe X509_STORE_CTX_set_default(context, "ssl_server") == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context)
        else { return "there is not enough memory" }
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, Self.securityLevel)
        guard unsafe X509_verify_cert(context) == 1 else {
            let reason = unsafe String(
                cString: X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context)))
            )
            ERR_clear_error()
            return "its certificate is not valid: \(reason)"
        }
        let matches =
            Self.isAddress(host)
            ? unsafe X509_check_ip_asc(leaf, host, 0) == 1
            : unsafe X509_check_host(leaf, host, 0, Self.flags, nil) == 1
        return matches ? nil : "its certificate is not for \(host)"
    }

    /// Returns whether a host is an address and not a name.
    ///
    /// - Parameter host: The host, an IPv6 address without brackets.
    /// - Returns: Whether it has a colon, or digits and periods alone.
    public static func isAddress(_ host: String) -> Bool {
        host.utf8.contains(UInt8(ascii: ":"))
            || host.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
    }

    private static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe d2i_X509(nil, &next, buffer.count)
        }
    }
}
