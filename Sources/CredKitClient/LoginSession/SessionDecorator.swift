// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

/// Adds a session's cookies and token to the requests that may have them, and stores those in responses.
struct SessionDecorator: RequestDecorator {
    let session: LoginSession
    /// The login that the request is sent with.
    let generation: RenewalState.Generation
    let tokenField: HTTPField.Name?

    func decorate(_ request: inout HTTPRequest, at step: RedirectStep) throws(ClientError) {
        guard session.credentialOrigins.contains(step.url.origin) else { return }
        let now = session.now()
        try session.state.withLock { (state) throws(ClientError) in
            guard state.logins.generation.user == generation.user else { throw LoginSession.otherUser }
            if let cookies = state.jar.header(
                for: step.url,
                at: now,
                context: Self.context(of: step, method: request.method)
            ) {
                request.headerFields.replace(.cookie, with: cookies)
            }
            // If another origin redirected here, that origin chose the URL: the token is sent only with the
            // program's own requests.
            guard !step.isRedirectTainted, let tokenField, let token = state.token else { return }
            request.headerFields.replace(tokenField, with: token.text)
        }
    }

    func receive(_ head: HTTPResponse, at step: RedirectStep) {
        guard session.credentialOrigins.contains(step.url.origin) else { return }
        // One pass, because every response comes through here.
        var fields: [String] = []
        var token: String?
        for field in head.headerFields {
            if field.name == .setCookie {
                fields.append(field.value)
            } else if field.name == tokenField {
                token = field.value
            }
        }
        guard !fields.isEmpty || token != nil else { return }
        let now = session.now()
        let isChanged = session.state.withLock { state in
            // A late response to an older login must not overwrite the cookies and token of a newer one.
            guard state.logins.isCurrent(generation) else { return false }
            let stored = state.jar.store(fields, from: step.url, at: now, context: Self.context(of: step))
            var isChanged = stored.isChanged
            if let token, let secret = try? SecretBytes(token), secret != state.token {
                state.token = secret.isEmpty ? nil : secret
                isChanged = true
            }
            return isChanged
        }
        if isChanged { session.saveSoon() }
    }

    func stops(at target: HTTPURL, from step: RedirectStep) -> Bool {
        session.isLoginPage(target)
    }

    /// A request that another origin redirected here is not the program's own request. A POST redirected here
    /// must not act in the user's name, so cookies without `SameSite=None` are not sent.
    static func context(of step: RedirectStep, method: HTTPRequest.Method = .get) -> CookieContext {
        let isSafe = [.get, .head, .options, .trace].contains(method)
        return step.isRedirectTainted ? .crossSiteNavigation(methodIsSafe: isSafe) : .sameSite
    }
}

extension SecretBytes {
    /// The bytes as text, for a header. The text is not in guarded memory.
    var text: String {
        withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
