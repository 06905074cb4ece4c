// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import CredKitSystem
internal import Logging

/// Saving a new login: its secret and its keys in the keychain, and the session file.
extension LoginSession {
    /// A login that could not be saved.
    struct UnsavedLogin: Sendable {
        let error: ClientError
        /// Whether the keychain has its secret nevertheless, for other saved logins of the account.
        let keepsSecret: Bool
    }

    /// Saves a new login for later processes. If that fails, the keychain keeps nothing that only this login uses.
    ///
    /// - Parameters:
    ///   - username: The account.
    ///   - password: The secret of its renewals; `nil` if it is not saved.
    ///   - loginKey: The key that its tokens are bound to; `nil` for none.
    ///   - oldSecrets: The items with the secrets that it replaces.
    /// - Returns: The failure of the keychain or the session file; `nil` for none.
    func keep(
        _ username: String,
        password: SecretBytes?,
        boundTo loginKey: DPoPKey?,
        insteadOf oldSecrets: Set<CredentialKey>
    ) async -> UnsavedLogin? {
        // They log in like the password, which is not to be kept either.
        if keychain == nil || password == nil { scramKeys.removeAll() }
        guard let keychain else { return nil }
        let place = secretKey(of: username)
        var added: Set<CredentialKey> = []
        var keepsSecret = false
        do throws(ClientError) {
            var secrets: Set<CredentialKey> = []
            if let password {
                let heldKey = state.withLock { state in
                    if state.heldSecret != nil { state.savesPassword = true }
                    return state.heldSecret?.key
                }
                secrets = Set([place, heldKey == nil ? nil : DPoPKeyItem.beside(place)].compactMap { $0 })
                // Sessions with other names use the same item, and continue with the new secret.
                let isShared = try await savedSecret(of: username, in: keychain) != nil
                do throws(ClientError) {
                    try await store(password, boundTo: heldKey, of: username, in: keychain)
                } catch {
                    // Then the keychain may have stored it nevertheless.
                    if !isShared, error == .cancelled || error.keychainError == .timedOut { added = secrets }
                    throw error
                }
                dropHeldSecret(password)
                if isShared { keepsSecret = true } else { added = secrets }
            }
            for old in oldSecrets.union(oldSecrets.compactMap(DPoPKeyItem.beside)).subtracting(secrets) {
                try await delete(old, in: keychain)
            }
            if password == nil, let loginKey {
                added.insert(DPoPKeyItem.ofSession(name, loginKey.thumbprint()))
            }
            try await keepKeys(isSecretSaved: password != nil, in: keychain)
            let (sessionKey, isNew) = try await keyOfNewLogin(of: username, in: keychain)
            if isNew { added.insert(SessionKey.item(name)) }
            state.withLock { state in
                state.key = sessionKey
                state.savesPassword = password != nil
                state.restoredSecretKey = nil
            }
            try await save(isNew: true)
            return nil
        } catch {
            await withdraw(added, place, password, boundTo: loginKey, in: keychain)
            return UnsavedLogin(error: error, keepsSecret: keepsSecret)
        }
    }

    /// Removes what a login that cannot be saved has added to the keychain, where no later process would find it. A secret that the
    /// server has replaced is kept in memory.
    private func withdraw(
        _ added: Set<CredentialKey>,
        _ place: CredentialKey,
        _ secret: SecretBytes?,
        boundTo key: DPoPKey?,
        in keychain: Keychain
    ) async {
        let (hasNoFile, hasNoSecret) = (added.contains(SessionKey.item(name)), added.contains(place))
        if hasNoSecret { scramKeys.removeAll() }
        state.withLock { state in
            if hasNoFile { state.key = nil }
            guard hasNoSecret else { return }
            state.savesPassword = false
            state.heldSecret = held(secret, boundTo: key, isSaved: false, insteadOf: nil)
        }
        await remove(added, in: keychain)
    }

    /// Removes items of a login that was not completed, also if it was cancelled, and reports those that stay. A logout of this
    /// session tries again.
    func remove(_ items: Set<CredentialKey>, in keychain: Keychain) async {
        let (left, failure) = await Task { () async -> (Set<CredentialKey>, KeychainError?) in
            var (left, failure): (Set<CredentialKey>, KeychainError?) = ([], nil)
            for item in items {
                do throws(KeychainError) {
                    try await keychain.delete(item)
                } catch {
                    left.insert(item)
                    failure = error
                }
            }
            return (left, failure)
        }.value
        guard let failure else { return }
        state.withLock { $0.leftPasswords.formUnion(left) }
        let services = Set(left.map(\.service)).sorted().map { "'\(TerminalSafeText.text($0, upTo: 200))'" }
            .joined(separator: " and ")
        let message =
            "the keychain may still have secrets of a login that was not completed, of the service \(services)"
        configuration.logger.error(
            "\(message)",
            metadata: ["session": "\(name)", "error": "\(failure)"]
        )
        configuration.notice?("\(message), and does not remove them (\(failure.message)): delete them there")
    }
}
