// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The body of an endpoint's request, and its Content-Type.
public struct RequestPayload: Sendable {
    private enum Source: Sendable {
        case body(HTTPRequestBody)
        case json(@Sendable () throws(ClientError) -> [UInt8])
        case file(String)
    }

    private let source: Source

    /// The Content-Type; `nil` for none.
    public let contentType: String?

    private init(_ source: Source, contentType: String?) {
        self.source = source
        self.contentType = contentType
    }

    /// A form, `application/x-www-form-urlencoded`, encoded as in the WHATWG URL standard.
    ///
    /// - Parameter fields: Names and values in order, with any Unicode characters.
    /// - Returns: The content.
    public static func form(_ fields: KeyValuePairs<String, String>) -> Self { form(Array(fields)) }

    /// A form, `application/x-www-form-urlencoded`, encoded as in the WHATWG URL standard.
    ///
    /// - Parameter fields: Names and values in order, with any Unicode characters.
    /// - Returns: The content.
    public static func form(_ fields: [(key: String, value: String)]) -> Self {
        Self(
            .body(HTTPRequestBody(FormText.encode(fields))),
            contentType: "application/x-www-form-urlencoded"
        )
    }

    /// A value as JSON.
    ///
    /// The value is encoded when the request is sent. A value that cannot be encoded then throws
    /// `invalidRequest`.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The content.
    public static func json(_ value: some Encodable & Sendable) -> Self {
        Self(
            .json { () throws(ClientError) in try JSONReading.write(value) },
            contentType: "application/json"
        )
    }

    /// Bytes, sent unchanged.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: Their Content-Type.
    /// - Returns: The content.
    public static func bytes(_ bytes: [UInt8], contentType: String = "application/octet-stream") -> Self {
        Self(.body(HTTPRequestBody(bytes)), contentType: contentType)
    }

    /// A file, which is read while it is sent and opened anew if it has to be sent again.
    ///
    /// It is looked at when the request is sent. If it changes after that, the request fails with
    /// ``ClientError/localFile``.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - contentType: Its Content-Type.
    /// - Returns: The content.
    public static func file(_ path: String, contentType: String = "application/octet-stream") -> Self {
        Self(.file(path), contentType: contentType)
    }

    /// A body of any kind. A request whose body is a stream is never sent again.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: Its Content-Type; `nil` for none.
    /// - Returns: The content.
    public static func body(_ body: HTTPRequestBody, contentType: String? = "application/octet-stream")
        -> Self
    {
        Self(.body(body), contentType: contentType)
    }

    /// Whether the content can be sent again.
    public var isRepeatable: Bool {
        if case .body(let body) = source { body.isRepeatable } else { true }
    }

    /// Returns the body to send.
    package func body() throws(ClientError) -> HTTPRequestBody {
        switch source {
        case .body(let body): return body
        case .json(let write): return HTTPRequestBody(try write())
        case .file(let path): return try HTTPRequestBody(file: path)
        }
    }
}
