// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

/// Adds a session's cookies and token to the hops that may have them, and keeps what responses bring.
struct SessionDecorator: RequestDecorator {
    let session: LoginSession
    /// The login that the request is sent with.
    let generation: RenewalState.Generation
    let tokenField: HTTPField.Name?

    func decorate(_ request: inout HTTPRequest, on hop: RequestHop) throws(LoginError) {
        guard session.credentialOrigins.contains(hop.url.origin) else { return }
        let now = session.now()
        try session.state.withLock { (state) throws(LoginError) in
            guard state.logins.generation.user == generation.user else { throw LoginSession.otherUser }
            if let cookies = state.jar.header(
                for: hop.url,
                at: now,
                context: Self.context(of: hop, method: request.method)
            ) {
                request.headerFields.replace(.cookie, with: cookies)
            }
            // Where another origin has sent us, it has chosen the URL: the token goes with the program's own requests only.
            guard !hop.hasLeftAllowedOrigins, let tokenField, let token = state.token else { return }
            request.headerFields.replace(tokenField, with: token.text)
        }
    }

    func receive(_ head: HTTPResponse, on hop: RequestHop) {
        guard session.credentialOrigins.contains(hop.url.origin) else { return }
        // In one go, since every response comes through here.
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
            // A late response to an older login must not overwrite what a newer one brought.
            guard state.logins.isCurrent(generation) else { return false }
            let stored = state.jar.store(fields, from: hop.url, at: now, context: Self.context(of: hop))
            var isChanged = stored.isChanged
            if let token, let secret = try? SecretBytes(token), secret != state.token {
                state.token = secret.isEmpty ? nil : secret
                isChanged = true
            }
            return isChanged
        }
        if isChanged { session.saveSoon() }
    }

    func stops(at target: HTTPURL, from hop: RequestHop) -> Bool {
        session.isLoginPage(target)
    }

    /// A hop that another origin has sent here is no request of the program's own.
    /// A POST that it has sent here must not be done in the user's name: a cookie that does not say `SameSite=None`
    /// stays at home.
    static func context(of hop: RequestHop, method: HTTPRequest.Method = .get) -> CookieContext {
        let isSafe = [.get, .head, .options, .trace].contains(method)
        return hop.hasLeftAllowedOrigins ? .crossSiteNavigation(methodIsSafe: isSafe) : .sameSite
    }
}

extension SecretBytes {
    /// The bytes as text, for a header. It leaves guarded memory with that.
    var text: String {
        withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
