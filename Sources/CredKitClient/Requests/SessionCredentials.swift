// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes
internal import Logging

/// Adds a session's cookies and token to the requests that may have them, and stores those in responses. Which headers
/// of the caller's own a redirect keeps is for `RedirectRules`.
struct SessionCredentials: RequestInterceptor {
    let session: LoginSession

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var next = next
        try next.adoptPath(of: request)
        for name in [HTTPField.Name.authorization, .cookie] where request.headerFields.hasField(name) {
            next.ownCredentials += ["\(name)"] + request.headerFields[values: name]
        }
        guard session.credentialOrigins.contains(next.step.url.origin) else {
            return try await next(request, body: body)
        }
        var request = request
        try add(to: &request, next)
        let response = try await next(request, body: body)
        store(response.head, next)
        return response
    }

    private func add(to request: inout HTTPRequest, _ chain: RequestChain) throws(ClientError) {
        let (step, now) = (chain.step, session.now())
        try session.state.withLock { (state) throws(ClientError) in
            guard state.logins.generation.user == chain.generation.user else { throw LoginSession.otherUser }
            if let cookies = state.jar.header(
                for: step.url,
                at: now,
                context: Self.context(of: step, method: request.method)
            ) {
                request.headerFields.replace(.cookie, with: cookies)
            }
            // If another origin redirected here, also the caller's first one, that origin chose the URL: the token is sent
            // only with the program's own requests.
            guard !step.isRedirectTainted, let name = session.tokenField, let token = state.token else {
                return
            }
            request.headerFields.replace(name, with: token.text)
        }
    }

    /// Stores cookies and token of a response, if the server may set them and the login is still the same.
    ///
    /// If another origin redirected here, also the caller's first one, it chose the URL, and so what the response sets:
    /// with a ticket in it, the cookies and the token of a login of its own.
    func store(_ head: HTTPResponse, _ chain: RequestChain) {
        guard session.credentialOrigins.contains(chain.step.url.origin), !chain.isRedirectTainted else {
            return
        }
        // Every response comes through here, and most set nothing.
        let received = head.headerFields
        let hasCookies = received.contains(.setCookie)
        let tokenField =
            session.tokenSource == .responses
            ? session.tokenField.flatMap { received.contains($0) ? $0 : nil } : nil
        guard hasCookies || tokenField != nil else { return }
        let fields = received.valuesInUTF8(.setCookie)
        let token =
            tokenField.flatMap { received.areUTF8($0) ? received[values: $0].last : nil }.flatMap(accepted)
        let (step, now) = (chain.step, session.now())
        let isChanged = session.state.withLock { state in
            // A late response to an older login must not overwrite the cookies and token of a newer one.
            guard state.logins.isCurrent(chain.generation) else { return false }
            let stored = state.jar.store(fields, from: step.url, at: now)
            var isChanged = stored.isChanged
            if let token, token != state.token {
                state.token = token.isEmpty ? nil : token
                isChanged = true
            }
            return isChanged
        }
        if isChanged { session.saveSoon() }
    }

    /// Returns a new token; `nil` if a header cannot have it. The one before it may still be valid, and if it is not, the login
    /// is renewed.
    private func accepted(_ token: String) -> SecretBytes? {
        do throws(ClientError) {
            return try SecretBytes(token: token)
        } catch {
            session.logger.warning("a new token is ignored", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// A request that another origin redirected here is not the program's own request. A POST redirected here
    /// must not act in the user's name, so cookies without `SameSite=None` are not sent.
    static func context(of step: RedirectStep, method: HTTPRequest.Method = .get) -> CookieContext {
        step.isRedirectTainted ? .crossSiteNavigation(methodIsSafe: method.isSafe) : .sameSite
    }
}

extension LoginSession {
    /// Whether a request to a URL gets cookies of the session, in place of the caller's own.
    package func sendsCookies(to url: HTTPURL) -> Bool {
        guard sendsCredentials(to: url) else { return false }
        let time = now()
        return state.withLock { $0.jar.header(for: url, at: time) != nil }
    }
}

extension SecretBytes {
    /// Stores a token that later requests repeat in a header.
    ///
    /// - Throws: ``ClientError/malformedResponse`` if a header cannot have it: a session that kept it could not send any
    ///   request.
    init(token: String) throws(ClientError) {
        guard CurlHeaderLines.isValue(token) else {
            throw .malformedResponse(
                "the server sent a token with characters that HTTP does not allow in a header"
            )
        }
        do throws(SecretMemoryError) { self = try SecretBytes(token) } catch { throw .outOfMemory }
    }

    /// The bytes as text, for a header. The text is not in guarded memory.
    var text: String {
        withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
