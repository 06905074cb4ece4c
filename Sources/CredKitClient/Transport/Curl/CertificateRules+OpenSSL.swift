// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Checks whether a certificate is valid for a host, RFC 6125 and RFC 9525, without the features that they
/// leave to the application.
///
/// Only names in subjectAltName count. A wildcard must be a whole label, and not directly under a public
/// suffix. An address is compared only with address entries.
enum CertificateRules {
    /// `SSL_CB_READ_ALERT`, and the alert that closes a connection: level warning, number 0.
    static let alertWasRead: Int32 = 0x4004
    static let closingAlert: Int32 = 1 << 8

    /// `SSL_CB_HANDSHAKE_DONE`.
    static let handshakeIsDone: Int32 = 0x20

    /// `SSL_OP_NO_RENEGOTIATION`.
    static let noRenegotiation: UInt64 = 1 << 30

    private static let flags = UInt32(
        X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
    )

    /// Returns an index for our own data in TLS contexts.
    static func newContextIndex() -> Int32 {
        CRYPTO_get_ex_new_index(Int32(CRYPTO_EX_INDEX_SSL_CTX), 0, nil, nil, nil, nil)
    }

    /// Returns an index for our own data in TLS connections.
    static func newConnectionIndex() -> Int32 {
        CRYPTO_get_ex_new_index(Int32(CRYPTO_EX_INDEX_SSL), 0, nil, nil, nil, nil)
    }

