// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit
internal import CredKitKeychain
internal import HTTPTypes
internal import Logging

extension LoginSession {
    /// Logs a user in.
    ///
    /// On success the password is saved in the keychain, and cookies and token are saved in an encrypted
    /// file, so that a later process can continue with ``restore()``. A previous user is no longer logged in
    /// here; their password stays in the keychain. If this throws ``ClientError/keychain`` or
    /// ``ClientError/storage``, the user is logged in, but a later process will not be: the
    /// keychain then keeps nothing that only this login uses, and only one of OAuth can still be renewed, or one whose secret another
    /// saved login of the account uses. The logger is told of items that the keychain does not remove.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - password: The password; text is used as UTF-8. With a timestamped profile it is never sent.
    ///   - savesPassword: Whether to save the password in the keychain. Otherwise an expired login cannot be
    ///     renewed, and requests throw ``ClientError/reauthenticationRequired``, unless the profile is one of OAuth: a
    ///     session keeps its refresh token in memory.
    /// - Throws: ``ClientError/invalidCredentials`` if the server rejects the user name or password; other errors of
    ///   the connection, the server's time or the keychain; ``ClientError/mechanismDowngrade``.
    public func logIn(
        username: String,
        password: some SecretInput,
        savesPassword: Bool = true
    ) async throws(ClientError) {
        guard !username.isEmpty else { throw .invalidRequest("cannot log in: the user name is empty") }
        let secret: SecretBytes
        do throws(SecretMemoryError) {
            secret = try SecretBytes(password)
        } catch {
            throw .outOfMemory
        }
        try await inTurnForCaller { () async throws(ClientError) in
            try await self.performLogin(username: username, password: secret, savesPassword: savesPassword)
        }
    }

    /// Fetches the server's challenge and checks it like a login does, for programs that compute proofs
    /// themselves.
    ///
    /// - Returns: The challenge, as the server sent it.
    /// - Throws: ``ClientError/invalidProfile`` if the profile is not timestamped,
    ///   ``ClientError/malformedChallenge``, ``ClientError/clockSkew``, ``ClientError/serverUTCOffsetChanged``, and
    ///   errors of the connection.
    public func challenge() async throws(ClientError) -> String {
        guard let mechanism = profile.mechanism as? TimestampedFormMechanism else {
            throw .invalidProfile("the login profile has no challenge: its scheme is not timestamped")
        }
        let (serverUTCOffset, accepted) = state.withLock { ($0.serverUTCOffset, $0.trustedUTCOffset) }
        return try await flow(serverUTCOffset: serverUTCOffset, trustedUTCOffset: accepted).challenge(
            mechanism
        )
    }

    private func performLogin(
        username: String,
        password: SecretBytes,
        savesPassword: Bool
    ) async throws(ClientError) {
        try await performLogin(username: username, secret: password, savesSecret: savesPassword) {
            (flow, jar) async throws(ClientError) in
            try await flow.run(username: username, password: password, jar: jar)
        }
    }

    /// Logs in with a function, and saves the login.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - secret: The secret to save, if the login does not replace it.
    ///   - savesSecret: Whether to save the secret.
    ///   - logIn: Logs in.
    /// - Throws: The error of the login, the keychain or the session file.
    func performLogin(
        username: String,
        secret: SecretBytes?,
        savesSecret: Bool,
        _ logIn: @escaping @Sendable (LoginFlow, CookieJar) async throws(ClientError) -> LoginFlow.Login
    ) async throws(ClientError) {
        try await refuseDowngrade()
        guard mechanism.replacesSecret, savesSecret, let keychain else {
            return try await performLogin(username, secret, savesSecret, insteadOf: nil, logIn)
        }
        try await withSecretLock(of: username) { () async throws(ClientError) in
            // A keychain that cannot be read is better found before the secret is used up.
            let replaced = try await self.savedSecret(of: username, in: keychain)
            try await self.performLogin(username, secret, savesSecret, insteadOf: replaced, logIn)
        }
    }

