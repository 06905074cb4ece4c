// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response as returned by a transport: the head, and the body, which is received incrementally.
public struct TransportResponse: Sendable {
    /// Status and headers; never those of an informational response (1xx).
    public var head: HTTPResponse

    /// The body.
    public var body: HTTPResponseBody

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - head: Status and headers.
    ///   - body: The body.
    public init(head: HTTPResponse, body: HTTPResponseBody) {
        self.head = head
        self.body = body
    }
}
