// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import CredKit

/// One request of a server's API: how to send it, and how to decode the response.
///
/// ```swift
/// extension Endpoint<[Student]> {
///     static func students(classID: Int) -> Self { .get("/studentList", query: ["id": "\(classID)"]) }
/// }
/// let students = try await session.value(of: .students(classID: 666))
/// ```
///
/// The body is any `Decodable` type, `[UInt8]` for the bytes of the response, or `Void` for none.
public struct Endpoint<Value: Sendable>: Sendable {
    /// The method.
    public var method: HTTPRequest.Method

    /// The server's URL, if it is another one than the session's; `nil` for the session's.
    ///
    /// Cookies and token are sent there only if ``LoginSession/Configuration/credentialOrigins`` contains its origin.
    public var server: String?

    /// The path below server, path prefix and version, not encoded. Its segments are percent-encoded when the
    /// request is sent, so `/lists/käse & wein` has two segments, and `?`, `#` and `%` are ordinary
    /// characters. `/` is the separator.
    public var path: String

    /// The path prefix, which is the part of the URL after the server's own path, such as `teacher`. `nil` for
    /// the session's path prefix; empty for none.
    public var pathPrefix: String?

    /// The version, which is the part of the URL after the path prefix, such as `v2`. `nil` for the session's
    /// version; empty for none.
    public var version: String?

    /// Names and values of the query, in order, not encoded.
    public var query: [(key: String, value: String)]

    /// The body of the request; `nil` for none.
    public var payload: RequestPayload?

    /// Headers of this request. They replace the session's headers of the same name.
    public var headers: HTTPFields

    /// The envelope of the responses; `nil` for the session's envelope.
    public var envelope: Envelope?

    /// What happens to a request while an earlier one to this endpoint is under way; `nil` for
    /// ``DuplicatePolicy/share`` with GET and HEAD, and ``DuplicatePolicy/allow`` with other methods.
    public var duplicates: DuplicatePolicy?

    /// Signs the requests, if they go to the session's ``LoginSession/Configuration/credentialOrigins``; `nil` for
    /// the session's signer, ``RequestSigner/unsigned`` for none.
    public var signer: RequestSigner?

    let decoding: BodyDecoding<Value>

    init(
        method: HTTPRequest.Method,
        path: String,
        query: KeyValuePairs<String, String>,
        payload: RequestPayload?,
        decoding: BodyDecoding<Value>
    ) {
        self.method = method
        self.path = path
        self.query = Array(query)
        self.payload = payload
        self.decoding = decoding
        headers = [:]
    }

    /// Whether the request can be sent again, after a renewed login or for a redirect.
    public var isRepeatable: Bool { payload?.isRepeatable ?? true }

    /// Returns a copy of this endpoint with one property changed: `.get("/list").setting(\.version, to: "v2")`.
    ///
    /// - Parameters:
    ///   - field: The property.
    ///   - value: Its new value.
    /// - Returns: The endpoint.
    public func setting<Field>(_ field: WritableKeyPath<Self, Field>, to value: Field) -> Self {
        var endpoint = self
        endpoint[keyPath: field] = value
        return endpoint
    }
}

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and path. Query, headers and content may contain passwords and tokens, so they are left out.
    public var description: String { "Endpoint(\(method.rawValue) \(path))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror with method and path only.
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method.rawValue, "path": path], displayStyle: .struct)
    }
}

extension RequestPayload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The Content-Type. The content may contain passwords and tokens, so it is left out.
    public var description: String { "RequestPayload(\(contentType ?? "-"))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror with the Content-Type only.
    public var customMirror: Mirror {
        Mirror(self, children: ["contentType": contentType as Any], displayStyle: .struct)
    }
}

extension Endpoint.Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and the server's code and message. Headers and body may contain cookies and tokens, so they are left
    /// out.
    public var description: String {
        "Response(status: \(head.status.code), code: \(serverCode.map(String.init) ?? "-"), "
            + "message: \(serverMessage.debugDescription))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without headers, token and body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": head.status.code, "serverCode": serverCode as Any, "serverMessage": serverMessage,
            ],
            displayStyle: .struct
        )
    }
}

extension Endpoint {
    /// The response of an endpoint.
    public struct Response: Sendable {
        /// The decoded body.
        public let value: Value

        /// The body as the server sent it, including the envelope.
        public let rawBody: [UInt8]

        /// Status and headers, without the cookies and the token, which belong to the session.
        public let head: HTTPResponse

        /// The code in the envelope; `nil` if there is no envelope.
        public let serverCode: Int?

        /// The message in the envelope, empty if there is none.
        ///
        /// > Important: This is untrusted text from the server: check it before you show it.
        public let serverMessage: String

        /// The server's time in the envelope, in the server's format; `nil` if there is none.
        public let serverTime: String?

        /// The total number of elements, of which the body contains one page; `nil` if the envelope does not
        /// say.
        public let total: Int?

        /// The token in the response's header; `nil` if there is none.
        public let token: SecretBytes?

        /// How the cache took part; ``CacheUse/network`` if the session has none.
        public let cacheUse: CacheUse
    }
}
