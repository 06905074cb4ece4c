// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import HTTPTypes

/// Proves possession of the key that a session's token is bound to, in the requests that have the token.
struct DPoPInterceptor: RequestInterceptor {
    let session: LoginSession

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        guard session.signs(next), let field = session.tokenField,
            let sent = request.headerFields.first(field), sent.hasPrefix(DPoPKey.tokenPrefix)
        else { return try await next(request, body: body) }
        let generation = next.generation
        let bound = try session.state.withLock {
            (state) throws(ClientError) -> (key: DPoPKey, token: SecretBytes)? in
            guard state.logins.generation.user == generation.user else { throw LoginSession.otherUser }
            guard let key = state.boundKey, let token = state.token else { return nil }
            return (key, token)
        }
        guard let bound else { return try await next(request, body: body) }
        var request = request
        // A renewal may have replaced both since the token was added.
        let authorization = bound.token.text
        request.headerFields.replace(field, with: authorization)
        let stage = DPoPStage(
            key: bound.key,
            nonces: session.dpopNonces,
            role: .resource,
            token: String(authorization.dropFirst(DPoPKey.tokenPrefix.count)),
            now: session.now
        )
        return try await stage.intercept(request, body: body, next: next)
    }
}
