// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The transport over AsyncHTTPClient, with HTTP/1.1. TLS is 1.2 or
/// later, as RFC 8996 asks for.
///
/// A response's headers are limited to 256 fields and 2 MiB, one of them to 80 KiB. Connections are kept for
/// later requests, and closed when the last copy of the transport and the last body of its responses are
/// gone.
public final class AsyncHTTPClientTransport: HTTPTransport {
    /// The one with the standard configuration, for the whole process.
    public static let shared = AsyncHTTPClientTransport(HTTPClient(configuration: standard))

    private let client: HTTPClient

    private init(_ client: HTTPClient) { self.client = client }

    /// A transport with connections of its own.
    ///
    /// - Parameter configuration: How it connects.
    /// - Throws: ``LoginError/untrustedServer`` when the file of trusted certificates cannot be read.
    public convenience init(_ configuration: Configuration) throws(LoginError) {
        self.init(HTTPClient(configuration: try Self.clientConfiguration(configuration)))
    }

    // AsyncHTTPClient wants to be told. Nothing is under way any more: requests and bodies hold the
    // transport.
    deinit { _ = client.shutdown() }

    /// Sends a request and waits for the head of the response.
    ///
    /// - Parameters:
    ///   - request: The head. Its path must be percent-encoded as RFC 3986 wants it.
    ///   - body: The body, `nil` for none.
    ///   - deadline: When the head of the response must have come at the latest.
    /// - Returns: The head of the response, and its body as it comes in.
    /// - Throws: ``LoginError``, see ``HTTPTransport/send(_:body:deadline:)``.
    public func send(
        _ request: HTTPRequest,
        body: RequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws(LoginError) -> TransportResponse {
        let method = request.method
        let outgoing = try Self.clientRequest(request, body: body)
        let response: HTTPClientResponse
        do {
            response = try await client.execute(outgoing, deadline: NIODeadline(deadline))
        } catch {
            throw Self.error(error, isInBody: false)
        }
        return TransportResponse(
            head: try Self.head(response),
            body: method == .head ? ResponseBody() : responseBody(response.body)
        )
    }

    private func responseBody(_ body: HTTPClientResponse.Body) -> ResponseBody {
        // It holds the transport, whose end would be that of its connections.
        ResponseBody { [self] in
            var iterator = body.makeAsyncIterator()
            return ResponseBody.AsyncIterator { () async throws(LoginError) in
                defer { withExtendedLifetime(self) {} }
                do {
                    guard var piece = try await iterator.next() else {
                        // A body that was cut short by cancelling is none that has ended.
                        if Task.isCancelled { throw CancellationError() }
                        return nil
                    }
                    return piece.readBytes(length: piece.readableBytes)
                } catch {
                    throw Self.error(error, isInBody: true)
                }
            }
        }
    }
}
