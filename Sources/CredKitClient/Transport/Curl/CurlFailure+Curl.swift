// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import Glibc

/// What libcurl's results mean.
enum CurlFailure {
    /// The error of a transfer that libcurl has ended; `nil` for a whole response.
    static func error(of result: Int32, _ easy: OpaquePointer, _ transfer: CurlTransfer) -> LoginError? {
        if let failure = transfer.failure { return failure }
        if let problem = transfer.certificateProblem, Int(result) != CREDKIT_CURL_OK {
            return .untrustedServer(problem)
        }
        let host = transfer.request.origin.host
        switch Int(result) {
        case CREDKIT_CURL_OK:
            // libcurl takes a head that was cut for one that is whole.
            guard transfer.head.isComplete else { return closed(transfer) }
            // And a TLS stream that was cut for one that has ended: the rest of the body may have been kept from us.
            let mayBeCut =
                transfer.request.origin.isSecure && !transfer.hasTLSEnded && transfer.head.endsWithConnection
                && transfer.request.method != "HEAD"
            return unsafe mayBeCut && !isHTTP2(easy) ? closed(transfer) : nil
        case CREDKIT_CURL_HOST_NOT_RESOLVED: return .noConnection("no such host: \(host)")
        case CREDKIT_CURL_PROXY_NOT_RESOLVED:
            return .noConnection("no such host: the proxy \(proxy(of: transfer))")
        case CREDKIT_CURL_NOT_CONNECTED: return unsafe notConnected(easy, transfer)
        case CREDKIT_CURL_PROXY_ERROR:
            return .proxyRefused("the proxy \(proxy(of: transfer)) refused to connect to \(host)")
        case CREDKIT_CURL_TIMED_OUT: return unsafe timedOut(easy, transfer)
        case CREDKIT_CURL_SSL_CONNECT_ERROR, CREDKIT_CURL_CIPHER_ERROR:
            return .untrustedServer(
                "no TLS connection can be made with \(host): there is no version or cipher in common"
            )
        case CREDKIT_CURL_VERIFICATION_FAILED:
            return .untrustedServer("certificate of \(host) is not trusted, or is for another host")
        case CREDKIT_CURL_PIN_MISMATCH:
            return .untrustedServer("certificate of \(host) has none of the pinned public keys")
        case CREDKIT_CURL_BAD_CA_FILE:
            return .untrustedServer("the file of trusted certificates cannot be read")
        case CREDKIT_CURL_CERTIFICATE_PROBLEM:
            return .untrustedServer(
                "the client's certificate or its key cannot be read, or they do not belong together"
            )
        case CREDKIT_CURL_CLIENT_CERTIFICATE_NEEDED:
            return .untrustedServer("the server \(host) demands a certificate of the client")
        case CREDKIT_CURL_UNSUPPORTED_PROTOCOL, CREDKIT_CURL_WEIRD_REPLY, CREDKIT_CURL_BAD_CONTENT_ENCODING:
            return .malformedResponse("the response is not HTTP")
        case CREDKIT_CURL_URL_MALFORMED: return .invalidRequest("the request has no valid URL")
        case CREDKIT_CURL_OUT_OF_MEMORY:
            // libcurl says so of a line that is longer than it takes, too.
            return transfer.isSent && !transfer.head.isComplete ? CurlHead.tooLong : .outOfMemory
        default:
            let code = unsafe number(easy, CREDKIT_CURL_INFO_CONNECT_CODE)
            if case .proxy = transfer.route, !transfer.isSent, code >= 300 { return refused(code, transfer) }
            return closed(transfer)
        }
    }

    /// Whether a transfer failed because its connection was closed after it had been kept, before anything came back.
    static func isClosedConnection(_ result: Int32, _ transfer: CurlTransfer, wasKept: Bool) -> Bool {
        if transfer.wasAboutToRepeat || transfer.hasStaleConnection { return true }
        guard transfer.failure == nil, !transfer.head.hasBegun, wasKept else { return false }
        return [
            CREDKIT_CURL_GOT_NOTHING, CREDKIT_CURL_SEND_ERROR, CREDKIT_CURL_RECEIVE_ERROR,
            CREDKIT_CURL_HTTP2_ERROR,
            CREDKIT_CURL_HTTP2_STREAM_ERROR,
        ].contains(Int(result))
    }

    /// Whether the transfer went over a connection that another one had made.
    static func usedKeptConnection(_ easy: OpaquePointer) -> Bool {
        unsafe number(easy, CREDKIT_CURL_INFO_CONNECT_COUNT) == 0
    }

    static func isHTTP2(_ easy: OpaquePointer) -> Bool {
        unsafe number(easy, CREDKIT_CURL_INFO_HTTP_VERSION) == CREDKIT_CURL_HTTP_2
    }

    /// How many bytes of the body have been sent.
    static func uploadCount(_ easy: OpaquePointer) -> Int64 {
        unsafe time(easy, CREDKIT_CURL_INFO_UPLOAD_COUNT)
    }

    private static func closed(_ transfer: CurlTransfer) -> LoginError {
        if transfer.head.hasBegun {
            return .noResponse("the server closed the connection in the middle of its response")
        }
        guard transfer.isSent else {
            if case .proxy = transfer.route {
                return .noResponse("the proxy \(proxy(of: transfer)) closed the connection")
            }
            return .noResponse("the server closed the connection before TLS was agreed on")
        }
        return .noResponse("the server closed the connection before it had answered")
    }

    private static func notConnected(_ easy: OpaquePointer, _ transfer: CurlTransfer) -> LoginError {
        let isRefused = unsafe number(easy, CREDKIT_CURL_INFO_SYSTEM_ERROR) == Int(ECONNREFUSED)
        if case .proxy = transfer.route {
            let proxy = proxy(of: transfer)
            return .noConnection(
                isRefused
                    ? "nothing listens at the proxy \(proxy): the connection was refused"
                    : "the proxy \(proxy) cannot be reached"
            )
        }
        return .noConnection(
            isRefused ? "nothing listens there: the connection was refused" : "the server cannot be reached"
        )
    }

    private static func timedOut(_ easy: OpaquePointer, _ transfer: CurlTransfer) -> LoginError {
        if transfer.isSent { return .timedOut }
        let isConnected = unsafe time(easy, CREDKIT_CURL_INFO_CONNECT_TIME) > 0
        if case .proxy = transfer.route {
            return .timedOut("no connection through the proxy \(proxy(of: transfer)) in time")
        }
        return isConnected
            ? .timedOut("no TLS connection to the server in time")
            : .timedOut("no connection to the server in time")
    }

    /// The error of a proxy that answered that it will not.
    static func refused(_ status: Int, _ transfer: CurlTransfer) -> LoginError {
        let proxy = proxy(of: transfer)
        return status == 407
            ? .proxyRefused(
                "the proxy \(proxy) demands a user and a password, or others than it got",
                status: status
            )
            : .proxyRefused(
                "the proxy \(proxy) refused to connect to \(transfer.request.origin.host): it answered \(status)",
                status: status
            )
    }

    /// A proxy without its user and password.
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
