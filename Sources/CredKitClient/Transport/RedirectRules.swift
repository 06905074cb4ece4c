// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Where a request may go, and what it takes along. No I/O: a runner asks, and does as it is told.
package struct RedirectRules: Sendable {
    /// The origins that the caller's own headers and bodies may go to.
    package var allowedOrigins: Set<Origin>
    /// Whether a request may go in clear to another computer.
    package var allowsInsecureHTTP: Bool
    /// The most redirects that are followed.
    package var maximumCount: Int
    /// What the transport connects to: plain http is allowed where that is this computer.
    package var routes: ConnectionRoutes

    package init(
        allowedOrigins: Set<Origin>,
        allowsInsecureHTTP: Bool = false,
        maximumCount: Int = 10,
        routes: ConnectionRoutes = .direct
    ) {
        self.allowedOrigins = allowedOrigins
        self.allowsInsecureHTTP = allowsInsecureHTTP
        self.maximumCount = maximumCount
        self.routes = routes
    }

    /// Headers that go along to origins outside the allowed ones. A list of what must not would miss
    /// x-auth-token.
    private static let harmless: Set<HTTPField.Name> = [.accept, .acceptLanguage, .userAgent]

    /// Headers that speak of a body, and go when it goes.
    private static let ofBodies: [HTTPField.Name] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation, .contentDisposition,
    ]

    /// Headers that decide how a message is framed or whom it is for: the transport sets them, from the URL
    /// and the body.
    private static let ofTransport: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer",
        "expect", "proxy-authorization", "proxy-connection", "http2-settings",
    ]

    /// The first hop, if the URL may be asked at all. The caller named it: its headers and its body go there,
    /// whatever the allowed origins are.
    package func firstHop(to url: HTTPURL) throws(LoginError) -> RequestHop {
        try checkEncryption(of: url)
        return RequestHop(url: url, hasLeftAllowedOrigins: !allowedOrigins.contains(url.origin))
    }

    /// Refuses headers that are not the caller's to set.
    package func check(_ request: OutgoingRequest) throws(LoginError) {
        for field in request.headers where Self.ofTransport.contains(field.name.canonicalName) {
            throw .invalidRequest(
                "the header \(field.name.canonicalName) is set by the transport, not by the caller"
            )
        }
    }

    /// Where a response redirects to; `nil` if it does not.
    package func target(of head: HTTPResponse, on hop: RequestHop) throws(LoginError) -> HTTPURL? {
        guard [301, 302, 303, 307, 308].contains(head.status.code) else { return nil }
        let locations = head.headerFields[values: .location]
        guard let location = locations.first else { return nil }
        guard locations.allSatisfy({ $0 == location }) else {
            throw .redirectRefused("the server redirects to several places at once", status: head.status.code)
        }
        do throws(LoginError) {
            return try hop.url.resolving(location)
        } catch {
            throw .redirectRefused("the server redirects to no URL: \(error)", status: head.status.code)
        }
    }

    /// The hop that follows a redirect, if it may be followed. The request becomes what is sent on it.
    package func follow(
        _ head: HTTPResponse,
        to target: HTTPURL,
        from hop: RequestHop,
        changing request: inout OutgoingRequest
    ) throws(LoginError) -> RequestHop {
        let status = head.status.code
        guard hop.number < maximumCount else {
            throw .tooManyRedirects("more than \(maximumCount) redirects")
        }
        guard target.origin.isSecure || !hop.url.origin.isSecure else {
            throw .redirectRefused("the server redirects from https to http", status: status)
        }
        try checkEncryption(of: target)
        let isAllowed = allowedOrigins.contains(target.origin)
        let hasLeft = hop.hasLeftAllowedOrigins || !isAllowed

        let becomesGet =
            status == 303
            ? request.method != .get && request.method != .head
            : [301, 302].contains(status) && request.method == .post
        if becomesGet {
            request.method = .get
            request.body = nil
        } else if let body = request.body, !body.isRepeatable {
            throw .redirectRefused(
                "the server redirects a request whose body cannot be sent again",
                status: status
            )
        }
        if !isAllowed, request.body != nil || (request.method != .get && request.method != .head) {
            throw .redirectRefused(
                "the server redirects a \(request.method.rawValue) request to \(target.origin)",
                status: status
            )
        }
        if hasLeft { request.headers = request.headers.filtered { Self.harmless.contains($0) } }
        if request.body == nil { for name in Self.ofBodies { request.headers[name] = nil } }
        request.url = target
        return RequestHop(url: target, number: hop.number + 1, hasLeftAllowedOrigins: hasLeft)
    }

    private func checkEncryption(of url: HTTPURL) throws(LoginError) {
        guard url.origin.isSecure || allowsInsecureHTTP || routes.staysOnThisComputer(url.origin) else {
            throw .insecureConnection("\(url.origin) would be asked without encryption")
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
