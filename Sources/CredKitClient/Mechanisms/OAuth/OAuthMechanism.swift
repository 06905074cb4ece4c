// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// An access token of an OAuth 2.0 authorization server, renewed with a refresh token
/// ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749), section 6). The secret is the refresh token.
struct OAuthMechanism: ProfileMechanism {
    static let scheme = "oauth"
    static let members: Set<String> = [
        "clientID", "clientSecret", "clientAuthentication", "scope", "resource", "tokenPath",
        "deviceAuthorizationPath",
        "revocationPath", "authorizationURL", "issuer", "requiresIssuer", "redirectURL", "responseMode",
        "parameters",
        "dpop",
    ]

    var clientID: String
    /// Authenticates the client; `nil` for a public client.
    var clientSecret: String?
    /// How it does so; `nil` for ``LoginProfile/ClientAuthentication/basic``.
    var clientAuthentication: LoginProfile.ClientAuthentication?
    /// What a login asks for.
    var scope: String?
    /// The resource that the tokens are for (RFC 8707).
    var resource: String?
    var tokenPath: String
    var deviceAuthorizationPath: String?
    var revocationPath: String?
    /// What a browser opens. Only the browser goes there, so it may be at any origin.
    var authorizationURL: String?
    /// The server's name of itself, which an answer by way of the browser must have if it has any.
    var issuer: String?
    /// Whether it must have one, because the server announces that (RFC 9207).
    var requiresIssuer: Bool?
    /// Where the browser brings the answer; `nil` for ``LoginProfile/BrowserLogin/defaultRedirectURL``.
    var redirectURL: String?
    /// How the browser brings it; `nil` for the server's default.
    var responseMode: LoginProfile.BrowserLogin.ResponseMode?
    /// Further parameters of the authorization request.
    var parameters: [String: String]?
    /// Whether tokens are bound to a key.
    var dpop: DPoPMode?

    var name: String { Self.scheme }
    var tokenSource: LoginTokenSource { .login }
    var replacesSecret: Bool { true }
    var provesAccount: Bool { false }

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        guard Self.isRefreshToken(secret) else {
            throw .invalidRequest("cannot log in: a refresh token has only visible ASCII characters")
        }
        var fields: [(key: String, value: String)] = [("grant_type", "refresh_token")]
        if let resource { fields.append(("resource", resource)) }
        let answer = try await post(fields, [("refresh_token", secret)], to: tokenPath, over: exchange)
        try checkAvailability(answer, after: secret)
        return try TokenAnswer(answer).outcome(replacing: secret, scope: scope)
    }

    /// Revokes the refresh token, and the access tokens with it (RFC 7009, section 2.1).
    func logOut(
        _ account: String,
        secret: SecretBytes?,
        token: SecretBytes?,
        over exchange: LoginExchange
    ) async throws(ClientError) {
        guard let path = revocationPath else { return }
        let (hint, revoked): (String, SecretBytes?) =
            if let secret, Self.isRefreshToken(secret) {
                ("refresh_token", secret)
            } else {
                ("access_token", try token.map(BearerMechanism.token(of:)))
            }
        guard let revoked else { return }
        let answer = try await post(
            [("token_type_hint", hint)],
            [("token", revoked)],
            to: path,
            over: exchange
        )
        let status = answer.head.status.code
        guard status == 200 else {
            throw .unexpectedStatus(status, "the server did not revoke the token (status \(status))")
        }
    }

    /// Posts a form in the name of the client.
    ///
    /// - Parameters:
    ///   - fields: The names and values.
    ///   - secretFields: Names with secret values, which are not copied into text.
    ///   - path: The path at the login server.
    ///   - exchange: Sends the request.
    /// - Returns: The answer, with any status.
    /// - Throws: As ``LoginExchange/send(_:path:query:headers:body:redirects:)``.
    func post(
        _ fields: [(key: String, value: String)],
        _ secretFields: [(key: String, value: SecretBytes)],
        to path: String,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginExchange.Answer {
        var headers: HTTPFields = [
            .accept: "application/json", .cacheControl: "no-store",
            .contentType: "application/x-www-form-urlencoded",
        ]
        var fields = fields
        if let clientSecret, clientAuthentication == .post {
            fields.append(("client_id", clientID))
            fields.append(("client_secret", clientSecret))
        } else if let clientSecret {
            // Both parts are encoded as in a form first (RFC 6749, section 2.3.1).
            let pair = [clientID, clientSecret].map { text in
                var bytes: [UInt8] = []
                PercentCoding.form.append(text.utf8, to: &bytes)
                return bytes
            }
            headers[.authorization] =
                "Basic \(Base64.standard.encode(pair[0] + [UInt8(ascii: ":")] + pair[1]))"
        } else {
            fields.append(("client_id", clientID))
        }
        var body = FormText.encode(fields)
        for (name, secret) in secretFields {
            body += Array((body.isEmpty ? "\(name)=" : "&\(name)=").utf8)
            secret.withSecretBytes { secret in PercentCoding.form.append(secret, to: &body) }
        }
        return try await exchange.post(
            body,
            to: path,
            headers: headers,
            proving: path == tokenPath ? exchange.dpop : nil
        )
    }

    /// Throws if the server limits requests or has failed, with its message unless that repeats a secret.
    func checkAvailability(
        _ answer: LoginExchange.Answer,
        after secret: SecretBytes? = nil
    ) throws(ClientError) {
        try LoginVerdict.checkAvailability(
            answer,
            secrets: [secret].compactMap { $0 },
            values: [clientSecret].compactMap { $0 }
        )
    }

    /// Whether a secret can be a refresh token (RFC 6749, appendix A.17).
    static func isRefreshToken(_ secret: SecretBytes) -> Bool {
        !secret.isEmpty
            && secret.withSecretBytes { bytes in
                bytes.indices.allSatisfy { (0x20...0x7E).contains(bytes[$0]) }
            }
    }
}
