// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain
internal import FoundationEssentials
internal import Logging

extension LoginSession {
    /// Restores the login that an earlier process or session with this name has saved.
    ///
    /// Nothing is sent. If the server no longer accepts the login, the first request renews it.
    ///
    /// - Returns: Whether there was a saved login. If not, log in.
    /// - Throws: ``ClientError/keychain``; ``ClientError/storage`` if the session file is damaged;
    ///   ``ClientError/mechanismDowngrade``.
    @discardableResult
    public func restore() async throws(ClientError) -> Bool {
        guard let keychain else { return false }
        return try await inTurnForCaller { () async throws(ClientError) in
            if self.account != nil { return true }
            guard let key = try await SessionKey(name: self.name, in: keychain),
                let contents = try await self.file().read(key: key)
            else { return false }
            guard contents.server == self.server.absoluteString else {
                throw .storage(
                    "the session '\(self.name)' is saved for another server: log out first, or use another name"
                )
            }
            // A renewal would send what SCRAM does not.
            try self.checkDowngrade(from: contents)
            let jar = try CookieJar(
                decoding: Array(contents.cookies),
                expiryPolicy: self.configuration.cookieExpiry
            )
            let bound = try await self.boundKey(of: contents)
            // A token without its key is of no use, and one without any is not enough where a key is required.
            let isUsable = contents.boundKey == nil ? self.dpopMode != .required : bound != nil
            let token = try isUsable ? Self.token(of: contents) : nil
            let provesAccount = self.provesAccount(contents)
            let secretKey = self.secretKey(of: contents)
            self.state.withLock { state in
                state.logins.loggedIn()
                state.account = contents.account
                state.provesAccount = provesAccount
                state.jar = jar
                state.token = token
                state.boundKey = bound
                state.boundThumbprint = contents.boundKey
                state.renewalCount = contents.renewalCount
                state.tokenExpiry = contents.tokenExpiry.map { UnixTime($0) }
                state.serverUTCOffset = contents.serverUTCOffset
                state.savesPassword = contents.savesPassword
                state.restoredSecretKey = secretKey
                state.restoredTrust = contents.trust
                state.loginID = contents.loginID
                state.rejection = Self.rejection(of: contents)
                state.key = key
            }
            await self.openCache(with: key)
            return true
        }
    }

    /// Waits until all changes are saved: changed cookies are written in the background. Call it before the
    /// program ends.
    ///
    /// - Throws: ``ClientError/storage`` if the session file cannot be written; ``ClientError/keychain`` if the keychain
    ///   does not take a new secret.
    public func flush() async throws(ClientError) {
        var failure: ClientError?
        func attempt(_ step: () async throws(ClientError) -> Void) async {
            do throws(ClientError) { try await step() } catch { failure = failure ?? error }
        }
        let (secret, _) = inTurn { () async throws(ClientError) in
            guard let account = self.account, self.state.withLock({ $0.heldSecret != nil }) else { return }
            try await self.withSecretLock(of: account) { () async throws(ClientError) in
                try await self.storeHeldSecret()
            }
        }
        let (session, _) = inTurn { () async throws(ClientError) in
            guard self.state.withLock({ $0.isUnsaved }) else { return }
            try await self.save(isNew: false)
        }
        await attempt { () async throws(ClientError) in try await secret.value() }
        await attempt { () async throws(ClientError) in try await session.value() }
        await attempt { () async throws(ClientError) in try await self.cache?.flush() }
        if let failure { throw failure }
    }

    /// Saves changes in the background, with one write for many changes.
    func saveSoon() {
        let isWanted = state.withLock { state in
            // Without a key, the login that creates one may still be running.
            guard keychain != nil, state.account != nil, !state.isSaveQueued else { return false }
            state.isSaveQueued = true
            return true
        }
        guard isWanted else { return }
        _ = inTurn { () async throws(ClientError) in
            self.state.withLock { $0.isSaveQueued = false }
            do throws(ClientError) {
                try await self.save(isNew: false)
            } catch {
                self.configuration.logger.warning(
                    "cannot save the session",
                    metadata: ["session": "\(self.name)", "error": "\(error)"]
                )
            }
        }
    }

    func file() throws(ClientError) -> SessionFile {
        try SessionFile(name: name, folder: configuration.folder)
    }

