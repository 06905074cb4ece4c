// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import CredKitSystem
internal import FoundationEssentials
internal import Logging

/// Logins that several programs of this account share, and that may replace their secret: see
/// ``LoginMechanism/replacesSecret``.
extension LoginSession {
    /// How long to wait for another program's renewal beyond the time that a request has.
    private static let lockMargin = Duration.seconds(5)

    /// Runs something while no other program of this account uses the secret of this login.
    func withSecretLock<Value: Sendable>(
        of account: String,
        _ body: () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        guard keychain != nil else { return try await body() }
        let timeout = min(runner.total, .seconds(3600)) + Self.lockMargin
        let lock = try await secretLock(of: account, timeout: timeout)
        let result: Result<Value, ClientError>
        do throws(ClientError) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        lock?.release()
        return try result.get()
    }

    /// Waits until no other program of this account uses the secret of this login.
    ///
    /// - Returns: The lock; `nil` if there is no place for its file.
    /// - Throws: ``ClientError/keychain`` if another program holds it for longer; ``ClientError/cancelled``.
    func secretLock(of account: String, timeout: Duration) async throws(ClientError) -> ActivityLock? {
        let activity = ActivityLock.Activity.renewal(service: service, account: account)
        // Programs with other folders may share the keychain. Some cannot write to the home directory.
        for folder in [nil, try? file().folder] {
            do throws(KeychainError) {
                return try await ActivityLock.acquire(activity, in: folder, timeout: timeout)
            } catch {
                guard error != .busy, error != .cancelled else { throw .keychain(error) }
                configuration.logger.debug("no lock for a login", metadata: ["error": "\(error)"])
            }
        }
        configuration.logger.warning(
            "cannot prevent that another program uses the secret of this login at the same time",
            metadata: ["session": "\(name)"]
        )
        return nil
    }

    /// Takes over what another program has obtained for this login in the meantime, and saved: a token, or also cookies. That the
    /// server has rejected the password is taken over, too.
    ///
    /// - Parameter sent: The login that a request was sent with.
    /// - Returns: Whether there was one.
    /// - Throws: ``ClientError/outOfMemory``.
    func adoptSavedLogin(after sent: RenewalState.Generation) async throws(ClientError) -> Bool {
        guard let key = state.withLock({ $0.key }),
            // A file that cannot be read has no newer login.
            let contents = try? await file().read(key: key)
        else { return false }
        let token = try Self.token(of: contents)
        let now = now()
        let expiry = contents.tokenExpiry.map { UnixTime($0) }
        guard expiry.map({ now < $0 }) ?? true else { return false }
        let bound = try? await boundKey(of: contents)
        guard contents.boundKey == nil || bound != nil else { return false }
        let cookies = Array(contents.cookies)
        let hasCookies = tokenSource == .responses
        let jar: CookieJar? =
            try? hasCookies ? CookieJar(decoding: cookies, expiryPolicy: configuration.cookieExpiry) : nil
        return state.withLock { state in
            guard state.logins.expired(sent) == .renew, state.loginID == contents.loginID else {
                return false
            }
            if state.rejection == nil { state.rejection = Self.rejection(of: contents) }
            guard contents.renewalCount > state.renewalCount, token != nil || jar != nil else { return false }
            state.token = token
            state.tokenExpiry = expiry
            state.boundKey = bound
            state.boundThumbprint = contents.boundKey
            state.renewalCount = contents.renewalCount
            state.logins.renewed()
            if let jar {
                state.jar = jar
                state.serverUTCOffset = contents.serverUTCOffset ?? state.serverUTCOffset
                state.adopted = state.logins.generation
            }
            return true
        }
    }

    /// Returns the secret of the next renewal.
    ///
    /// - Throws: ``ClientError/reauthenticationRequired`` if there is none; the error of the keychain.
    func renewalSecret(of account: String) async throws(ClientError) -> SecretBytes {
        try? await storeHeldSecret()
        if let held = state.withLock({ $0.heldSecret }) { return held.secret }
        guard let keychain, state.withLock({ $0.savesPassword }),
            let secret = try await savedSecret(of: account, in: keychain)
        else { throw .reauthenticationRequired }
        return secret
    }

    /// Returns what a session keeps of the secret of a login that replaces secrets.
    func held(
        _ secret: SecretBytes?,
        boundTo key: DPoPKey?,
        isSaved: Bool,
        insteadOf replaced: SecretBytes?
    ) -> HeldSecret? {
        guard mechanism.replacesSecret, let secret else { return nil }
        return HeldSecret(
            secret: secret,
            place: isSaved && keychain != nil ? .keychain(replacing: replaced) : .memory,
            key: key
        )
    }

    /// Stores the new secret of a login that has failed otherwise, unless the keychain has the secret of another login.
    func keep(_ held: HeldSecret, ofFailedLogin account: String, with sent: SecretBytes?) async {
        guard let keychain, case .keychain(let replaced) = held.place, replaced.map({ $0 == sent }) ?? true
        else { return }
        do throws(ClientError) {
            try await store(held.secret, boundTo: held.key, of: account, in: keychain)
        } catch {
            configuration.logger.error(
                "cannot save the new secret of a login that has failed: log in again",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }

    /// Stores the secret that replaces the one of a renewal. If the keychain does not take it, the session keeps it in
    /// memory: the old one is used up.
    func keep(_ newSecret: SecretBytes, boundTo key: DPoPKey?, insteadOf sent: SecretBytes) async {
        state.withLock { state in
            let place = state.heldSecret?.place ?? .keychain(replacing: sent)
            state.heldSecret = HeldSecret(secret: newSecret, place: place, key: key)
        }
        do throws(ClientError) {
            try await storeHeldSecret()
        } catch {
            configuration.logger.error(
                "cannot save the new secret of a login: later processes must log in again",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }

    /// Stores a secret that the keychain did not take before, or forgets it if it is out of date.
    func storeHeldSecret() async throws(ClientError) {
        let (account, held) = state.withLock { ($0.account, $0.heldSecret) }
        guard let keychain, let account, let held, case .keychain(let replaced) = held.place else { return }
        if try await savedSecret(of: account, in: keychain) == replaced {
            try await store(held.secret, boundTo: held.key, of: account, in: keychain)
        }
        dropHeldSecret(held.secret)
    }

    /// Drops a held secret, which the keychain has, or which is of no use. What the keychain has stays there.
    func dropHeldSecret(_ secret: SecretBytes) {
        state.withLock { state in
            if state.heldSecret?.secret == secret { state.heldSecret = nil }
        }
    }

    func savedSecret(of account: String, in keychain: Keychain) async throws(ClientError) -> SecretBytes? {
        do throws(KeychainError) {
            return try await keychain.credential(for: secretKey(of: account))?.secret
        } catch {
            throw .keychain(error)
        }
    }

    /// Saves the session before other programs continue.
    func saveNow() async {
        do throws(ClientError) {
            try await save(isNew: false)
        } catch {
            configuration.logger.warning(
                "cannot save the session",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }
}
