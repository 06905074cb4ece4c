// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit

/// Sets the options of a handle for a transfer. A handle that was reset has libcurl's defaults. None of the
/// remaining ones reads a file, the environment or the user's configuration, adds a header, follows a
/// redirect or stores a cookie.
enum CurlSetup {
    static func apply(
        to easy: OpaquePointer,
        for transfer: CurlTransfer,
        isMultiplexed: Bool,
        needsNewConnection: Bool
    ) throws(ClientError) {
        var options = unsafe CurlOptions(easy)
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe options.note(
            credkit_curl_set_callbacks(
                easy,
                context,
                CurlCallbacks.head,
                CurlCallbacks.body,
                CurlCallbacks.upload,
                CurlCallbacks.beforeRequest,
                CurlCallbacks.tlsSetup
            )
        )
        options.set(CREDKIT_CURL_LONG_NO_SIGNAL, 1)
        options.set(CREDKIT_CURL_LONG_PROTOCOLS, Int(CREDKIT_CURL_PROTOCOLS_HTTP))
        options.set(CREDKIT_CURL_LONG_DISALLOW_USERNAME, 1)
        options.set(CREDKIT_CURL_LONG_PATH_AS_IS, 1)
        options.set(
            CREDKIT_CURL_LONG_CONNECT_TIMEOUT_MS,
            transfer.pool.configuration.connectTimeout.milliseconds
        )
        if needsNewConnection { options.set(CREDKIT_CURL_LONG_FRESH_CONNECT, 1) }
        let version = isMultiplexed ? CREDKIT_CURL_HTTP_2_OVER_TLS : CREDKIT_CURL_HTTP_1_1
        options.set(CREDKIT_CURL_LONG_HTTP_VERSION, Int(version))
        // If a request waits for another request's connection, libcurl before 8.8.0 decodes the password for a
        // SOCKS proxy twice.
        let mayWait = isMultiplexed && transfer.request.peer.proxyCredentials == nil
        if mayWait { options.set(CREDKIT_CURL_LONG_PIPE_WAIT, 1) }
        // 7.87 and later: do not wait for a hanging name lookup when a transfer ends.
        _ = unsafe credkit_curl_set_long(easy, Int32(CREDKIT_CURL_LONG_QUICK_EXIT), 1)
        if !transfer.options.collectsBody { options.set(CREDKIT_CURL_LONG_BUFFER_SIZE, 128 << 10) }
        setRequest(&options, transfer.request)
        setRoute(&options, transfer)
        if transfer.request.origin.isSecure || transfer.usesHTTPSProxy {
            setTLS(&options, transfer.pool)
        }
        guard options.result == 0 else {
            throw options.result == Int32(CREDKIT_CURL_OUT_OF_MEMORY)
                ? .outOfMemory
                : .invalidRequest("cannot set the options of libcurl (error \(options.result))")
        }
    }

    private static func setRequest(_ options: inout CurlOptions, _ request: CurlRequest) {
        unsafe options.set(CREDKIT_CURL_TEXT_URL, pointer: request.url)
        unsafe options.set(CREDKIT_CURL_POINTER_HEADERS, pointer: request.headers)
        // libcurl 8.14 may see the answer to a request without a body before it has noted that there is no more to send. It
        // would close the connection after an answer such as 401, and a login may be bound to that connection.
        if unsafe (request.body?.count ?? 0) == 0, request.upload == nil {
            options.set(CREDKIT_CURL_LONG_KEEP_SENDING, 1)
        }
        if let body = unsafe request.body {
            options.set(CREDKIT_CURL_LONG_POST, 1)
            options.set(CREDKIT_CURL_SIZE_BODY, size: Int64(body.count))
            unsafe options.set(CREDKIT_CURL_POINTER_BODY, pointer: body.baseAddress)
        } else if let upload = request.upload {
            options.set(CREDKIT_CURL_LONG_UPLOAD, 1)
            options.set(CREDKIT_CURL_SIZE_UPLOAD, size: upload.byteCount ?? -1)
        } else if CurlRequest.withEmptyBody.contains(request.method) {
            // An empty body with a declared length of 0.
            options.set(CREDKIT_CURL_LONG_POST, 1)
            options.set(CREDKIT_CURL_SIZE_BODY, size: 0)
            unsafe options.set(CREDKIT_CURL_POINTER_BODY, pointer: request.url)
        } else if request.method == "HEAD" {
            options.set(CREDKIT_CURL_LONG_NO_BODY, 1)
        }
        if request.method != "HEAD" { options.set(CREDKIT_CURL_TEXT_METHOD, text: request.method) }
    }