    private func performLogin(
        _ username: String,
        _ secret: SecretBytes?,
        _ savesSecret: Bool,
        insteadOf replaced: SecretBytes?,
        _ logIn: @escaping @Sendable (LoginFlow, CookieJar) async throws(ClientError) -> LoginFlow.Login
    ) async throws(ClientError) {
        // An offset of the server's clock that an earlier process observed still counts.
        let kept = try? await savedLogin()
        let isKept = kept?.server == server.absoluteString
        let (jar, serverUTCOffset, accepted, isSaved, restored, isUnproven) = state.withLock { state in
            // Servers compare user names as bytes: two encodings of an accent are two users.
            let isSame = state.account.map { ASCIIText.areEqual($0, username) } ?? false
            let isProven = isSame && mechanism.provesAccount && state.provesAccount
            let empty = CookieJar(limits: state.jar.limits, expiryPolicy: state.jar.expiryPolicy)
            return (
                isProven ? state.jar : empty,
                state.serverUTCOffset ?? (isKept ? kept?.serverUTCOffset : nil),
                state.trustedUTCOffset,
                isSame && state.savesPassword,
                isSame ? state.restoredSecretKey : nil,
                isSame && !isProven
            )
        }
        // Those of another user stay.
        let isSameUser = isKept && kept.map { ASCIIText.areEqual($0.account, username) } == true
        let oldSecrets = Set(
            [
                isSaved ? secretKey(of: username) : nil, restored,
                isSameUser ? kept.flatMap(secretKey(of:)) : nil,
            ]
            .compactMap { $0 }
        )
        let flow = flow(serverUTCOffset: serverUTCOffset, trustedUTCOffset: accepted)
        let login: LoginFlow.Login
        do throws(ClientError) {
            login = try await shieldedIfSecretIsReplaced { () async throws(ClientError) -> LoginFlow.Login in
                let login = try await logIn(flow, jar)
                let held = self.held(
                    login.newSecret ?? secret,
                    boundTo: login.key,
                    isSaved: savesSecret,
                    insteadOf: replaced
                )
                if let failure = login.failure {
                    if let held { await self.keep(held, ofFailedLogin: username, with: secret) }
                    throw failure
                }
                try self.commit(login, account: username, isRenewal: false, held: held)
                return login
            }
        } catch {
            configuration.logger.notice(
                "login failed",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
            eventBroadcaster.send(.loginFailed(error))
            throw error
        }
        configuration.logger.debug("logged in", metadata: ["session": "\(name)"])
        eventBroadcaster.send(.loggedIn(account: username))
        reportUnboundLogin()
        // Their key is replaced as well, but only once the keychain takes a new one.
        if !mechanism.provesAccount || isUnproven { try? await cache?.removeAll() }
        // After this point, cancellation does not undo the login, and the login is saved either completely or
        // not at all.
        let unsaved = try await shielded { () async throws(ClientError) in
            await self.keep(
                username,
                password: savesSecret ? self.state.withLock { $0.heldSecret?.secret } ?? secret : nil,
                boundTo: login.key,
                insteadOf: oldSecrets
            )
        }
        guard let unsaved else { return }
        // A token that was given, and is still valid, is not ours to revoke.
        let isOurs = secret == nil || login.newSecret != nil
        if configuration.revokesUnsavedTokens, !unsaved.keepsSecret, isOurs {
            await revoke(login, of: username, flow)
        }
        throw unsaved.error
    }

    /// Runs a login. One that can replace the secret is not cancelled halfway: the new secret would be lost.
    func shieldedIfSecretIsReplaced<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        guard mechanism.replacesSecret else { return try await body() }
        guard !Task.isCancelled else { throw .cancelled }
        return try await shielded(body)
    }

    /// Returns the flow of one login.
    func flow(serverUTCOffset: Duration?, trustedUTCOffset: Duration?) -> LoginFlow {
        flow(serverUTCOffset: serverUTCOffset, trustedUTCOffset: trustedUTCOffset, dpop: dpopOfNewLogin)
    }

    /// Returns the flow of one login, whose tokens are bound to a key or not.
    func flow(serverUTCOffset: Duration?, trustedUTCOffset: Duration?, dpop: DPoPLogin?) -> LoginFlow {
        LoginFlow(
            runner: runner,
            server: loginServer,
            profile: profile,
            credentialOrigins: credentialOrigins,
            headers: configuration.headers,
            serverUTCOffset: serverUTCOffset,
            trustedUTCOffset: trustedUTCOffset,
            retriesWithNewChallenge: configuration.retriesWithNewChallenge,
            oneTimeCode: configuration.oneTimeCode,
            scramKeys: scramKeys,
            dpop: dpop,
            now: configuration.now
        )
    }

    /// Takes over the result of a login.
    func commit(
        _ login: LoginFlow.Login,
        account: String,
        isRenewal: Bool,
        held: HeldSecret? = nil
    ) throws(ClientError) {
        try state.withLock { (state) throws(ClientError) in
            guard !Task.isCancelled else { throw .cancelled }
            if let old = state.account, ASCIIText.areEqual(old, account),
                isRenewal || mechanism.provesAccount && state.provesAccount
            {
                state.logins.renewed()
            } else {
                // That of another user stays.
                if let old = state.account, !ASCIIText.areEqual(old, account) {
                    state.restoredSecretKey = nil
                }
                state.savesPassword = false
                state.key = nil
                state.logins.loggedIn()
                state.account = account
            }
            if isRenewal {
                state.renewalCount += 1
            } else {
                state.provesAccount = mechanism.provesAccount
                state.restoredTrust = nil
                state.loginID = Hex.encode(SecureRandom.bytes(count: 16))
                state.renewalCount = 0
                state.heldSecret = held
            }
            state.jar = login.jar
            state.token = login.token
            state.tokenExpiry = login.tokenExpiry
            state.boundKey = login.isBound ? login.key : nil
            state.boundThumbprint = state.boundKey?.thumbprint()
            state.missingScope = login.missingScope
            state.rejection = nil
            if let serverUTCOffset = login.serverUTCOffset { state.serverUTCOffset = serverUTCOffset }
            state.trustedUTCOffset = nil
        }
    }
}
