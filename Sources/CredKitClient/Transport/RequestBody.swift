// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The body of a request: bytes, or a stream of them.
public struct RequestBody: Sendable {
    /// What a transport has to send.
    public enum Content: Sendable {
        /// All of it.
        case bytes([UInt8])
        /// Pieces, and how many bytes they are together; `nil` when that is not known.
        case stream(ResponseBody, byteCount: Int64?)
    }

    /// What to send.
    public let content: Content

    /// A body that can be sent again.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: [UInt8]) { content = .bytes(bytes) }

    /// A body that is read while it is sent, and can therefore be sent only once: a request with it is never
    /// repeated.
    ///
    /// - Parameters:
    ///   - stream: The pieces.
    ///   - byteCount: How many bytes they are together; `nil` when that is not known.
    public init(streaming stream: ResponseBody, byteCount: Int64? = nil) {
        content = .stream(stream, byteCount: byteCount)
    }

    /// Whether it can be sent again.
    public var isRepeatable: Bool {
        if case .bytes = content { true } else { false }
    }
}
