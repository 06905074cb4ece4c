// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension OAuthMechanism {
    /// Exchanges the code of an answer for tokens, once: a server may take a second attempt for theft, and revoke what it
    /// has issued (RFC 6749, section 4.1.2).
    func exchange(
        _ answer: AuthorizationAnswer,
        of request: AuthorizationRequest,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        var fields: [(key: String, value: String)] = [
            ("grant_type", "authorization_code"), ("redirect_uri", request.redirectURL),
        ]
        if let resource { fields.append(("resource", resource)) }
        let start = exchange.flow.now()
        let tokens = try await post(
            fields,
            [("code", answer.code), ("code_verifier", request.verifier.secret)],
            to: tokenPath,
            over: exchange
        )
        try checkAvailability(tokens, after: answer.code)
        // The server's own words are left out: they may repeat a token.
        let advice = "the redirect URL may be registered there in another form than '\(request.redirectURL)'"
        switch TokenError.name(in: tokens.body).flatMap({ TokenError(rawValue: $0) }) {
        case .invalidGrant:
            throw ClientError(
                .invalidCredentials,
                message:
                    "the authorization server rejected the code of the login (invalid_grant): it has expired or was used, "
                    + "or \(advice)",
                statusCode: tokens.head.status.code
            )
        case .invalidRequest:
            throw ClientError(
                .serverError,
                message:
                    "the authorization server refused the code of the login (invalid_request): \(advice)",
                statusCode: tokens.head.status.code
            )
        default: break
        }
        var outcome = try TokenAnswer(tokens).outcome(scope: scope)
        outcome.start = start
        return outcome
    }
}
