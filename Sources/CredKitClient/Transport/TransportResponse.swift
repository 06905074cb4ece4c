// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes

/// A response as returned by a transport: the head, and the body, which is received incrementally.
public struct TransportResponse: Sendable {
    /// Status and headers; never those of an informational response (1xx).
    public var head: HTTPResponse

    /// The body.
    public var body: HTTPResponseBody

    /// The channel binding of the connection, if the request had a ``ChannelBindingRule``.
    public var channelBinding: SCRAM.ChannelBinding?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - head: Status and headers.
    ///   - body: The body.
    ///   - channelBinding: The channel binding of the connection, if the request had a ``ChannelBindingRule``.
    public init(
        head: HTTPResponse,
        body: HTTPResponseBody,
        channelBinding: SCRAM.ChannelBinding? = nil
    ) {
        self.head = head
        self.body = body
        self.channelBinding = channelBinding
    }
}
