// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A transport that uses the system's libcurl, with HTTP/2 if the server supports it and HTTP/1.1 otherwise.
///
/// libcurl (`libcurl.so.4`, 7.81 or later, with OpenSSL) is loaded when the first request is sent. TLS is 1.2
/// or later, at OpenSSL's security level 2. The server's name must be in the subjectAltName of its
/// certificate, which is checked before any byte of the request is sent. Cookies, redirects, authentication,
/// `.netrc`, `.curlrc` and all protocols except http and https are disabled: requests are sent as given.
///
/// If a reused connection turns out to be closed, the request is sent again over a new one, provided that
/// there was no response and its method is idempotent (RFC 9110 section 9.2.2). Other requests are never sent
/// twice.
///
/// The headers of a response are limited to 256 fields and 2 MiB, and each of them to 80 KiB; over HTTP/2,
/// libcurl's limit is 128 KiB. Their bytes are passed on unchanged, with control characters except CR, LF and NUL. At most 1 MiB of a body is buffered until it is read. Transports with equal
/// configurations share connections. Connections are closed after a minute without use, or when the last of
/// these transports and the last body of their responses are deallocated.
///
/// What it does not prevent:
/// - Data that a peer sends over an idle HTTP/1.1 connection closes it, except after the check before a
///   request, over a Unix socket, or in a TLS record of an https proxy: there it can be mistaken for the
///   response.
/// - A flood over HTTP/2 uses one processor until the deadline. A body without a length that ends with
///   `NO_ERROR`, or with trailers without `END_STREAM`, counts as complete.
/// - Before libcurl 7.87, a hanging name lookup delays other requests while one is cancelled.
public final class CurlTransport: HTTPTransport {
    /// The transport with the default configuration, for the whole process.
    public static let shared = CurlTransport()

    private let pool: CurlPool

    /// Cannot fail, because the default configuration names no files.
    private init() { pool = CurlPool.standard }

    /// Creates a transport. It reads the files in the configuration, and the proxies in the environment,
    /// immediately.
    ///
    /// - Parameter configuration: How to connect.
    /// - Throws: The errors of ``ConnectionSettings/validate()``.
    public init(_ configuration: Configuration) throws(ClientError) {
        pool = try CurlPool.shared(configuration)
    }

    /// Selects the peers that requests connect to.
    package var routes: ConnectionRoutes { pool.routes }

    /// Sends a request and waits for the head of the response.
    ///
    /// The request uses HTTP/1.1, because the body of the response may be read slowly.
    ///
    /// - Parameters:
    ///   - request: The head. Its path must be percent-encoded, RFC 3986.
    ///   - body: The body; `nil` for none.
    ///   - deadline: When the head of the response must have been received.
    /// - Returns: The head of the response, and its body, which is received incrementally.
    /// - Throws: The errors of ``HTTPTransport/send(_:body:deadline:)``, ``ClientError/missingLibrary``,
    ///   ``ClientError/proxyRefused``.
    public func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> TransportResponse {
        try await send(request, body: body, deadline: deadline, options: TransferOptions())
    }

    /// Sends a request with options, and waits for the head of the response.
    ///
    /// A response that is collected at once may use HTTP/2. With a channel binding, a connection to the server that is
    /// kept open is used for every method: if it turns out to be closed while the request is sent, the request fails.
    ///
    /// - Parameters:
    ///   - request: The head. Its path must be percent-encoded, RFC 3986.
    ///   - body: The body; `nil` for none.
    ///   - deadline: When the head of the response must have been received.
    ///   - options: The options.
    /// - Returns: The response, with ``TransportResponse/channelBinding`` if there is a rule for it.
    /// - Throws: The errors of ``HTTPTransport/send(_:body:deadline:options:)`` and ``send(_:body:deadline:)``.
    public func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws(ClientError) -> TransportResponse {
        guard let rule = options.channelBinding else {
            return try await perform(request, body: body, deadline: deadline, options: options)
        }
        return try await perform(request, body: body, deadline: deadline, options: options, binding: rule)
    }

    /// Sends a request over any connection that the options' inspection accepts.
    func perform(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws(ClientError) -> TransportResponse {
        guard !Task.isCancelled else { throw .cancelled }
        let transfer = CurlTransfer(
            request: try CurlRequest(request, body: body, in: pool),
            pool: pool,
            options: options,
            deadline: deadline
        )
        try CurlLoop.shared.start()
        let head = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if transfer.exchange.waitForHead(waiter) { CurlLoop.shared.send(.start(transfer)) }
            }
        } onCancel: {
            transfer.cancel()
        }
        let response: HTTPResponse
        do throws(ClientError) {
            response = try CurlHead.response(try head.get())
        } catch {
            transfer.cancel()
            throw error
        }
        // Most responses are small, and complete at this point.
        if let bytes = transfer.exchange.takeWhole() {
            return TransportResponse(head: response, body: HTTPResponseBody(bytes))
        }
        let reader = CurlBodyReader(transfer)
        return TransportResponse(
            head: response,
            body: HTTPResponseBody {
                HTTPResponseBody.AsyncIterator { () async throws(ClientError) in try await reader.next() }
            }
        )
    }
}

/// Reads the body of a response. Deallocating it ends the request if the body was not read to its end.
private final class CurlBodyReader: Sendable {
    private let transfer: CurlTransfer

    init(_ transfer: CurlTransfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    func next() async throws(ClientError) -> [UInt8]? {
        if let result = found(transfer.exchange.read()) { return try result.get() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if let result = found(transfer.exchange.read(waiter)) { waiter.resume(returning: result) }
            }
        } onCancel: {
            transfer.cancel()
        }
        return try result.get()
    }

    private func found(_ read: CurlExchange.Read) -> Result<[UInt8]?, ClientError>? {
        switch read {
        case .nothing: return nil
        case .failure(let error): return .failure(error)
        case .bytes(let bytes, let mustResume):
            if mustResume { CurlLoop.shared.send(.goOn(transfer)) }
            return .success(bytes)
        }
    }
}

extension CurlTransfer {
    /// Ends the transfer, for its task immediately and for the thread as soon as it receives the command.
    func cancel() {
        if exchange.cancel() { CurlLoop.shared.send(.cancel(self)) }
    }
}

extension CurlTransport {
    /// How a transport connects. It never requests compressed bodies.
    public struct Configuration: Sendable, Hashable {
        /// The timeout for establishing a connection, including DNS and TLS; 10 seconds by default.
        public var connectTimeout: Duration

        /// The timeout for a silent connection while a request is sent or a response is awaited or read; 15
        /// seconds by default. Time during which the reader of a body reads nothing does not count.
        public var idleTimeout: Duration

        /// The maximum number of connections to one origin; further requests wait. 8 by default. Over HTTP/2,
        /// up to 100 requests share one connection.
        public var maximumConnectionsPerHost: Int

        /// The trusted certificates, the client certificate, and the route to servers.
        public var connection: ConnectionSettings

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - connectTimeout: The timeout for establishing a connection.
        ///   - idleTimeout: The timeout for a silent connection.
        ///   - maximumConnectionsPerHost: The maximum number of connections to one origin, at least 1.
        ///   - connection: The trusted certificates, the client certificate, and the route to servers.
        public init(
            connectTimeout: Duration = Timeouts().connect,
            idleTimeout: Duration = Timeouts().idle,
            maximumConnectionsPerHost: Int = 8,
            connection: ConnectionSettings = ConnectionSettings()
        ) {
            self.connectTimeout = connectTimeout
            self.idleTimeout = idleTimeout
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.connection = connection
        }
    }
}
