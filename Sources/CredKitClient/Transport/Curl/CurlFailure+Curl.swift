// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import Glibc

/// Converts libcurl's results to errors.
enum CurlFailure {
    /// Returns the error of a transfer that libcurl has ended; `nil` for a complete response.
    static func error(of result: Int32, _ easy: OpaquePointer, _ transfer: CurlTransfer) -> ClientError? {
        if let failure = transfer.failure { return failure }
        if let problem = transfer.certificateProblem, Int(result) != CREDKIT_CURL_OK {
            return .untrustedServer(problem)
        }
        let host = transfer.request.origin.host
        switch Int(result) {
        case CREDKIT_CURL_OK:
            // libcurl treats a truncated head as complete.
            guard transfer.head.isComplete else { return closed(transfer) }
            // It also treats a truncated TLS stream as ended: an attacker may have cut off the rest of the
            // body.
            let mayBeCut =
                transfer.request.origin.isSecure && !transfer.hasTLSEnded && transfer.head.endsWithConnection
                && transfer.request.method != "HEAD"
            return unsafe mayBeCut && !isHTTP2(easy) ? closed(transfer) : nil
        case CREDKIT_CURL_HOST_NOT_RESOLVED:
            return .noConnection("cannot resolve the host \(host): no such host")
        case CREDKIT_CURL_PROXY_NOT_RESOLVED:
            return .noConnection("cannot resolve the host of the proxy \(proxy(of: transfer)): no such host")
        case CREDKIT_CURL_NOT_CONNECTED: return unsafe notConnected(easy, transfer)
        case CREDKIT_CURL_PROXY_ERROR:
            return .proxyRefused("the proxy \(proxy(of: transfer)) refused to connect to \(host)")
        case CREDKIT_CURL_TIMED_OUT: return unsafe timedOut(easy, transfer)
        case CREDKIT_CURL_SSL_CONNECT_ERROR, CREDKIT_CURL_CIPHER_ERROR:
            return .untrustedServer(
                "cannot establish a TLS connection with \(host): no common protocol version or cipher"
            )
        case CREDKIT_CURL_VERIFICATION_FAILED:
            return .untrustedServer("certificate of \(host) is not trusted, or is for another host")
        case CREDKIT_CURL_PIN_MISMATCH:
            return .untrustedServer("certificate of \(host) does not match any pinned public key")
        case CREDKIT_CURL_BAD_CA_FILE:
            return .untrustedServer("cannot read the file of trusted certificates")
        case CREDKIT_CURL_CERTIFICATE_PROBLEM:
            return .untrustedServer(
                "cannot use the client's certificate: it or its key is unreadable, or they do not match"
            )
        case CREDKIT_CURL_CLIENT_CERTIFICATE_NEEDED:
            return .untrustedServer("the server \(host) requires a client certificate")
        case CREDKIT_CURL_UNSUPPORTED_PROTOCOL, CREDKIT_CURL_WEIRD_REPLY, CREDKIT_CURL_BAD_CONTENT_ENCODING:
            return .malformedResponse("malformed response: it is not HTTP")
        case CREDKIT_CURL_URL_MALFORMED: return .invalidRequest("invalid request: its URL is malformed")
        case CREDKIT_CURL_TOO_LARGE where transfer.isSent: return CurlHead.tooLong
        case CREDKIT_CURL_OUT_OF_MEMORY:
            // Before 8.6 libcurl also reports this for a line over its length limit.
            return transfer.isSent && !transfer.head.isComplete ? CurlHead.tooLong : .outOfMemory
        default:
            let code = unsafe number(easy, CREDKIT_CURL_INFO_CONNECT_CODE)
            if case .proxy = transfer.route, !transfer.isSent, code >= 300 { return refused(code, transfer) }
            return closed(transfer)
        }
    }

    /// The error of a request that can be repeated, but not by the transport.
    static let closedKeptConnection = ClientError(
        .noResponse,
        message: "the server closed the connection without a response",
        underlying: ClosedConnection()
    )

