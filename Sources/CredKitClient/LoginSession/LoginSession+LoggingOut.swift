// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain
internal import HTTPTypes
internal import Logging

extension LoginSession {
    /// How long to wait for the server's response to a logout.
    static let serverDeadline = Duration.seconds(5)

    /// Logs out and removes all traces: notifies the server, forgets cookies and token, removes their file
    /// and its key, and removes the password if this session has saved it. A login that an earlier process
    /// saved under the session's name is also removed, whether or not it was restored.
    ///
    /// The result does not depend on the server's response. Pending requests continue, but their cookies and
    /// tokens are discarded; requests that wait for a renewal are cancelled.
    ///
    /// - Throws: ``ClientError/keychain`` or ``ClientError/storage`` if something cannot be removed. Everything
    ///   else is removed nevertheless, and the next call tries again.
    public func logOut() async throws(ClientError) {
        state.withLock { $0.cancelRenewal }?()
        try await inTurnForCaller { () async throws(ClientError) in
            guard !Task.isCancelled else { throw .cancelled }
            // A logout must not stop halfway.
            try await self.shielded { () async throws(ClientError) in try await self.performLogout() }
        }
    }

    private func performLogout() async throws(ClientError) {
        guard mechanism.replacesSecret, keychain != nil else { return try await endLogin() }
        var account = account
        if account == nil { account = try? await savedLogin()?.account }
        guard let account else { return try await endLogin() }
        // A renewal of another program would store its new secret after this has deleted the old one. One that takes long
        // must not prevent the logout.
        let lock = try? await secretLock(of: account, timeout: Self.serverDeadline)
        let result: Result<Void, ClientError>
        do throws(ClientError) {
            try? await storeHeldSecret()
            try await endLogin()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        lock?.release()
        try result.get()
    }

    private func endLogin() async throws(ClientError) {
        let kept = try await savedLoginToRemove()
        // Forget the user before notifying the server, so that no further request is sent as this user.
        let old = state.withLock { state in
            defer { state.forgetUser() }
            return state
        }
        scramKeys.removeAll()
        if let account = old.account {
            let secret = await secret(old.savesPassword ? secretKey(of: account) : nil)
            await tellServer(account, old.heldSecret?.secret ?? secret, jar: old.jar, token: old.token)
            configuration.logger.debug("logged out", metadata: ["session": "\(name)"])
            eventBroadcaster.send(.loggedOut(account: account))
        } else if let kept, isOfThisLogin(kept), let jar = try? CookieJar(decoding: Array(kept.cookies)) {
            await tellServer(
                kept.account,
                await secret(secretKey(of: kept)),
                jar: jar,
                token: kept.token.flatMap { try? SecretBytes($0) }
            )
        }
        guard let keychain else {
            try await cache?.removeAll()
            return
        }
        var passwords = old.leftPasswords
        if let account = old.account, old.savesPassword {
            passwords.insert(secretKey(of: account))
        }
        if let key = old.restoredSecretKey { passwords.insert(key) }
        if let key = kept.flatMap(secretKey(of:)) { passwords.insert(key) }
        passwords.formUnion(passwords.compactMap(DPoPKeyItem.beside))
        var failure: ClientError?
        func attempt(_ step: () async throws(ClientError) -> Void) async {
            do throws(ClientError) { try await step() } catch { failure = failure ?? error }
        }
        var key = old.key
        if key == nil { key = try? await SessionKey(name: name, in: keychain) }
        // Delete the key first: without it the files are useless.
        await attempt { () async throws(ClientError) in
            try await SessionKey.delete(name: self.name, in: keychain)
        }
        await attempt { () async throws(ClientError) in try await self.file().remove() }
        await attempt { [key] () async throws(ClientError) in try await self.removeStoredResponses(of: key) }
        for password in passwords {
            await attempt { () async throws(ClientError) in
                self.state.withLock { _ = $0.leftPasswords.insert(password) }
                try await self.delete(password, in: keychain)
                self.state.withLock { _ = $0.leftPasswords.remove(password) }
            }
        }
        // A saved login that cannot be read may have been one by OAuth.
        if mechanism is OAuthMechanism || old.account == nil && kept == nil {
            await attempt { () async throws(ClientError) in
                try await DPoPKeyItem.removeAll(ofSession: self.name, but: nil, in: keychain)
            }
        }
        if let failure { throw failure }
    }

    /// Returns the login that an earlier process saved. If the keychain cannot be read, the items to remove
    /// are unknown. Failing is then better than forgetting which password remains.
    private func savedLoginToRemove() async throws(ClientError) -> SessionContents? {
        do throws(ClientError) {
            return try await savedLogin()
        } catch {
            // A damaged file contains no information, and is removed, as is one that others can change.
            guard error == .storage || error == .insecureFile else { throw error }
            return nil
        }
    }

    /// Whether the secrets of a saved login are for the server that this session notifies, and in the way that it does.
    private func isOfThisLogin(_ kept: SessionContents) -> Bool {
        kept.server == server.absoluteString && ASCIIText.areEqual(kept.service, service)
            && (try? LoginProfile(json: kept.profile))?.json() == profile.json()
    }

    /// Deletes an item if it exists.
    func delete(_ item: CredentialKey, in keychain: Keychain) async throws(ClientError) {
        do throws(KeychainError) {
            try await keychain.delete(item)
        } catch {
            throw .keychain(error)
        }
    }

    /// Returns the saved secret of an account, if the mechanism can use it.
    private func secret(_ key: CredentialKey?) async -> SecretBytes? {
        guard let key, let keychain, case .mechanism = profile.scheme else { return nil }
        return try? await keychain.credential(for: key)?.secret
    }

    private func tellServer(
        _ account: String,
        _ secret: SecretBytes?,
        jar: CookieJar,
        token: SecretBytes?
    ) async {
        let deadline = ContinuousClock.now + Self.serverDeadline
        do throws(ClientError) {
            try await flow(serverUTCOffset: nil, trustedUTCOffset: nil)
                .logOut(account, secret: secret, token: token, jar: jar, deadline: deadline)
            try await postLogout(jar: jar, token: token, deadline: deadline)
        } catch {
            configuration.logger.notice(
                "cannot notify the server of the logout",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }

    private func postLogout(
        jar: CookieJar,
        token: SecretBytes?,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) {
        guard let path = profile.logoutPath else { return }
        let url = try loginServer.appending(path: path)
        let cookies = LoginCookies(
            jar: jar,
            token: token,
            origins: credentialOrigins,
            tokenHeader: profile.tokenHeader,
            now: configuration.now
        )
        var headers = configuration.headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        if headers[.userAgent] == nil { headers[.userAgent] = "CredKit" }
        let request = OutgoingRequest(method: .post, url: url, headers: headers, body: HTTPRequestBody([]))
        _ = try await runner.run(request, hops: [LogoutCredentials(cookies: cookies)], deadline: deadline)
    }
}
