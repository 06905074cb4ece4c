// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The transport over the system's libcurl, with HTTP/2 where the server has it and HTTP/1.1 otherwise.
///
/// libcurl (`libcurl.so.4`, 7.81 or later, with OpenSSL) is loaded when the first request is sent. TLS is 1.2 or later,
/// at OpenSSL's security level 2. A server's name is looked for in the subjectAltName of its certificate only, and checked
/// before a byte of the request is sent. Cookies, redirects, authentication, `.netrc`, `.curlrc` and all protocols but
/// http and https are off: what is sent is what was given.
///
/// A request over a kept connection that turns out to be closed is sent again over a new one, if nothing came back and
/// its method is idempotent (RFC 9110 section 9.2.2). Other requests are never sent twice.
///
/// A response's headers are limited to 256 fields and 2 MiB, one of them to 80 KiB; over HTTP/2 libcurl ends at 128 KiB. At most 1 MiB of a body is held until
/// it is read. Transports with equal configurations share connections, which are closed when nothing went over them for a
/// minute, or when the last of those transports and the last body of their responses are gone.
public final class CurlTransport: HTTPTransport {
    /// The one with the standard configuration, for the whole process.
    public static let shared = CurlTransport()

    private let pool: CurlPool

    /// Without files nothing can fail.
    private init() { pool = CurlPool.standard }

    /// Create a transport. The files that the configuration names, and the environment's proxies, are read now.
    ///
    /// - Parameter configuration: How to connect.
    /// - Throws: As ``ConnectionSettings/check()``.
    public init(_ configuration: Configuration) throws(LoginError) {
        pool = try CurlPool.shared(configuration)
    }

    /// Which peers requests connect to.
    package var routes: ConnectionRoutes { pool.routes }

    /// Send a request and wait for the head of the response.
    ///
    /// The body of the response may be read slowly, and so the request goes over HTTP/1.1.
    ///
    /// - Parameters:
    ///   - request: The head. Its path must be percent-encoded as RFC 3986 wants it.
    ///   - body: The body, `nil` for none.
    ///   - deadline: When the head of the response must have come at the latest.
    /// - Returns: The head of the response, and its body as it comes in.
    /// - Throws: ``LoginError``, see ``HTTPTransport/send(_:body:deadline:)``; ``LoginError/missingLibrary``,
    ///   ``LoginError/proxyRefused``.
    public func send(
        _ request: HTTPRequest,
        body: RequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws(LoginError) -> TransportResponse {
        try await send(request, body: body, deadline: deadline, options: TransferOptions())
    }

    /// Send a request with options that programs do not need.
    package func send(
        _ request: HTTPRequest,
        body: RequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws(LoginError) -> TransportResponse {
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
        do throws(LoginError) {
            response = try CurlHead.response(try head.get())
        } catch {
            transfer.cancel()
            throw error
        }
        // Most responses are small, and whole by now.
        if let bytes = transfer.exchange.takeWhole() {
            return TransportResponse(head: response, body: ResponseBody(bytes))
        }
        let reader = CurlBodyReader(transfer)
        return TransportResponse(
            head: response,
            body: ResponseBody {
                ResponseBody.AsyncIterator { () async throws(LoginError) in try await reader.next() }
            }
        )
    }
}

/// Reads the body of a response. The request ends with it, if the body was not read to its end.
private final class CurlBodyReader: Sendable {
    private let transfer: CurlTransfer

    init(_ transfer: CurlTransfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    func next() async throws(LoginError) -> [UInt8]? {
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

    private func found(_ read: CurlExchange.Read) -> Result<[UInt8]?, LoginError>? {
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
    /// End the transfer for its task at once, and for the thread as soon as it hears of it.
    func cancel() {
        if exchange.cancel() { CurlLoop.shared.send(.cancel(self)) }
    }
}
