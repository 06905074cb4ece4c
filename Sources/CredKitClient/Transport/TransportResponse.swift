// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response as a transport hands it on: the head, and the body as it comes in.
public struct TransportResponse: Sendable {
    /// Status and headers; informational ones (1xx) are never handed on.
    public var head: HTTPResponse

    /// The body.
    public var body: ResponseBody

    /// A response.
    ///
    /// - Parameters:
    ///   - head: Status and headers.
    ///   - body: The body.
    public init(head: HTTPResponse, body: ResponseBody) {
        self.head = head
        self.body = body
    }
}
