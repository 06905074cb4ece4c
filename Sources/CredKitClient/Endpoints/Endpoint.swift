// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// One of a server's interfaces: how to ask it, and what it answers.
///
/// ```swift
/// extension Endpoint<[Student]> {
///     static func students(classID: Int) -> Self { .get("/studentList", query: ["id": "\(classID)"]) }
/// }
/// let students = try await session.send(.students(classID: 666)).body
/// ```
///
/// The body is any `Decodable` type, `[UInt8]` for the response's bytes as they came, or `Void` for none.
public struct Endpoint<Body: Sendable>: Sendable {
    /// The method.
    public var method: HTTPRequest.Method

    /// The path below server, audience and version, as text: its segments are percent-encoded when it is
    /// sent, so that `/lists/käse & wein` is two segments and `?`, `#` and `%` are characters like others. A
    /// `/` separates.
    public var path: String

    /// Whom the interface is for, the part of the URL after the server's own path, such as `teacher`. `nil`
    /// for the session's own; empty for none.
    public var audience: String?

    /// The interface's version, the part of the URL after the audience, such as `v2`. `nil` for the session's
    /// own; empty for none.
    public var version: String?

    /// Names and values of the query, in their order, not encoded.
    public var query: [(key: String, value: String)]

    /// What is sent, `nil` for no body.
    public var content: EndpointContent?

    /// Headers of this request, before the session's own, of which they replace those of the same name.
    public var headers: HTTPFields

    /// The envelope of its responses; `nil` for the session's own.
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

    /// Whether the request can be sent again: after a login was renewed, or to where a redirect says.
    public var isRepeatable: Bool { content?.isRepeatable ?? true }

    /// This endpoint, with another value in one of its fields: `.get("/list").with(\.version, "v2")`.
    ///
    /// - Parameters:
    ///   - field: Which field.
    ///   - value: Its value.
    /// - Returns: The endpoint.
    public func with<Value>(_ field: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var endpoint = self
        endpoint[keyPath: field] = value
        return endpoint
    }
}
