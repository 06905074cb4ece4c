// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Logging

extension LoginProfile {
    /// Returns the profile of an authorization server that publishes its metadata
    /// ([RFC 8414](https://www.rfc-editor.org/rfc/rfc8414)), also as OpenID Connect Discovery does.
    ///
    /// The profile's ``server`` is the origin of the endpoints, which a session must list in
    /// ``LoginSession/Configuration/credentialOrigins``. Store the profile: it does not change from login to login.
    ///
    /// - Parameters:
    ///   - issuer: The URL of the authorization server, without a query, as it calls itself.
    ///   - clientID: The identifier of the program at the authorization server.
    ///   - clientSecret: The client's password; `nil` for a public client.
    ///   - scope: What to ask for; `nil` for the server's default.
    ///   - redirectURL: Where a browser brings the answer, as it is registered there; see
    ///     ``BrowserLogin/redirectURL``.
    ///   - dpop: Whether tokens are bound to a key; `nil` for no. With ``DPoPMode/preferred`` they are not if the server lists
    ///     the algorithms of proofs, and ES256 is none of them.
    ///   - configuration: How to connect: timeouts, connection and logger.
    ///   - transport: The transport for the request; libcurl if `nil`.
    /// - Returns: The profile.
    /// - Throws: ``ClientError/malformedResponse`` if the metadata is that of another server, or names endpoints on several
    ///   origins; ``ClientError/serverError`` if the server requires what CredKit does not have, or does not have proof keys
    ///   with S256 (RFC 7636), or no ES256 with ``DPoPMode/required``; ``ClientError/redirectRefused`` if the
    ///   metadata is at another origin; ``ClientError/unexpectedStatus`` if there is none; ``ClientError/invalidURL``,
    ///   ``ClientError/insecureConnection``, and errors of the connection.
    public static func oauth(
        issuer: String,
        clientID: String,
        clientSecret: String? = nil,
        scope: String? = nil,
        redirectURL: String = BrowserLogin.defaultRedirectURL,
        dpop: DPoPMode? = nil,
        configuration: LoginSession.Configuration = LoginSession.Configuration(),
        transport: (any HTTPTransport)? = nil
    ) async throws(ClientError) -> LoginProfile {
        let url = try HTTPURL(issuer)
        guard url.query == nil else { throw .invalidURL("an issuer's URL has no query") }
        let metadata = try await metadata(of: url, configuration, transport)
        // RFC 8414, section 3.3: otherwise one server could speak for another.
        guard ASCIIText.areEqual(metadata.issuer, issuer) else {
            throw .malformedResponse(
                "the authorization server calls itself '\(TerminalSafeText.text(metadata.issuer, upTo: 200))': give that "
                    + "URL if it is the right one"
            )
        }
        let token = try HTTPURL(metadata.tokenEndpoint)
        func path(_ endpoint: String) throws(ClientError) -> String {
            let url = try HTTPURL(endpoint)
            guard url.origin == token.origin, url.query == nil else {
                throw .malformedResponse(
                    "the authorization server has endpoints on several origins, or with a query: CredKit needs them on "
                        + "one, without"
                )
            }
            return url.path
        }
        let mode = try metadata.dpopMode(dpop)
        if dpop != nil, mode == nil { configuration.reportUnboundTokens(["issuer": "\(issuer)"]) }
        var profile = LoginProfile.oauth(
            clientID: clientID,
            clientSecret: clientSecret,
            clientAuthentication: clientSecret == nil ? .basic : metadata.clientAuthentication,
            scope: scope,
            tokenPath: try path(metadata.tokenEndpoint),
            deviceAuthorizationPath: try metadata.deviceAuthorizationEndpoint.map(path),
            revocationPath: try metadata.revocationEndpoint.map(path),
            browserLogin: try metadata.browserLogin(redirectURL: redirectURL),
            dpop: mode
        )
        profile.server = "\(token.origin)"
        try profile.check()
        return profile
    }

    private static func metadata(
        of issuer: HTTPURL,
        _ configuration: LoginSession.Configuration,
        _ transport: (any HTTPTransport)?
    ) async throws(ClientError) -> AuthorizationServerMetadata {
        var plain = LoginSession.Configuration()
        plain.maximumBodyByteCount = LoginExchange.maximumAnswerByteCount
        plain.timeouts = configuration.timeouts
        plain.connection = configuration.connection
        plain.logger = configuration.logger
        plain.staysWithinCredentialOrigins = true
        let session = try LoginSession(
            server: "\(issuer.origin)",
            profile: .form(),
            keychain: nil,
            configuration: plain,
            transport: transport
        )
        let path = issuer.path.utf8.last == UInt8(ascii: "/") ? String(issuer.path.dropLast()) : issuer.path
        do throws(ClientError) {
            return try await session.value(of: .get("/.well-known/oauth-authorization-server\(path)"))
        } catch {
            guard error.statusCode == 404 else { throw refusal(error, issuer) }
        }
        do throws(ClientError) {
            return try await session.value(of: .get("\(path)/.well-known/openid-configuration"))
        } catch {
            throw refusal(error, issuer)
        }
    }

    /// A redirect that is not followed is taken for an expired login.
    private static func refusal(_ error: ClientError, _ issuer: HTTPURL) -> ClientError {
        guard
            error == .sessionExpired || error == .reauthenticationRequired
                || error.statusCode.map({ 300..<400 ~= $0 }) == true
        else { return error }
        return .redirectRefused(
            "the authorization server redirects to another origin than \(issuer.origin), which could speak for it: name the issuer there",
            status: 302
        )
    }
}
