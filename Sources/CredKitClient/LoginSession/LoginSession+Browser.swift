// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Logging

extension LoginSession {
    /// Logs a user in with a browser on this computer: the authorization code grant of OAuth 2.0 for native programs
    /// ([RFC 8252](https://www.rfc-editor.org/rfc/rfc8252)).
    ///
    /// ```swift
    /// try await session.logInWithBrowser(username: "alice") { (url) throws(ClientError) in
    ///     try SystemBrowser().open(url)
    /// }
    /// ```
    ///
    /// The session listens on a port of this computer that only this user's programs reach, has the URL opened, and waits 5
    /// minutes for the browser to bring an answer with the right state. It exchanges the code for tokens once, with a proof
    /// key (PKCE). The browser shows whether the login has succeeded after it is saved.
    ///
    /// On success the refresh token is saved in the keychain in place of a password; see
    /// ``logIn(username:password:savesPassword:)``. Without a refresh token the login cannot be renewed.
    ///
    /// - Parameters:
    ///   - username: The name that the login is saved under. The server does not check it: the user chooses an account
    ///     at the authorization server.
    ///   - savesToken: Whether to save the refresh token. Otherwise it is in memory until this session logs out; no
    ///     later process can renew the login or revoke the token.
    ///   - open: Opens the URL in a browser. The login waits for it to return, and then for the user. Show the URL as well,
    ///     in case no browser opens, and log it nowhere: together with access to this user's programs it is part of a login.
    /// - Throws: ``ClientError/invalidProfile`` if the profile is not one of OAuth with ``LoginProfile/BrowserLogin``;
    ///   ``ClientError/invalidCredentials`` if the user refuses; ``ClientError/loginAbandoned`` if no answer comes;
    ///   ``ClientError/malformedResponse`` for an answer of another server; what `open` throws; other errors of the
    ///   listener, the connection, the server's answers or the keychain.
    public func logInWithBrowser(
        username: String,
        savesToken: Bool = true,
        opening open: @escaping @Sendable (HTTPURL) async throws(ClientError) -> Void
    ) async throws(ClientError) {
        guard !username.isEmpty else { throw .invalidRequest("cannot log in: the user name is empty") }
        guard let mechanism = mechanism as? OAuthMechanism, mechanism.authorizationURL != nil else {
            throw .invalidProfile("the login profile has no authorizationURL: there is no login in a browser")
        }
        // Before the user does anything.
        try await refuseDowngrade()
        let redirect = try LoopbackRedirect(
            mechanism.redirectURL ?? LoginProfile.BrowserLogin.defaultRedirectURL
        )
        // A quick user must not meet a closed port.
        let server = try CallbackServer.start(redirect, acceptsForms: mechanism.responseMode == .formPost)
        do throws(ClientError) {
            // Not in turn: the user may take minutes, in which other operations continue.
            let flow = flow(serverUTCOffset: nil, trustedUTCOffset: nil)
            let jar = state.withLock { CookieJar(limits: $0.jar.limits, expiryPolicy: $0.jar.expiryPolicy) }
            let login = try await flow.run(jar: jar) { (_, exchange) async throws(ClientError) in
                let request = try AuthorizationRequest(
                    mechanism,
                    redirectURL: server.redirectURL,
                    keyThumbprint: exchange.dpop?.key.thumbprint()
                )
                try await open(request.url)
                let parameters = try await server.answer(
                    within: configuration.browserDeadline,
                    judging: { request.isAnswered(by: $0.parameters) ? .accept : .reject },
                    notify: { self.tell($0, redirectURL: server.redirectURL) }
                )
                let answer = try AuthorizationAnswer(parameters, for: mechanism)
                // Tokens under way would have no owner.
                return try await self.shielded { () async throws(ClientError) in
                    try await mechanism.exchange(answer, of: request, over: exchange.restarted)
                }
            }
            try await completeLogin(login, username: username, savesToken: savesToken, flow)
        } catch {
            await server.finish(error == .invalidCredentials ? .refused : .failed)
            throw error
        }
        await server.finish(.succeeded)
    }

    private func tell(_ notice: CallbackNotice, redirectURL: String) {
        let message =
            switch notice {
            case .wrongAnswer: "another page or program has sent an answer that is not one of this login"
            case .otherHost(let url):
                "the authorization server sends the browser to \(url), and not to \(redirectURL) as it was asked: log in with "
                    + "the redirect URL that is registered there"
            }
        configuration.logger.warning("\(message)", metadata: ["session": "\(name)"])
        configuration.notice?("\(message); waiting on")
    }
}
