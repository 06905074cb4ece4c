// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension HTTPField.Name {
    /// The header in which clients of the timestamped login send their token.
    static let authToken = Self(authTokenText) ?? .authorization
    private static var authTokenText: String { "x-auth-token" }

    static let host = Self("host") ?? .authorization

    fileprivate static let contentTypeOptions = Self("x-content-type-options") ?? .contentType
}

/// An answer of the server.
struct ServerAnswer: Sendable {
    var status: HTTPResponse.Status
    var headers = HTTPFields()
    let body: [UInt8]
    /// Whether to close the connection afterwards, since the rest of the request may be too long to read.
    var closes = false
    /// Whether the request's body has been received completely.
    var hasTakenBody = false
    /// Whether the request is logged.
    var isLogged = true
    /// The login that is answered, for the log.
    var login: LoggedLogin?

    /// The cookies to set, with their lifetimes.
    private var cookies: [(name: String, value: String, lifetime: Duration)] = []

    private init(_ status: HTTPResponse.Status, _ type: String, _ body: [UInt8]) {
        self.status = status
        self.body = body
        headers[.contentType] = type
        headers[.cacheControl] = "no-store"
        if type.hasPrefix("text/") { headers[.contentTypeOptions] = "nosniff" }
    }

    /// Returns a JSON answer with its keys in alphabetical order.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Self {
        guard let line = try? JSONLine(encoding: value) else {
            return Self(.internalServerError, "application/json", Array("{}\n".utf8))
        }
        return Self(status, "application/json; charset=utf-8", line.bytes)
    }

    /// Returns an answer that is JSON already.
    static func json(text: String) -> Self { Self(.ok, "application/json; charset=utf-8", Array(text.utf8)) }

    /// Returns an answer without a body.
    static func empty(_ status: HTTPResponse.Status) -> Self {
        var answer = Self(status, "", [])
        answer.headers[.contentType] = nil
        return answer
    }

    static func text(_ text: String) -> Self {
        Self(.ok, "text/plain; charset=utf-8", Array(text.utf8))
    }

    static func html(_ text: String, status: HTTPResponse.Status) -> Self {
        Self(status, "text/html; charset=utf-8", Array(text.utf8))
    }

    /// Returns an error, in the envelope of most answers.
    static func refusal(_ status: HTTPResponse.Status, _ message: String) -> Self {
        json(CodeEnvelope<Nothing>(code: status.code, msg: message, data: nil), status: status)
    }

    /// Returns the answer with the header `Retry-After`.
    func retrying(after wait: Duration) -> Self {
        var copy = self
        copy.headers[.retryAfter] = "\(Self.seconds(of: wait))"
        return copy
    }

    /// Returns the whole seconds to wait: rounded up, so that no client comes again too early, and at least one.
    static func seconds(of wait: Duration) -> Int64 {
        max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    }

    /// Sets a cookie.
    mutating func addCookie(_ name: String, _ value: String, lifetime: Duration) {
        cookies.append((name, value, lifetime))
    }

    /// Writes the cookies into the headers.
    ///
    /// - Parameter isEncrypted: Whether the client uses TLS, so that it must not send them otherwise.
    mutating func writeCookies(isEncrypted: Bool) {
        let secure = isEncrypted ? "; Secure" : ""
        for (name, value, lifetime) in cookies {
            let seconds = lifetime.components.seconds
            let text = "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
            headers.append(HTTPField(name: .setCookie, value: text))
        }
        cookies = []
    }

    /// Converts the answer for Hummingbird.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - channel: Its connection.
    ///   - isLast: Whether no further request of the connection is accepted.
    /// - Returns: The response.
    func response(to request: Request, on channel: any Channel, isLast: Bool = false) -> Response {
        var response = Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
        // A response to HEAD states the length, but has no body.
        if request.method == .head { response = response.createHeadResponse() }
        // An unexpected body may be endless.
        if isLast || closes || !hasTakenBody && Self.hasBody(request) {
            response.headers[.connection] = "close"
            // The delay lets the client read the answer before the connection is reset.
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
        return response
    }

    private static func hasBody(_ request: Request) -> Bool {
        request.headers[.transferEncoding] != nil || request.headers[.contentLength] ?? "0" != "0"
    }
}
