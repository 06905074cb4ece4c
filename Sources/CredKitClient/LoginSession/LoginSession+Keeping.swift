// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain
internal import FoundationEssentials
internal import Logging

extension LoginSession {
    /// Goes on where an earlier process, or session, of this name has ended.
    ///
    /// Nothing is sent. Whether the server still knows the login shows with the first request, which renews it if not.
    ///
    /// - Returns: Whether there was a login. If not, log in.
    /// - Throws: ``LoginError/keychain``, and ``LoginError/storage`` when the sealed file is damaged.
    @discardableResult
    public func restore() async throws(LoginError) -> Bool {
        guard let keychain else { return false }
        return try await inTurnForCaller { () async throws(LoginError) in
            if self.account != nil { return true }
            guard let key = try await SessionKey(name: self.name, in: keychain),
                let contents = try await self.file().read(key: key)
            else { return false }
            guard contents.server == self.server.text else {
                throw .storage(
                    "the session '\(self.name)' is kept for another server; log out first, or give this one another name"
                )
            }
            let jar = try CookieJar(
                decoding: Array(contents.cookies),
                expiryPolicy: self.configuration.cookieExpiry
            )
            let token: SecretBytes?
            do throws(SecretMemoryError) {
                if let text = contents.token { token = try SecretBytes(text) } else { token = nil }
            } catch {
                throw .outOfMemory
            }
            self.state.withLock { state in
                state.logins.loggedIn()
                state.account = contents.account
                state.jar = jar
                state.token = token
                state.timeOffset = contents.timeOffset
                state.savesPassword = contents.savesPassword
                state.loginID = contents.loginID
                state.rejection = contents.rejectedPassword.flatMap { RejectedPassword(stored: Array($0)) }
                    .map {
                        .init(password: $0, error: .rejected)
                    }
                state.key = key
            }
            return true
        }
    }

    /// Waits until everything is on the disk that has to be kept: cookies that changed lately are written in the background.
    /// Call it before a program ends.
    ///
    /// - Throws: ``LoginError/storage`` when it cannot be written.
    public func saved() async throws(LoginError) {
        let (outcome, _) = inTurn { () async throws(LoginError) in
            guard self.state.withLock({ $0.isUnsaved }) else { return }
            try await self.save(isNew: false)
        }
        try await outcome.value()
    }

    /// Writes in the background what has changed, once for many changes.
    func saveSoon() {
        let isWanted = state.withLock { state in
            // Without a key yet, the login that makes one may be under way.
            guard keychain != nil, state.account != nil, !state.isSaveQueued else { return false }
            state.isSaveQueued = true
            return true
        }
        guard isWanted else { return }
        _ = inTurn { () async throws(LoginError) in
            self.state.withLock { $0.isSaveQueued = false }
            do throws(LoginError) {
                try await self.save(isNew: false)
            } catch {
                self.configuration.logger.warning(
                    "the session could not be saved",
                    metadata: ["session": "\(self.name)", "error": "\(error)"]
                )
            }
        }
    }

    func file() throws(LoginError) -> SessionFile {
        try SessionFile(name: name, folder: configuration.folder)
    }

    /// Writes the session's file. Called in turn only.
    ///
    /// - Parameter isNew: Whether the key and the file may be made.
    /// - Throws: What the keychain or the file says.
    func save(isNew: Bool) async throws(LoginError) {
        guard let keychain else { return }
        let file = try file()
        let (oldKey, account) = state.withLock { ($0.key, $0.account) }
        var key = oldKey
        if isNew, let account { key = try await keyOfNewLogin(of: account, in: keychain) }
        guard let key, let contents = try contents() else { return }
        state.withLock { state in
            state.key = key
            state.isUnsaved = true
        }
        // Whatever changes from here on asks to be saved by itself.
        let isWritten = try await file.write(contents, key: key, isNew: isNew)
        state.withLock { $0.isUnsaved = false }
        if !isWritten {
            configuration.logger.debug(
                "the session is not saved: it was ended, or another login has taken its place",
                metadata: ["session": "\(name)"]
            )
        }
    }

    /// The key that is there already, if the file is the same user's: when it then cannot be written, the old one can still
    /// be read. For another user there is another key, with which no old file of the first one can come back.
    private func keyOfNewLogin(of account: String, in keychain: Keychain) async throws(LoginError)
        -> SessionKey
    {
        do throws(LoginError) {
            if let key = try await SessionKey(name: name, in: keychain),
                let kept = try await file().read(key: key), ASCIIText.areEqual(kept.account, account)
            {
                return key
            }
        } catch {
            // What is damaged is replaced.
            guard error == .storage else { throw error }
        }
        let key = try SessionKey()
        try await key.store(name: name, in: keychain)
        return key
    }

    /// What an earlier process has kept of this session, if nobody is logged in here.
    func keptLogin() async throws(LoginError) -> SessionContents? {
        guard let keychain, account == nil else { return nil }
        guard let key = try await SessionKey(name: name, in: keychain) else { return nil }
        return try await file().read(key: key)
    }

    private func contents() throws(LoginError) -> SessionContents? {
        let state = state.withLock { $0 }
        guard let account = state.account else { return nil }
        return SessionContents(
            server: server.text,
            credentialOrigins: credentialOrigins.map(\.description).sorted(),
            profile: Data(profile.json()),
            service: service,
            account: account,
            loginID: state.loginID,
            cookies: Data(try state.jar.encoded()),
            token: state.token?.text,
            timeOffset: state.timeOffset,
            savesPassword: state.savesPassword,
            rejectedPassword: state.rejection.map { Data($0.password.stored) },
            allowsInsecureHTTP: configuration.allowsInsecureHTTP
        )
    }
}
