// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes

/// Sends requests to a server and receives the responses.
///
/// A transport sends one request as given: it follows no redirects, stores no cookies, adds no credentials
/// and repeats nothing. ``LoginSession`` does all of that. `TransportSuite` of CredKitTesting tests whether a transport
/// behaves as required.
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

    /// The kinds of channel binding that the transport can read of its TLS connections. Default: none; a login that requires
    /// one is then refused.
    var channelBindingKinds: Set<SCRAM.ChannelBinding.Kind> { get }

    /// Sends a request over a TLS connection with a certain channel binding. It is called only for
    /// ``channelBindingKinds``, and by default throws ``ClientError/channelBindingFailed``.
    ///
    /// The rule is applied to the very connection that carries the request, after its handshake and before a byte of the
    /// request is sent, also if the transport tries another connection. Where it can, the transport uses the connection
    /// of the request before, even for a method that is not idempotent.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path set.
    ///   - body: The body; `nil` for none.
    ///   - deadline: As for ``send(_:body:deadline:)``.
    ///   - rule: The rule.
    /// - Returns: The response, with ``TransportResponse/channelBinding``.
    /// - Throws: ``ClientError/channelBindingFailed`` if the connection has no binding of this kind, with the reason;
    ///   ``ClientError/connectionChanged`` if it has another one than the rule requires; otherwise as
    ///   ``send(_:body:deadline:)``.
    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        binding rule: ChannelBindingRule
    ) async throws -> TransportResponse
}

extension HTTPTransport {
    /// None.
    public var channelBindingKinds: Set<SCRAM.ChannelBinding.Kind> { [] }

    /// Throws ``ClientError/channelBindingFailed``.
    public func send(
        _: HTTPRequest,
        body _: HTTPRequestBody?,
        deadline _: ContinuousClock.Instant,
        binding _: ChannelBindingRule
    ) async throws -> TransportResponse {
        throw ClientError.channelBindingFailed("the transport \(Self.self) does not support it")
    }
}