    private static func setRoute(_ options: inout CurlOptions, _ transfer: CurlTransfer) {
        // An empty string disables the proxies from the environment, which libcurl would read itself.
        switch transfer.route {
        case .direct: options.set(CREDKIT_CURL_TEXT_PROXY, text: "")
        case .resolved:
            options.set(CREDKIT_CURL_TEXT_PROXY, text: "")
            unsafe options.set(
                CREDKIT_CURL_POINTER_RESOLUTIONS,
                pointer: transfer.request.peer.resolutions?.list
            )
        case .unixSocket(let path):
            options.set(CREDKIT_CURL_TEXT_PROXY, text: "")
            options.set(CREDKIT_CURL_TEXT_UNIX_SOCKET, text: path)
        case .proxy(let proxy):
            setProxy(&options, proxy, transfer)
            // Some proxies (tinyproxy 1.11) read one request and then only forward bytes. The next request
            // over the same connection would reach the first origin unchanged, with the password for the
            // proxy.
            if !transfer.request.origin.isSecure, proxy.scheme != .socks5 {
                options.set(CREDKIT_CURL_LONG_FORBID_REUSE, 1)
            }
        }
        options.set(CREDKIT_CURL_TEXT_NO_PROXY, text: "")
    }

    private static func setProxy(_ options: inout CurlOptions, _ proxy: Proxy, _ transfer: CurlTransfer) {
        let kind =
            switch proxy.scheme {
            case .http: CREDKIT_CURL_PROXY_HTTP
            case .https: CREDKIT_CURL_PROXY_HTTPS
            case .socks5: CREDKIT_CURL_PROXY_SOCKS5_HOSTNAME
            }
        options.set(CREDKIT_CURL_LONG_PROXY_TYPE, Int(kind))
        options.set(CREDKIT_CURL_TEXT_PROXY, text: "\(proxy.host):\(proxy.port)")
        // The proxy that opens a tunnel must not receive the request's headers, and its response is not the
        // response to the request.
        options.set(CREDKIT_CURL_LONG_HEADER_OPTIONS, Int(CREDKIT_CURL_HEADERS_SEPARATE))
        options.set(CREDKIT_CURL_LONG_SUPPRESS_CONNECT_HEADERS, 1)
        if let credentials = transfer.request.peer.proxyCredentials {
            // libcurl before 8.8.0 percent-decodes the user and password options, in some cases twice. A header
            // passes them unchanged.
            unsafe options.set(CREDKIT_CURL_POINTER_PROXY_HEADERS, pointer: credentials.header)
            unsafe options.set(CREDKIT_CURL_TEXT_PROXY_USERNAME, pointer: credentials.username)
            unsafe options.set(CREDKIT_CURL_TEXT_PROXY_PASSWORD, pointer: credentials.password)
        }
        // Exclude Kerberos, which would wait for the proxy on the thread of all transfers.
        options.set(CREDKIT_CURL_LONG_SOCKS5_AUTHENTICATION, Int(CREDKIT_CURL_AUTHENTICATION_BASIC))
        guard proxy.scheme == .https else { return }
        let files = transfer.pool.files
        options.set(CREDKIT_CURL_LONG_PROXY_SSL_VERSION, Int(CREDKIT_CURL_TLS_1_2))
        if let certificates = files.trustedCertificates {
            options.set(CREDKIT_CURL_BLOB_PROXY_CA_FILE, bytes: certificates)
            unsafe options.set(CREDKIT_CURL_TEXT_PROXY_CA_FOLDER, pointer: nil)
        } else if let folder = SystemCertificates.folder {
            unsafe options.set(CREDKIT_CURL_TEXT_PROXY_CA_FILE, pointer: nil)
            options.set(CREDKIT_CURL_TEXT_PROXY_CA_FOLDER, text: folder)
        }
    }

