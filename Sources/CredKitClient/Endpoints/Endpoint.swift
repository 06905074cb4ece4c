// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// One request of a server's API: how to send it, and how to decode the response.
///
/// ```swift
/// extension Endpoint<[Student]> {
///     static func students(classID: Int) -> Self { .get("/studentList", query: ["id": "\(classID)"]) }
/// }
/// let students = try await session.send(.students(classID: 666)).body
/// ```
///
/// The body is any `Decodable` type, `[UInt8]` for the bytes of the response, or `Void` for none.
public struct Endpoint<Body: Sendable>: Sendable {
    /// The method.
    public var method: HTTPRequest.Method

    /// The path below server, audience and version, not encoded. Its segments are percent-encoded when the
    /// request is sent, so `/lists/käse & wein` has two segments, and `?`, `#` and `%` are ordinary
    /// characters. `/` is the separator.
    public var path: String

    /// The audience, which is the part of the URL after the server's own path, such as `teacher`. `nil` for
    /// the session's audience; empty for none.
    public var audience: String?

    /// The version, which is the part of the URL after the audience, such as `v2`. `nil` for the session's
    /// version; empty for none.
    public var version: String?

    /// Names and values of the query, in order, not encoded.
    public var query: [(key: String, value: String)]

    /// The body of the request; `nil` for none.
    public var content: EndpointContent?

    /// Headers of this request. They replace the session's headers of the same name.
    public var headers: HTTPFields

    /// The envelope of the responses; `nil` for the session's envelope.
    public var envelope: Envelope?

    let decoding: BodyDecoding<Body>

    init(
        method: HTTPRequest.Method,
        path: String,
        query: KeyValuePairs<String, String>,
        content: EndpointContent?,
        decoding: BodyDecoding<Body>
    ) {
        self.method = method
        self.path = path
        self.query = Array(query)
        self.content = content
        self.decoding = decoding
        headers = [:]
    }

    /// Whether the request can be sent again, after a renewed login or for a redirect.
    public var isRepeatable: Bool { content?.isRepeatable ?? true }

    /// Returns a copy of this endpoint with one property changed: `.get("/list").with(\.version, "v2")`.
    ///
    /// - Parameters:
    ///   - field: The property.
    ///   - value: Its new value.
    /// - Returns: The endpoint.
    public func with<Value>(_ field: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var endpoint = self
        endpoint[keyPath: field] = value
        return endpoint
    }
}
