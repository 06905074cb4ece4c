// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit

/// What a connection must be before a byte of a request is sent over it. libcurl's own checks stay as the second ones:
/// they take a common name for a host name, and `*.co.uk` for every shop in the country.
enum ConnectionCheck {
    private static let indexOfNumber: Int32 = CertificateRules.newContextIndex()

    /// Set up a TLS connection that is about to be made.
    static func prepare(_ context: OpaquePointer, for transfer: CurlTransfer) -> Bool {
        var host = transfer.request.origin.host
        if transfer.usesHTTPSProxy, transfer.tlsSetupCount == 0, case .proxy(let proxy) = transfer.route {
            host = proxy.host
        }
        transfer.tlsSetupCount += 1
        unsafe libcurl.SSL_CTX_set_security_level(context, 2)
        // A server that asks for a new handshake would have a certificate checked when the transfer is gone.
        _ = unsafe libcurl.SSL_CTX_set_options(context, CertificateRules.noRenegotiation)
        // Keys of connections are written nowhere, whatever SSLKEYLOGFILE says.
        unsafe libcurl.SSL_CTX_set_keylog_callback(context, nil)
        guard let parameters = unsafe libcurl.SSL_CTX_get0_param(context),
            unsafe CertificateRules.require(host, in: parameters)
        else { return false }
        let number = unsafe UnsafeMutableRawPointer(bitPattern: UInt(transfer.number))
        guard unsafe libcurl.SSL_CTX_set_ex_data(context, indexOfNumber, number) == 1 else { return false }
        unsafe libcurl.SSL_CTX_set_verify(context, 1) { isValid, chain in
            if isValid == 0, let chain = unsafe chain { unsafe ConnectionCheck.noteProblem(of: chain) }
            return isValid
        }
        return true
    }

    /// Note why a chain of certificates was not accepted, for the transfer that it was checked for.
    private static func noteProblem(of chain: OpaquePointer) {
        let index = unsafe libcurl.SSL_get_ex_data_X509_STORE_CTX_idx()
        guard let tls = unsafe CertificateRules.connection(of: chain, at: index),
            let context = unsafe libcurl.SSL_get_SSL_CTX(tls)
        else { return }
        let number = unsafe UInt(bitPattern: libcurl.SSL_CTX_get_ex_data(context, indexOfNumber))
        guard let transfer = CurlLoop.shared.transfer(UInt64(number)), transfer.certificateProblem == nil
        else { return }
        var host = transfer.request.origin.host
        if transfer.usesHTTPSProxy, transfer.tlsSetupCount == 1, case .proxy(let proxy) = transfer.route {
            host = proxy.host
        }
        transfer.certificateProblem = unsafe CertificateRules.problem(ofChain: chain, host: host)
    }

    /// Why a request must not be sent over the connection that was made for it.
    static func failure(of transfer: CurlTransfer, tls: OpaquePointer?, peer: String) -> LoginError? {
        let origin = transfer.request.origin
        guard origin.isSecure else {
            // What may go in clear because it stays on this computer has to.
            guard case .direct = transfer.route, origin.isLoopback, !isLoopback(peer) else { return nil }
            return .insecureConnection("\(origin) is at \(peer), which is not this computer")
        }
        guard let tls = unsafe tls, let certificate = unsafe libcurl.SSL_get1_peer_certificate(tls) else {
            return .untrustedServer("the server has presented no certificate")
        }
        defer { unsafe CertificateRules.free(certificate) }
        if let problem = unsafe CertificateRules.problem(ofCertificate: certificate, host: origin.host) {
            return .untrustedServer(problem)
        }
        if let inspect = transfer.options.inspectConnection {
            let connection = unsafe TLSConnection(tls: tls, certificate: certificate)
            guard inspect(connection) else {
                return .untrustedServer("the connection is not the expected one")
            }
        }
        return nil
    }

    private static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
