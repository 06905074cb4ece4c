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
    let isKeychainChecked = Lock(false)

    /// Stores a new key and removes it again, before the first request for tokens: a keychain that does not take the key is
    /// better found before a code or a refresh token is used up. The key is stored with the tokens; until then, a user may take
    /// minutes, and end the program, which would leave it behind.
    func checkKeychain() async throws(ClientError) {
        guard login.key == nil, let keychain = login.keychain, !isKeychainChecked.withLock({ $0 }) else {
            return
        }
        let item = DPoPKeyItem.ofSession(login.session, key.thumbprint())
        var failure: ClientError?
        do throws(ClientError) {
            try await DPoPKeyItem.store(key, at: item, in: keychain)
        } catch {
            guard error == .cancelled || error.keychainError == .timedOut else { throw error }
            // Then the keychain may have stored it nevertheless.
            failure = error
        }
        // Also if the login was cancelled.
        let left = await Task { () async -> KeychainError? in
            do throws(KeychainError) {
                try await keychain.delete(item)
                return nil
            } catch {
                return error
            }
        }.value
        if let failure { throw failure }
        if let left { throw .keychain(left) }
        isKeychainChecked.withLock { $0 = true }
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
        try await binding.checkKeychain()
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