    /// Makes OpenSSL accept only certificates for a host.
    ///
    /// - Parameters:
    ///   - host: A name, an IPv4 address, or an IPv6 address in brackets.
    ///   - parameters: The `X509_VERIFY_PARAM` of a TLS context.
    /// - Returns: `false` if there was not enough memory.
    static func require(_ host: String, in parameters: OpaquePointer) -> Bool {
        if let address = address(host) {
            return unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1
        }
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, flags)
        return unsafe X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1
    }

    /// Returns the reason why a certificate is not valid for a host; `nil` if it is valid.
    static func problem(ofCertificate certificate: OpaquePointer, host: String) -> String? {
        if let address = address(host) {
            return unsafe X509_check_ip_asc(certificate, address, 0) == 1
                ? nil : mismatch(certificate, host: host)
        }
        guard let name = unsafe matchingName(certificate, host: host, flags: flags) else {
            return unsafe mismatch(certificate, host: host)
        }
        guard name.hasPrefix("*."), PublicSuffixes.isRegistry(String(name.dropFirst(2)).lowercased()) else {
            return nil
        }
        // A wildcard that only the owner of the whole suffix may have. Another entry may contain the exact
        // name.
        if unsafe matchingName(certificate, host: host, flags: flags | UInt32(X509_CHECK_FLAG_NO_WILDCARDS))
            != nil
        {
            return nil
        }
        return "certificate of \(host) is for \(printable(name)), a wildcard for a whole public suffix"
    }

    /// Returns the entry of a certificate that matches a host name.
    private static func matchingName(_ certificate: OpaquePointer, host: String, flags: UInt32) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard unsafe X509_check_host(certificate, host, 0, flags, &name) == 1 else { return nil }
        defer { unsafe CRYPTO_free(name, nil, 0) }
        return unsafe name.map { unsafe String(cString: $0) } ?? ""
    }

    /// Returns the reason why a chain was rejected.
    ///
    /// - Parameters:
    ///   - chain: The `X509_STORE_CTX` of a verification that failed.
    ///   - host: The host of the connection.
    /// - Returns: A human-readable message.
    static func problem(ofChain chain: OpaquePointer, host: String) -> String {
        let code = unsafe X509_STORE_CTX_get_error(chain)
        let isLeaf = unsafe X509_STORE_CTX_get_error_depth(chain) == 0
        switch code {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            guard let certificate = unsafe X509_STORE_CTX_get0_cert(chain) else { break }
            return unsafe mismatch(certificate, host: host)
        default: break
        }
        let subject = isLeaf ? "certificate of \(host)" : "certificate of an authority of \(host)"
        let reason =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED: "has expired"
            case X509_V_ERR_CERT_NOT_YET_VALID: "is not valid yet"
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
                "is not trusted: its issuer is not known"
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
                "is not trusted: it is self-signed, and its issuer is not known"
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
                "is not trusted: its chain ends in an issuer that is not known"
            case X509_V_ERR_INVALID_PURPOSE: "is not for servers"
            case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL: "has a key that is too short"
            case X509_V_ERR_CA_MD_TOO_WEAK: "is signed with a digest that is broken"
            case X509_V_ERR_CERT_REVOKED: "is revoked"
            default:
                unsafe "is not valid: \(String(cString: X509_verify_cert_error_string(Int(code))))"
            }
        return "\(subject) \(reason)"
    }

    /// Whether a verification is at the peer's own certificate.
    static func isLeaf(_ chain: OpaquePointer) -> Bool { unsafe X509_STORE_CTX_get_error_depth(chain) == 0 }

    /// Returns the reason why the peer's certificate in an otherwise valid chain is rejected; `nil` if it is
    /// accepted.
    static func problem(ofLeaf chain: OpaquePointer, host: String) -> String? {
        guard let certificate = unsafe X509_STORE_CTX_get0_cert(chain) else {
            return "the server presented no certificate"
        }
        let problem = unsafe problem(ofCertificate: certificate, host: host)
        if problem != nil { unsafe X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION) }
        return problem
    }

    private static func mismatch(_ certificate: OpaquePointer, host: String) -> String {
        let names = unsafe names(of: certificate)
        guard !names.isEmpty else { return "certificate of \(host) names no host in its subjectAltName" }
        let more = names.count > 5 ? " and \(names.count - 5) more" : ""
        return "certificate of \(host) is only valid for \(names.prefix(5).joined(separator: ", "))\(more)"
    }

    /// Returns the hosts and addresses in the subjectAltName of a certificate.
    private static func names(of certificate: OpaquePointer) -> [String] {
        guard let list = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return []
        }
        let stack = OpaquePointer(list)
        defer { unsafe GENERAL_NAMES_free(stack) }
        var names: [String] = []
        for index in 0..<max(0, unsafe OPENSSL_sk_num(stack)) {
            guard let entry = unsafe OPENSSL_sk_value(stack, index) else { continue }
            let general = unsafe entry.assumingMemoryBound(to: GENERAL_NAME.self)
            var kind: Int32 = 0
            guard let value = unsafe GENERAL_NAME_get0_value(general, &kind),
                kind == GEN_DNS || kind == GEN_IPADD
            else {
                continue
            }
            let text = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = unsafe UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(text),
                count: Int(max(0, ASN1_STRING_length(text)))
            )
            let name =
                unsafe kind == GEN_DNS
                ? printable(String(decoding: bytes, as: UTF8.self)) : Self.text(of: bytes)
            names.append(name)
        }
        return names
    }

    /// Formats an address of 4 or 16 bytes.
    private static func text(of address: UnsafeBufferPointer<UInt8>) -> String {
        if address.count == 4 { return unsafe address.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: address.count & ~1, by: 2).map { index in
            unsafe String(UInt16(address[index]) << 8 | UInt16(address[index + 1]), radix: 16)
        }
        let text = "[\(groups.joined(separator: ":"))]"
        return (try? IPv6Text.canonical(text[...])) ?? text
    }

    /// Makes a name from a certificate safe to show: printable ASCII, at most 100 characters, so that it
    /// cannot deceive a terminal or a reader.
    private static func printable(_ name: String) -> String {
        let text = name.unicodeScalars.prefix(100).map { scalar in
            (0x21...0x7E).contains(scalar.value) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return text.joined() + (name.unicodeScalars.count > 100 ? "…" : "")
    }

    /// Returns a certificate in DER.
    static func der(of certificate: OpaquePointer) -> [UInt8] {
        let count = unsafe i2d_X509(certificate, nil)
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            _ = unsafe i2d_X509(certificate, &next)
        }
        return bytes
    }

    static func free(_ certificate: OpaquePointer) { unsafe X509_free(certificate) }

    /// Returns the TLS connection that a chain is verified for.
    static func connection(of chain: OpaquePointer, at index: Int32) -> OpaquePointer? {
        unsafe X509_STORE_CTX_get_ex_data(chain, index).map { OpaquePointer($0) }
    }

    /// Returns a host that is an address, without brackets; `nil` for a name.
    private static func address(_ host: String) -> String? {
        if host.utf8.first == UInt8(ascii: "[") { return String(host.dropFirst().dropLast()) }
        return host.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) ? host : nil
    }
}
