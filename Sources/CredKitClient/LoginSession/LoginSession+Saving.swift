// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import CredKitSystem
internal import Logging

/// Saving a new login: its secret and its keys in the keychain, and the session file.
extension LoginSession {
    /// Saves a new login for later processes. If that fails, the keychain keeps nothing of it.
    ///
    /// - Parameters:
    ///   - username: The account.
    ///   - password: The secret of its renewals; `nil` if it is not saved.
    ///   - loginKey: The key that its tokens are bound to; `nil` for none.
    ///   - oldSecrets: The items with the secrets that it replaces.
    /// - Throws: The error of the keychain or the session file.
    func keep(
        _ username: String,
        password: SecretBytes?,
        boundTo loginKey: DPoPKey?,
        insteadOf oldSecrets: Set<CredentialKey>
    ) async throws(ClientError) {
        // They log in like the password, which is not to be kept either.
        if keychain == nil || password == nil { scramKeys.removeAll() }
        guard let keychain else { return }
        let place = secretKey(of: username)
        var stored: Set<CredentialKey> = []
        do throws(ClientError) {
            if let password {
                let heldKey = state.withLock { state in
                    if state.heldSecret != nil { state.savesPassword = true }
                    return state.heldSecret?.key
                }
                try await store(password, boundTo: heldKey, of: username, in: keychain)
                dropHeldSecret(password)
                stored = Set([place, heldKey == nil ? nil : DPoPKeyItem.beside(place)].compactMap { $0 })
            }
            for old in oldSecrets.union(oldSecrets.compactMap(DPoPKeyItem.beside)).subtracting(stored) {
                try await delete(old, in: keychain)
            }
            if password == nil, let loginKey {
                stored.insert(DPoPKeyItem.ofSession(name, loginKey.thumbprint()))
            }
            try await keepKeys(isSecretSaved: password != nil, in: keychain)
            let (sessionKey, isNew) = try await keyOfNewLogin(of: username, in: keychain)
            if isNew { stored.insert(SessionKey.item(name)) }
            state.withLock { state in
                state.key = sessionKey
                state.savesPassword = password != nil
                state.restoredSecretKey = nil
            }
            try await save(isNew: true)
        } catch {
            await withdraw(stored, place, password, boundTo: loginKey, in: keychain)
            throw error
        }
    }

    /// Removes what a login that cannot be saved has put into the keychain, where no later process would find it. What the saved
    /// login of this name uses as well stays. A secret that the server has replaced is kept in memory.
    private func withdraw(
        _ stored: Set<CredentialKey>,
        _ place: CredentialKey,
        _ secret: SecretBytes?,
        boundTo key: DPoPKey?,
        in keychain: Keychain
    ) async {
        var items = stored
        // A new session key reads no file. With an earlier one, the login before continues, with the new secret.
        if !stored.contains(SessionKey.item(name)) {
            do throws(ClientError) {
                if let sessionKey = try await SessionKey(name: name, in: keychain),
                    let saved = try await file().read(key: sessionKey)
                {
                    if let used = secretKey(of: saved) {
                        items.remove(used)
                        if let beside = DPoPKeyItem.beside(used) { items.remove(beside) }
                    }
                    if let thumbprint = saved.boundKey {
                        items.remove(DPoPKeyItem.ofSession(name, thumbprint))
                    }
                }
            } catch {
                // A login that cannot be read now may use them. If it is the keychain that fails, the user must know.
                guard error == .keychain else { return }
            }
        }
        let (hasNoFile, hasNoSecret) = (items.contains(SessionKey.item(name)), items.contains(place))
        if hasNoSecret { scramKeys.removeAll() }
        state.withLock { state in
            if hasNoFile { state.key = nil }
            guard hasNoSecret else { return }
            state.savesPassword = false
            state.heldSecret = held(secret, boundTo: key, isSaved: false, insteadOf: nil)
        }
        await remove(items, in: keychain)
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