    /// Writes the session file. Call it only from the session's queue.
    ///
    /// - Parameter isNew: Whether the file may be created.
    /// - Throws: The error of the keychain or of the file.
    func save(isNew: Bool) async throws(ClientError) {
        guard keychain != nil else { return }
        let file = try file()
        guard let key = state.withLock({ $0.key }), let contents = try contents() else { return }
        state.withLock { $0.isUnsaved = true }
        // Later changes request another save.
        let isWritten = try await file.write(
            contents,
            key: key,
            isNew: isNew,
            cookiesLogIn: tokenSource == .responses
        )
        if isNew { await openCache(with: key) }
        state.withLock { $0.isUnsaved = false }
        if !isWritten {
            configuration.logger.debug(
                "the session was not saved: it has ended, or another login has replaced it",
                metadata: ["session": "\(name)"]
            )
        }
    }

    /// Returns the existing key if the file belongs to the same user, so that the old file stays readable if
    /// the write fails. Each user has a separate key, so an old session file of another user cannot be
    /// restored. Two logins of one name are of one user only if both have proved it.
    ///
    /// - Returns: The key, which is in the keychain, and whether it is new.
    func keyOfNewLogin(
        of account: String,
        in keychain: Keychain
    ) async throws(ClientError) -> (key: SessionKey, isNew: Bool) {
        do throws(ClientError) {
            if mechanism.provesAccount, let key = try await SessionKey(name: name, in: keychain),
                let kept = try await file().read(key: key), ASCIIText.areEqual(kept.account, account),
                provesAccount(kept)
            {
                return (key, false)
            }
        } catch {
            // A damaged file is replaced.
            guard error == .storage else { throw error }
        }
        let key = try SessionKey()
        let replaced = try? await SessionKey(name: name, in: keychain)
        try await key.store(name: name, in: keychain)
        // Nothing can decrypt these any more.
        if let replaced { try? await removeStoredResponses(of: replaced) }
        return (key, true)
    }

    /// Whether a saved login proved who its account is. A profile with a mechanism of the program's own cannot be read:
    /// it is taken for that of this session if it is the same.
    private func provesAccount(_ contents: SessionContents) -> Bool {
        if let stored = try? LoginProfile(json: contents.profile) { return stored.mechanism.provesAccount }
        return mechanism.provesAccount && Array(contents.profile) == profile.json()
    }

    /// Returns the saved login of an earlier process; `nil` if a user is logged in here.
    func savedLogin() async throws(ClientError) -> SessionContents? {
        guard let keychain, account == nil else { return nil }
        guard let key = try await SessionKey(name: name, in: keychain) else { return nil }
        return try await file().read(key: key)
    }

    /// Returns the password of a saved login that the server has rejected; `nil` if there is none.
    static func rejection(of contents: SessionContents) -> SessionState.Rejection? {
        contents.rejectedPassword.flatMap { RejectedPassword(stored: Array($0)) }
            .map { SessionState.Rejection(password: $0, error: .invalidCredentials) }
    }

    /// Returns the token of a saved login.
    static func token(of contents: SessionContents) throws(ClientError) -> SecretBytes? {
        guard let text = contents.token else { return nil }
        do throws(SecretMemoryError) {
            return try SecretBytes(text)
        } catch {
            throw .outOfMemory
        }
    }

    private func contents() throws(ClientError) -> SessionContents? {
        let state = state.withLock { $0 }
        guard let account = state.account else { return nil }
        // What a later process trusts for its own requests does not count for others.
        let trust = state.restoredTrust ?? self.trust
        return SessionContents(
            server: server.absoluteString,
            credentialOrigins: credentialOrigins.map(\.description).sorted(),
            profile: Data(profile.json()),
            service: service,
            account: account,
            loginID: state.loginID,
            cookies: Data(try state.jar.encoded()),
            token: sharesLogins ? state.token?.text : nil,
            tokenExpiry: state.tokenExpiry?.seconds,
            boundKey: state.boundThumbprint,
            renewalCount: state.renewalCount,
            serverUTCOffsetMinutes: state.serverUTCOffset?.wholeMinutes,
            savesPassword: state.savesPassword,
            rejectedPassword: state.rejection.map { Data($0.password.stored) },
            allowsInsecureHTTP: configuration.allowsInsecureHTTP,
            pinnedPublicKeys: trust.pinnedPublicKeys,
            authorities: trust.authorities
        )
    }

    private var trust: SessionTrust {
        SessionTrust(
            pinnedPublicKeys: configuration.connection.pinnedPublicKeys.map(\.description),
            authorities: authorities
        )
    }

    /// The path of the file with the authorities, which a later process may open in another folder.
    private var authorities: String? {
        guard case .file(let path) = configuration.connection.trustedCertificates else { return nil }
        return path.utf8.first == UInt8(ascii: "/")
            ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
