// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit

/// Checks a connection before any byte of a request is sent over it. libcurl's own checks remain as a second
/// line of defence: they accept a common name as a host name, and `*.co.uk` as a wildcard.
enum ConnectionCheck {
    private static let indexOfNumber: Int32 = CertificateRules.newContextIndex()
    /// The number of the transfer that uses a connection, which may differ from the one that opened it.
    private static let indexOfUser: Int32 = CertificateRules.newConnectionIndex()

    /// Configures a TLS connection before its handshake.
    static func prepare(_ context: OpaquePointer, for transfer: CurlTransfer) -> Bool {
        var host = transfer.request.origin.host
        if transfer.usesHTTPSProxy, transfer.tlsSetupCount == 0, case .proxy(let proxy) = transfer.route {
            host = proxy.host
        }
        transfer.tlsSetupCount += 1
        unsafe libcurl.SSL_CTX_set_security_level(context, 2)
        // No renegotiation: the server's new certificate could be checked after the transfer has ended.
        _ = unsafe libcurl.SSL_CTX_set_options(context, CertificateRules.noRenegotiation)
        // Never log keys, even if SSLKEYLOGFILE is set.
        unsafe libcurl.SSL_CTX_set_keylog_callback(context, nil)
        guard let parameters = unsafe libcurl.SSL_CTX_get0_param(context),
            unsafe CertificateRules.require(host, in: parameters)
        else { return false }
        unsafe libcurl.SSL_CTX_set_info_callback(context) { tls, event, value in
            guard let tls = unsafe tls else { return }
            // Only HTTP/2 is read without limit. With a TLS connection inside another one, the filter would
            // leave unread bytes in the outer one, and no event would report them.
            if event == CertificateRules.handshakeIsDone, unsafe ConnectionCheck.isHTTP2(tls),
                let source = unsafe libcurl.SSL_get_rbio(tls),
                let filter = unsafe ReadBudget.filter(before: source)
            {
                unsafe libcurl.SSL_set0_rbio(tls, filter)
            }
            guard event == CertificateRules.alertWasRead, value == CertificateRules.closingAlert else {
                return
            }
            let number = unsafe UInt(bitPattern: libcurl.SSL_get_ex_data(tls, ConnectionCheck.indexOfUser))
            CurlLoop.shared.transfer(UInt64(number))?.hasTLSEnded = true
        }
        let number = unsafe UnsafeMutableRawPointer(bitPattern: UInt(transfer.number))
        guard unsafe libcurl.SSL_CTX_set_ex_data(context, indexOfNumber, number) == 1 else { return false }
        unsafe libcurl.SSL_CTX_set_verify(context, 1) { isValid, chain in
            guard let chain = unsafe chain else { return 0 }
            return unsafe ConnectionCheck.accepts(chain, isValid: isValid != 0) ? 1 : 0
        }
        return true
    }

    /// Returns whether a certificate of a chain is accepted. The reason for a rejection is recorded in the
    /// transfer.
    private static func accepts(_ chain: OpaquePointer, isValid: Bool) -> Bool {
        if isValid, unsafe !CertificateRules.isLeaf(chain) { return true }
        let index = unsafe libcurl.SSL_get_ex_data_X509_STORE_CTX_idx()
        guard let tls = unsafe CertificateRules.connection(of: chain, at: index),
            let context = unsafe libcurl.SSL_get_SSL_CTX(tls)
        else { return false }
        let number = unsafe UInt(bitPattern: libcurl.SSL_CTX_get_ex_data(context, indexOfNumber))
        guard let transfer = CurlLoop.shared.transfer(UInt64(number)) else { return false }
        var host = transfer.request.origin.host
        if transfer.usesHTTPSProxy, transfer.tlsSetupCount == 1, case .proxy(let proxy) = transfer.route {
            host = proxy.host
        }
        let problem =
            unsafe isValid
            ? CertificateRules.problem(ofLeaf: chain, host: host)
            : CertificateRules.problem(ofChain: chain, host: host)
        if transfer.certificateProblem == nil { transfer.certificateProblem = problem }
        return problem == nil
    }

    /// Returns whether a request may be sent over a reused connection. It must not be retired, and must have
    /// received nothing while it was idle.
    ///
    /// With HTTP/1.1, received bytes would be the end of the connection, or an unsolicited response that
    /// would be mistaken for the response to this request. With HTTP/2 they may be the end of the connection,
    /// which matters for requests that must not be sent twice.
    static func isUsable(_ connection: SocketEnds, for transfer: CurlTransfer, tls: OpaquePointer?) -> Bool {
        guard transfer.multi.mayUse(connection) else { return false }
        let loop = CurlLoop.shared
        if unsafe isHTTP2(tls), transfer.request.mayBeRepeated || loop.isInUse(connection) { return true }
        if let tls = unsafe tls, unsafe libcurl.SSL_has_pending(tls) != 0 { return false }
        // Connections over Unix sockets have no endpoints that distinguish them.
        if case .unixSocket = transfer.route { return true }
        // A connection that was reset has no endpoints any more.
        guard let descriptor = loop.descriptor(of: connection) else { return false }
        return credkit_socket_is_silent(descriptor) != 0
    }

    private static func isHTTP2(_ tls: OpaquePointer?) -> Bool {
        guard let tls = unsafe tls else { return false }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe libcurl.SSL_get0_alpn_selected(tls, &name, &count)
        return unsafe UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// Returns the reason why a request must not be sent over a new connection; `nil` if it may be sent.
    static func failure(of transfer: CurlTransfer, tls: OpaquePointer?, peer: String) -> ClientError? {
        if let note = transfer.options.noteConnection { note(peer, unsafe version(of: tls)) }
        let origin = transfer.request.origin
        guard origin.isSecure else {
            // Unencrypted http is allowed because it stays on this computer, so the peer must be on this
            // computer.
            guard case .direct = transfer.route, origin.isLoopback, !isLoopback(peer) else { return nil }
            return .insecureConnection("\(origin) is at \(peer), which is not this computer")
        }
        guard let tls = unsafe tls, let certificate = unsafe libcurl.SSL_get1_peer_certificate(tls) else {
            return .untrustedServer("the server presented no certificate")
        }
        defer { unsafe CertificateRules.free(certificate) }
        if let problem = unsafe CertificateRules.problem(ofCertificate: certificate, host: origin.host) {
            return .untrustedServer(problem)
        }
        let number = unsafe UnsafeMutableRawPointer(bitPattern: UInt(transfer.number))
        guard unsafe libcurl.SSL_set_ex_data(tls, indexOfUser, number) == 1 else { return .outOfMemory }
        if let inspect = transfer.options.inspectConnection {
            let connection = unsafe TLSConnection(tls: tls, certificate: certificate)
            guard inspect(connection) else {
                return .untrustedServer("the TLS connection was rejected by the caller's check")
            }
        }
        return nil
    }

    private static func version(of tls: OpaquePointer?) -> String? {
        guard let tls = unsafe tls else { return nil }
        switch unsafe libcurl.SSL_version(tls) {
        case 0x0303: return "TLS 1.2"
        case 0x0304: return "TLS 1.3"
        default: return "TLS"
        }
    }

    private static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
