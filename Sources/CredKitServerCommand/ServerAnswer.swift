// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitTerminal
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension HTTPField.Name {
    /// The header that the articles carry their token in.
    static var authToken: Self { Self(authTokenText) ?? .authorization }
    private static var authTokenText: String { "x-auth-token" }

    fileprivate static var contentTypeOptions: Self { Self("x-content-type-options") ?? .contentType }
}

/// What the server answers.
struct ServerAnswer: Sendable {
    var status: HTTPResponse.Status
    var headers = HTTPFields()
    let body: [UInt8]
    /// Whether the connection is closed afterwards, since there may be more of the request than anybody wants to read.
    var closes = false
    /// Whether all of the request's body has come.
    var hasTakenBody = false

    private init(_ status: HTTPResponse.Status, _ type: String, _ body: [UInt8]) {
        self.status = status
        self.body = body
        headers[.contentType] = type
        headers[.cacheControl] = "no-store"
        if type.hasPrefix("text/") { headers[.contentTypeOptions] = "nosniff" }
    }

    /// JSON, its keys in alphabetical order.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Self {
        guard let line = try? JSONLine(encoding: value) else {
            return Self(.internalServerError, "application/json", Array("{}\n".utf8))
        }
        return Self(status, "application/json; charset=utf-8", line.bytes)
    }

    static func text(_ text: String) -> Self {
        Self(.ok, "text/plain; charset=utf-8", Array(text.utf8))
    }

    /// Why there is nothing else to say, in the envelope of most answers.
    static func refusal(_ status: HTTPResponse.Status, _ message: String) -> Self {
        json(CodeEnvelope<Nothing>(code: status.code, msg: message, data: nil), status: status)
    }

    /// Adds `Retry-After`.
    func retrying(after seconds: Int) -> Self {
        var copy = self
        copy.headers[.retryAfter] = "\(seconds)"
        return copy
    }

    /// The answer for Hummingbird.
    func response(to request: Request, on channel: any Channel) -> Response {
        var response = Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
        // Its length is told, and none of it is sent.
        if request.method == .head { response = response.createHeadResponse() }
        // A body that nobody asked for may come for ever.
        if closes || !hasTakenBody && Self.hasBody(request) {
            response.headers[.connection] = "close"
            // A little later, so that the answer is read before the connection is reset.
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
        return response
    }

    private static func hasBody(_ request: Request) -> Bool {
        request.headers[.transferEncoding] != nil || request.headers[.contentLength] ?? "0" != "0"
    }
}
#endif