    /// TLS 1.2 is the lowest version. That the certificate is verified and names the host is libcurl's default, and left on. `ConnectionCheck` checks the name
    /// again, more strictly.
    private static func setTLS(_ options: inout CurlOptions, _ pool: CurlPool) {
        options.set(CREDKIT_CURL_LONG_SSL_VERSION, Int(CREDKIT_CURL_TLS_1_2))
        if let certificates = pool.files.trustedCertificates {
            options.set(CREDKIT_CURL_BLOB_CA_FILE, bytes: certificates)
            unsafe options.set(CREDKIT_CURL_TEXT_CA_FOLDER, pointer: nil)
        } else if let folder = SystemCertificates.folder {
            // The folder has one file per authority, of which only one is read. The bundle would be read
            // completely.
            unsafe options.set(CREDKIT_CURL_TEXT_CA_FILE, pointer: nil)
            options.set(CREDKIT_CURL_TEXT_CA_FOLDER, text: folder)
        }
        if let certificate = pool.files.clientCertificate, let key = pool.files.clientKey {
            options.set(CREDKIT_CURL_BLOB_CERTIFICATE, secret: certificate)
            options.set(CREDKIT_CURL_BLOB_KEY, secret: key)
            // Otherwise OpenSSL would ask at the terminal for the passphrase of an encrypted key.
            options.set(CREDKIT_CURL_TEXT_KEY_PASSWORD, text: "")
        }
        let pins = pool.configuration.connection.pinnedPublicKeys
        if !pins.isEmpty {
            options.set(CREDKIT_CURL_TEXT_PINNED_KEYS, text: pins.map(\.description).joined(separator: ";"))
        }
    }
}

/// The options of one handle, and the first error while setting them.
@safe
private struct CurlOptions {
    private let easy: OpaquePointer
    private(set) var result: Int32 = 0

    init(_ easy: OpaquePointer) { unsafe self.easy = easy }

    mutating func note(_ error: Int32) { if result == 0 { result = error } }

    mutating func set(_ option: Int, _ value: Int) {
        unsafe note(credkit_curl_set_long(easy, Int32(option), value))
    }

    mutating func set(_ option: Int, size: Int64) {
        unsafe note(credkit_curl_set_size(easy, Int32(option), size))
    }

    mutating func set(_ option: Int, text: String) {
        unsafe note(text.withCString { unsafe credkit_curl_set_pointer(easy, Int32(option), $0) })
    }

    mutating func set(_ option: Int, bytes: [UInt8]) {
        unsafe note(
            bytes.withUnsafeBytes {
                unsafe credkit_curl_set_blob(easy, Int32(option), $0.baseAddress, $0.count)
            }
        )
    }

    /// Sets a string, or bytes if the option takes them. libcurl keeps its own copy until the handle is
    /// reset, and does not wipe it.
    mutating func set(_ option: Int, secret: SecretBytes) {
        let error = secret.withSecretBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes -> Int32 in
                if option >= 40_000 {
                    return unsafe credkit_curl_set_blob(easy, Int32(option), bytes.baseAddress, bytes.count)
                }
                let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
                _ = unsafe text.initialize(from: bytes)
                unsafe text[bytes.count] = 0
                defer {
                    unsafe Wiping.wipe(text)
                    unsafe text.deallocate()
                }
                return unsafe credkit_curl_set_pointer(easy, Int32(option), text.baseAddress)
            }
        }
        note(error)
    }

    mutating func set(_ option: Int, pointer: UnsafeRawPointer?) {
        unsafe note(credkit_curl_set_pointer(easy, Int32(option), pointer))
    }
}
