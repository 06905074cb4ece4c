// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The body of a request: bytes, or a stream of them.
public struct HTTPRequestBody: Sendable {
    /// The content of a request body.
    public enum Content: Sendable {
        /// All bytes.
        case bytes([UInt8])
        /// Pieces, and their total size in bytes; `nil` if the size is unknown.
        case stream(HTTPResponseBody, byteCount: Int64?)
    }

    /// The content to send.
    public let content: Content

    /// Creates a body that can be sent again.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: [UInt8]) { content = .bytes(bytes) }

    /// Creates a body that is read while it is sent. It can be sent only once, so its request is never
    /// repeated.
    ///
    /// - Parameters:
    ///   - stream: The pieces. If reading them throws an error that is not a ``ClientError``, the request fails with
    ///     ``ClientError/requestBody``, whose ``ClientError/underlying`` error it is.
    ///   - byteCount: The total size in bytes; `nil` if it is unknown.
    public init(streaming stream: HTTPResponseBody, byteCount: Int64? = nil) {
        var stream = stream
        stream.failureCode = .requestBody
        content = .stream(stream, byteCount: byteCount)
    }

    /// Whether the body can be sent again.
    public var isRepeatable: Bool {
        if case .bytes = content { true } else { false }
    }
}
