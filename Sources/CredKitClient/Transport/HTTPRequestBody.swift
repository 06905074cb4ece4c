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

    /// Whether the body can be sent again. A stream then has a new reader each time.
    public let isRepeatable: Bool

    private init(_ content: Content, isRepeatable: Bool) {
        self.content = content
        self.isRepeatable = isRepeatable
    }

    /// Creates a body that can be sent again.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: [UInt8]) { self.init(.bytes(bytes), isRepeatable: true) }

    /// Creates a body that is read while it is sent. It can be sent only once, so its request is never
    /// repeated.
    ///
    /// - Parameters:
    ///   - stream: The pieces. If reading them throws an error that is not a ``ClientError``, the request fails with
    ///     ``ClientError/requestBody``, whose ``ClientError/underlying`` error it is.
    ///   - byteCount: The total size in bytes; `nil` if it is unknown. If it is known, the request has no total timeout
    ///     while the body is sent, see ``Timeouts/total``.
    public init(streaming stream: HTTPResponseBody, byteCount: Int64? = nil) {
        var stream = stream
        stream.failureCode = .requestBody
        self.init(.stream(stream, byteCount: byteCount), isRepeatable: false)
    }

    /// Creates a body that is a file, which is read while it is sent. If it has to be sent again, the file is opened
    /// again.
    ///
    /// The request fails with ``ClientError/localFile`` if the file has changed since this call, by its device, inode,
    /// size and time of modification.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``ClientError/localFile`` if it cannot be opened or is no ordinary file.
    public init(file path: String) throws(ClientError) {
        let file = try FileUpload(path)
        self.init(.stream(file.stream, byteCount: file.byteCount), isRepeatable: true)
    }

    /// The size in bytes; `nil` if it is unknown.
    var byteCount: Int64? {
        switch content {
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(_, let byteCount): byteCount
        }
    }

    /// Returns the same body, which reports its progress while it is sent.
    func reporting(to reporter: ProgressReporter) -> Self {
        guard case .stream(var stream, let byteCount) = content else { return self }
        stream.progress = UploadProgress(reporter: reporter, total: byteCount)
        return Self(.stream(stream, byteCount: byteCount), isRepeatable: isRepeatable)
    }
}

extension HTTPRequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size of the body, as far as it is known. The bytes may contain passwords, so they are left out.
    public var description: String {
        switch content {
        case .bytes(let bytes): "HTTPRequestBody(\(bytes.count) bytes)"
        case .stream(_, let byteCount):
            "HTTPRequestBody(stream, \(byteCount.map { "\($0)" } ?? "unknown") bytes)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the bytes.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}
