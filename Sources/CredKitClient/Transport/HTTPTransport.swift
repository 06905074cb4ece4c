// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes

/// Sends requests to a server and receives the responses.
///
/// A transport sends one request as given: it follows no redirects, stores no cookies and adds no credentials.
/// ``LoginSession`` does all of that. `TransportSuite` of CredKitTesting tests whether a transport behaves as required.
///
/// A transport of your own sends each request once, because it may be signed. Only ``CurlTransport`` sends an
/// idempotent request again if a connection that was kept open turns out to be closed and there was no response. It
/// leaves signed requests to the session, which sends them again with a new signature.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the head of the response.
    ///
    /// Cancelling the task cancels the request, also later while the body is read.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path set.
    ///   - body: The body; `nil` for none.
    ///   - deadline: When the head of the response must have been received. The reader of the body must
    ///     enforce its own deadline.
    /// - Returns: The head of the response, and its body, which is received incrementally.
    /// - Throws: A ``ClientError`` where possible: ``ClientError/noConnection``, ``ClientError/noResponse``,
    ///   ``ClientError/timedOut``, ``ClientError/untrustedServer``, ``ClientError/invalidRequest``. CredKit reports a
    ///   `CancellationError` as ``ClientError/cancelled``, and any other error as the ``ClientError/underlying`` error
    ///   of ``ClientError/transport``.
    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse

    /// The kinds of channel binding that the transport can read of its TLS connections. Default: none; a login that
    /// requires one is then refused.
    var channelBindingKinds: Set<SCRAM.ChannelBinding.Kind> { get }

    /// Sends a request with options. Sessions call this function. By default, it throws
    /// ``ClientError/channelBindingFailed`` if ``TransferOptions/channelBinding`` is set, and otherwise calls
    /// ``send(_:body:deadline:)`` without the options. A transport that wraps another one can pass them on unchanged.
    ///
    /// The rule for the channel binding is set only for ``channelBindingKinds``. It is applied to the very connection
    /// that carries the request, after its handshake and before a byte of the request is sent, also if the transport
    /// tries another connection. Where it can, the transport uses the connection of the request before, even for a
    /// method that is not idempotent.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path set.
    ///   - body: The body; `nil` for none.
    ///   - deadline: As for ``send(_:body:deadline:)``.
    ///   - options: The options.
    /// - Returns: The response, with ``TransportResponse/channelBinding`` if there is a rule for it.
    /// - Throws: ``ClientError/channelBindingFailed`` if the connection has no binding of the rule's kind, with the
    ///   reason; ``ClientError/connectionChanged`` if it has another one than the rule requires; otherwise as
    ///   ``send(_:body:deadline:)``.
    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws -> TransportResponse
}

extension HTTPTransport {
    /// None.
    public var channelBindingKinds: Set<SCRAM.ChannelBinding.Kind> { [] }

    /// Sends a request without the options, or throws ``ClientError/channelBindingFailed`` if a channel binding is
    /// required.
    public func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws -> TransportResponse {
        // To send the request all the same would be a login over a connection that it is not bound to.
        guard options.channelBinding == nil else {
            throw ClientError.channelBindingFailed("the transport \(Self.self) does not support it")
        }
        return try await send(request, body: body, deadline: deadline)
    }
}
