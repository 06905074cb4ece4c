// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Decides where a request may be sent, and which parts of it: the caller's own headers, `Authorization` included, and
/// the body. The session's cookies and token are for `SessionCredentials`. It does no I/O: a runner asks it and
/// follows its decisions.
package struct RedirectRules: Sendable {
    /// The origins that may receive the caller's own headers and bodies.
    package var credentialOrigins: Set<Origin>
    /// Whether a request may be sent unencrypted to another computer.
    package var allowsInsecureHTTP: Bool
    /// The maximum number of redirects to follow.
    package var maximumCount: Int
    /// Selects the transport's peers: unencrypted http is allowed if the peer is this computer.
    package var routes: ConnectionRoutes

    package init(
        credentialOrigins: Set<Origin>,
        allowsInsecureHTTP: Bool = false,
        maximumCount: Int = 10,
        routes: ConnectionRoutes = .direct
    ) {
        self.credentialOrigins = credentialOrigins
        self.allowsInsecureHTTP = allowsInsecureHTTP
        self.maximumCount = maximumCount
        self.routes = routes
    }

    /// Headers that are also sent to origins outside the allowed ones. A denylist would miss headers such as
    /// x-auth-token.
    private static let harmless: Set<HTTPField.Name> = [.accept, .acceptLanguage, .userAgent]

    /// Headers that describe a body, and are removed with it.
    private static let ofBodies: [HTTPField.Name] =
        [
            .contentType, .contentEncoding, .contentLanguage, .contentLocation, .contentDisposition,
        ] + ["Content-Digest", "Repr-Digest"].compactMap { HTTPField.Name($0) }

    /// Headers that determine the framing or the recipient of a message. The transport sets them from the URL
    /// and the body.
    private static let ofTransport: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer",
        "expect", "proxy-authorization", "proxy-connection", "http2-settings",
    ]

    /// Returns the first step, if the URL may be requested. The caller named it, so its headers and body are
    /// sent there even if it is not an allowed origin.
    package func firstStep(to url: HTTPURL) throws(ClientError) -> RedirectStep {
        try checkEncryption(of: url)
        return RedirectStep(url: url, isRedirectTainted: !credentialOrigins.contains(url.origin))
    }

    /// Rejects a method and headers that callers and interceptors must not set.
    static func check(_ method: HTTPRequest.Method, _ headers: HTTPFields) throws(ClientError) {
        // A tunnel is not a request for a URL, and a proxy would open it to the host of the path.
        guard ASCIIText.lowercased(method.rawValue) != "connect" else {
            throw .invalidRequest("invalid request: the method CONNECT cannot be sent")
        }
        for field in headers where Self.ofTransport.contains(field.name.canonicalName) {
            throw .invalidRequest(
                "invalid request: the header \(field.name.canonicalName) is set by the transport, not by the caller"
            )
        }
    }

    /// Returns the target of a redirect; `nil` if the response is not a redirect.
    package func target(of head: HTTPResponse, at step: RedirectStep) throws(ClientError) -> HTTPURL? {
        guard [301, 302, 303, 307, 308].contains(head.status.code) else { return nil }
        let locations = head.headerFields[values: .location]
        guard let location = locations.first else { return nil }
        guard locations.allSatisfy({ ASCIIText.areEqual($0, location) }) else {
            throw .redirectRefused("refusing a redirect to several URLs at once", status: head.status.code)
        }
        do throws(ClientError) {
            return try step.url.resolving(location)
        } catch {
            throw .redirectRefused(
                "refusing a redirect to an invalid URL: \(error)",
                status: head.status.code
            )
        }
    }

    /// Returns the next step of a redirect, if it may be followed, and changes the request accordingly.
    package func follow(
        _ head: HTTPResponse,
        to target: HTTPURL,
        from step: RedirectStep,
        changing request: inout OutgoingRequest
    ) throws(ClientError) -> RedirectStep {
        let status = head.status.code
        guard step.redirectCount < maximumCount else {
            throw .tooManyRedirects("too many redirects: more than \(maximumCount)")
        }
        guard target.origin.isSecure || !step.url.origin.isSecure else {
            throw .redirectRefused("refusing a redirect from https to http", status: status)
        }
        try checkEncryption(of: target)
        let isAllowed = credentialOrigins.contains(target.origin)
        let hasLeft = step.isRedirectTainted || !isAllowed

        let becomesGet =
            status == 303
            ? request.method != .get && request.method != .head
            : [301, 302].contains(status) && request.method == .post
        if becomesGet {
            request.method = .get
            request.body = nil
        } else if let body = request.body, !body.isRepeatable {
            throw .redirectRefused(
                "cannot follow a redirect: the request body cannot be sent again",
                status: status
            )
        }
        if !isAllowed, request.body != nil || (request.method != .get && request.method != .head) {
            throw .redirectRefused(
                "refusing to redirect a \(request.method.rawValue) request to \(target.origin), not an allowed origin",
                status: status
            )
        }
        if hasLeft { removeOwnHeaders(of: &request) }
        if request.body == nil { for name in Self.ofBodies { request.headers[name] = nil } }
        request.url = target
        return RedirectStep(url: target, redirectCount: step.redirectCount + 1, isRedirectTainted: hasLeft)
    }

    /// Removes the headers that only the allowed origins may receive.
    func removeOwnHeaders(of request: inout OutgoingRequest) {
        request.headers = request.headers.filtered { Self.harmless.contains($0) }
    }

    private func checkEncryption(of url: HTTPURL) throws(ClientError) {
        guard url.origin.isSecure || allowsInsecureHTTP || routes.isLocal(url.origin) else {
            throw .insecureConnection("refusing to send a request over unencrypted http to \(url.origin)")
        }
    }
}

extension HTTPFields {
    fileprivate func filtered(_ isIncluded: (HTTPField.Name) -> Bool) -> HTTPFields {
        var fields = HTTPFields()
        for field in self where isIncluded(field.name) { fields.append(field) }
        return fields
    }
}