    /// Whether a transfer failed because its reused connection was closed before any response.
    static func isClosedConnection(_ result: Int32, _ transfer: CurlTransfer, wasKept: Bool) -> Bool {
        if transfer.wasAboutToRepeat || transfer.hasStaleConnection { return true }
        guard transfer.failure == nil, !transfer.head.hasBegun, wasKept else { return false }
        return [
            CREDKIT_CURL_GOT_NOTHING, CREDKIT_CURL_SEND_ERROR, CREDKIT_CURL_RECEIVE_ERROR,
            CREDKIT_CURL_HTTP2_ERROR,
            CREDKIT_CURL_HTTP2_STREAM_ERROR,
        ].contains(Int(result))
    }

    /// Whether the transfer used a connection that another one had opened.
    static func usedKeptConnection(_ easy: OpaquePointer) -> Bool {
        unsafe number(easy, CREDKIT_CURL_INFO_CONNECT_COUNT) == 0
    }

    static func isHTTP2(_ easy: OpaquePointer) -> Bool {
        unsafe number(easy, CREDKIT_CURL_INFO_HTTP_VERSION) == CREDKIT_CURL_HTTP_2
    }

    /// Returns how many bytes of the body have been sent.
    static func uploadCount(_ easy: OpaquePointer) -> Int64 {
        unsafe time(easy, CREDKIT_CURL_INFO_UPLOAD_COUNT)
    }

    private static func closed(_ transfer: CurlTransfer) -> ClientError {
        if transfer.head.hasBegun {
            return .noResponse("the server closed the connection in the middle of its response")
        }
        guard transfer.isSent else {
            if case .proxy = transfer.route {
                return .noResponse("the proxy \(proxy(of: transfer)) closed the connection")
            }
            return .noResponse("the server closed the connection during the TLS handshake")
        }
        return .noResponse("the server closed the connection before it sent a response")
    }

    private static func notConnected(_ easy: OpaquePointer, _ transfer: CurlTransfer) -> ClientError {
        let isRefused = unsafe number(easy, CREDKIT_CURL_INFO_SYSTEM_ERROR) == Int(ECONNREFUSED)
        if case .proxy = transfer.route {
            let proxy = proxy(of: transfer)
            return .noConnection(
                isRefused
                    ? "cannot connect to the proxy \(proxy): the connection was refused"
                    : "cannot reach the proxy \(proxy)"
            )
        }
        return .noConnection(
            isRefused ? "cannot connect to the server: the connection was refused" : "cannot reach the server"
        )
    }

    private static func timedOut(_ easy: OpaquePointer, _ transfer: CurlTransfer) -> ClientError {
        if transfer.isSent { return .timedOut }
        let isConnected = unsafe time(easy, CREDKIT_CURL_INFO_CONNECT_TIME) > 0
        if case .proxy = transfer.route {
            return .timedOut("timed out while connecting through the proxy \(proxy(of: transfer))")
        }
        return isConnected
            ? .timedOut("timed out during the TLS handshake with the server")
            : .timedOut("timed out while connecting to the server")
    }

    /// Returns the error for a proxy that responded with a refusal.
    static func refused(_ status: Int, _ transfer: CurlTransfer) -> ClientError {
        let proxy = proxy(of: transfer)
        return status == 407
            ? .proxyRefused(
                "the proxy \(proxy) requires a user and a password, or rejected those it received",
                status: status
            )
            : .proxyRefused(
                "the proxy \(proxy) refused to connect to \(transfer.request.origin.host): status \(status)",
                status: status
            )
    }

    /// Returns the URL of the proxy without user and password.
    private static func proxy(of transfer: CurlTransfer) -> String {
        guard case .proxy(let proxy) = transfer.route else { return "" }
        return "\(proxy.scheme.rawValue)://\(proxy.host):\(proxy.port)"
    }

    private static func number(_ easy: OpaquePointer, _ info: Int) -> Int {
        var value = 0
        return unsafe credkit_curl_get_long(easy, Int32(info), &value) == 0 ? value : 0
    }

    private static func time(_ easy: OpaquePointer, _ info: Int) -> Int64 {
        var value: Int64 = 0
        return unsafe credkit_curl_get_time(easy, Int32(info), &value) == 0 ? value : 0
    }
}

extension CurlTransfer {
    /// Notes how much of the upload has been sent, for the program. It does not change libcurl's state.
    func noteUpload() {
        guard let upload = request.upload, let easy = unsafe easy else { return }
        upload.note(sent: unsafe CurlFailure.uploadCount(easy))
    }
}
