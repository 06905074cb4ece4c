// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit
internal import CredKitKeychain
internal import HTTPTypes
internal import Logging

extension LoginSession {
    /// The service that the password is kept under in the keychain.
    var service: String { configuration.service ?? server.origin.description }

    /// Logs a user in.
    ///
    /// On success the password goes to the keychain, and cookies and token are sealed at rest, so that a later process goes
    /// on by ``restore()``. Whoever was logged in before is logged in no longer here; their password stays in the keychain.
    /// When this throws ``LoginError/keychain``
    /// or ``LoginError/storage``, the user is logged in all the same, but a later process will not be.
    ///
    /// - Parameters:
    ///   - username: The user's name.
    ///   - password: The password; of text its UTF-8. By a timestamped profile it is never sent.
    ///   - savesPassword: Whether the keychain remembers the password. Without it a login that expires cannot be renewed:
    ///     requests throw ``LoginError/credentialsNeeded``.
    /// - Throws: ``LoginError/rejected`` when the server rejects name and password; and what else there is of the
    ///   connection, the server's time, the keychain.
    public func logIn(
        username: String,
        password: some SecretInput,
        savesPassword: Bool = true
    ) async throws(LoginError) {
        guard !username.isEmpty else { throw .invalidRequest("a user's name is needed") }
        let secret: SecretBytes
        do throws(SecretMemoryError) {
            secret = try SecretBytes(password)
        } catch {
            throw .outOfMemory
        }
        try await inTurnForCaller { () async throws(LoginError) in
            try await self.performLogin(username: username, password: secret, savesPassword: savesPassword)
        }
    }

    /// The server's time text, fetched and checked as a login does it: for programs that derive proofs by themselves.
    ///
    /// - Returns: The text, as the server sent it.
    /// - Throws: ``LoginError/invalidProfile`` if the profile is not a timestamped one, ``LoginError/malformedTime``,
    ///   ``LoginError/timeRefused``, ``LoginError/timeOffsetChanged``, and errors of the connection.
    public func timeText() async throws(LoginError) -> String {
        guard case .timestamped(_, let time) = profile.scheme else {
            throw .invalidProfile("the login profile is not a timestamped one: it has no time text")
        }
        let (timeOffset, accepted) = state.withLock { ($0.timeOffset, $0.acceptedTimeOffset) }
        return try await flow(timeOffset: timeOffset, acceptedOffset: accepted).timeText(time)
    }

    private func performLogin(
        username: String,
        password: SecretBytes,
        savesPassword: Bool
    ) async throws(LoginError) {
        // An offset of the server's clock that an earlier process has seen still counts.
        let kept = try? await keptLogin()
        let isKept = kept?.server == server.text
        let (jar, timeOffset, accepted, oldSavesPassword) = state.withLock { state in
            // Servers tell users apart by bytes: to them two ways of writing an accent are two users.
            let isSame = state.account.map { ASCIIText.areEqual($0, username) } ?? false
            let empty = CookieJar(limits: state.jar.limits, expiryPolicy: state.jar.expiryPolicy)
            return (
                isSame ? state.jar : empty,
                state.timeOffset ?? (isKept ? kept?.timeOffset : nil),
                state.acceptedTimeOffset,
                isSame && state.savesPassword
                    || isKept && kept?.savesPassword == true
                        && kept.map { ASCIIText.areEqual($0.account, username) } == true
            )
        }
        do throws(LoginError) {
            let login = try await flow(timeOffset: timeOffset, acceptedOffset: accepted)
                .run(username: username, password: password, jar: jar)
            try commit(login, account: username, isRenewal: false)
        } catch {
            configuration.logger.notice(
                "login failed",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
            events.send(.loginFailed(error))
            throw error
        }
        configuration.logger.debug("logged in", metadata: ["session": "\(name)"])
        events.send(.loggedIn(account: username))
        // Whoever cancels from here on is logged in, and finds all of it kept or none.
        try await shielded { () async throws(LoginError) in
            try await self.keep(
                username,
                password: savesPassword ? password : nil,
                deletesPassword: oldSavesPassword
            )
        }
    }

    /// Keeps a new login, for later processes.
    private func keep(
        _ username: String,
        password: SecretBytes?,
        deletesPassword: Bool
    ) async throws(LoginError) {
        guard let keychain else { return }
        do throws(KeychainError) {
            if let password {
                try await keychain.setPassword(
                    password,
                    service: service,
                    account: username,
                    label: "Login of \(username) at \(server.origin)"
                )
            } else if deletesPassword {
                try await keychain.deletePassword(service: service, account: username)
            }
        } catch {
            throw .keychain(error)
        }
        state.withLock { $0.savesPassword = password != nil }
        try await save(isNew: true)
    }

    /// What one login needs to know.
    func flow(timeOffset: Int?, acceptedOffset: Int?) -> LoginFlow {
        LoginFlow(
            runner: runner,
            server: server,
            profile: profile,
            credentialOrigins: credentialOrigins,
            headers: configuration.headers,
            timeOffset: timeOffset,
            acceptedOffset: acceptedOffset,
            waitsForNewTimeText: configuration.waitsForNewTimeText,
            now: configuration.now
        )
    }

    /// Takes over what a login brought.
    func commit(_ login: LoginFlow.Login, account: String, isRenewal: Bool) throws(LoginError) {
        try state.withLock { (state) throws(LoginError) in
            guard !Task.isCancelled else { throw .cancelled }
            if let old = state.account, ASCIIText.areEqual(old, account) {
                state.logins.renewed()
            } else {
                state.savesPassword = false
                state.key = nil
                state.logins.loggedIn()
                state.account = account
            }
            if !isRenewal { state.loginID = Hex.encode(SecureRandom.bytes(count: 16)) }
            state.jar = login.jar
            state.token = login.token
            state.rejection = nil
            if let timeOffset = login.timeOffset { state.timeOffset = timeOffset }
            state.acceptedTimeOffset = nil
        }
    }
}
