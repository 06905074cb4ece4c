// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import CredKitSystem
internal import HTTPTypes

/// The key of a login under way, and what its answers must be.
struct DPoPBinding: Sendable {
    let key: DPoPKey
    /// Whether a token that is not bound is refused.
    let requiresBoundToken: Bool
    let nonces: DPoPNonces
    let login: DPoPLogin
    let isStored = Lock(false)

    /// Stores a new key before the first request for tokens: none must be bound to a key that can be lost. Before that, a user
    /// may take minutes, and end the program.
    func store() async throws(ClientError) {
        guard login.key == nil, let keychain = login.keychain, !isStored.withLock({ $0 }) else { return }
        let item = DPoPKeyItem.ofSession(login.session, key.thumbprint())
        try await DPoPKeyItem.store(key, at: item, in: keychain)
        isStored.withLock { $0 = true }
    }
}

extension LoginExchange {
    /// Posts a form, with a proof of a key if there is one. Redirects are not followed.
    func post(
        _ body: [UInt8],
        to path: String,
        headers: HTTPFields,
        proving binding: DPoPBinding?
    ) async throws(ClientError) -> Answer {
        guard let binding else {
            return try await send(.post, path: path, headers: headers, body: HTTPRequestBody(body))
        }
        try await binding.store()
        let stage = DPoPStage(
            key: binding.key,
            nonces: binding.nonces,
            role: .authorization,
            now: flow.now
        )
        var answer = try await send(
            .post,
            path: path,
            headers: headers,
            body: HTTPRequestBody(body),
            hops: [LoginCredentials(cookies: cookies), stage]
        )
        answer.dpop = binding
        return answer
    }
}
