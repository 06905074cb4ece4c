// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain
internal import Logging

extension LoginSession {
    /// The user who sent the request is no longer logged in.
    static let otherUser = ClientError.sessionExpired(
        "the user of this request has logged out, or another user has logged in, before the response arrived"
    )

    /// Whether a user is logged in whose token only a login can give, and there is none, or it has expired.
    /// The expiry contains the margin of ``LoginFlow``.
    var lacksToken: Bool {
        guard tokenSource == .login else { return false }
        let (hasUser, hasToken, expiry) = state.withLock { state in
            // An expired token that cannot be replaced may still be accepted.
            (state.logins.hasUser, state.token != nil, state.canRenew ? state.tokenExpiry : nil)
        }
        guard hasUser else { return false }
        return !hasToken || expiry.map { $0 <= now() } ?? false
    }

    /// Renews an expired login, with one login for all waiting requests.
    ///
    /// - Parameters:
    ///   - sent: The login that the request was sent with.
    ///   - failures: The number of failed renewals when the request began. The request shares the failure of
    ///     a later renewal, so a failing server gets one login for all pending requests, not one for each.
    ///   - deadline: How long this request waits. The renewal itself continues.
    /// - Returns: The login to send the request again with; `nil` if no user is logged in, so that nothing
    ///   has expired.
    /// - Throws: The error of the renewal, or `sessionExpired` if another user has logged in.
    func renew(
        after sent: RenewalState.Generation,
        failures: Int,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> RenewalState.Generation? {
        enum Step {
            case noUser, done, wait(SharedOutcome<Void, ClientError>), start(SharedOutcome<Void, ClientError>)
        }
        let step: Step = try state.withLock { (state) throws(ClientError) in
            if !state.logins.hasUser && state.logins.generation.user == sent.user { return .noUser }
            switch state.logins.expired(sent) {
            case .otherUser: throw Self.otherUser
            case .repeatRequest: return .done
            case .renew:
                if let renewal = state.renewal { return .wait(renewal) }
                guard state.failure.number == failures else { throw state.failure.error }
                let renewal = SharedOutcome<Void, ClientError>()
                state.renewal = renewal
                return .start(renewal)
            }
        }
        switch step {
        case .noUser: return nil
        case .done: break
        case .wait(let renewal): try await wait(for: renewal, until: deadline)
        case .start(let renewal):
            startRenewal(after: sent, for: renewal)
            try await wait(for: renewal, until: deadline)
        }
        return try state.withLock { (state) throws(ClientError) in
            guard state.logins.generation.user == sent.user else { throw Self.otherUser }
            return state.logins.generation
        }
    }

    private func wait(
        for renewal: SharedOutcome<Void, ClientError>,
        until deadline: ContinuousClock.Instant
    ) async throws(ClientError) {
        try await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
            try await renewal.value()
        }
    }

    /// Renews the login in a separate task, which is not cancelled with any request.
    private func startRenewal(
        after sent: RenewalState.Generation,
        for renewal: SharedOutcome<Void, ClientError>
    ) {
        let (_, cancel) = inTurn { () async throws(ClientError) in
            let result: Result<Void, ClientError>
            do throws(ClientError) {
                try await self.performRenewal(after: sent)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // Update the state before reporting the result: the next request then finds either the new login
            // or no running renewal.
            self.state.withLock { state in
                if case .failure(let error) = result {
                    state.failure = .init(number: state.failure.number &+ 1, error: error)
                }
                guard state.renewal === renewal else { return }
                state.renewal = nil
                state.cancelRenewal = nil
            }
            renewal.give(result)
        }
        state.withLock { state in
            if state.renewal === renewal { state.cancelRenewal = cancel }
        }
    }

    /// Whether a login gives what other programs of this account can use instead of a login of their own.
    var sharesLogins: Bool { mechanism.replacesSecret || tokenSource == .responses }

    private func performRenewal(after sent: RenewalState.Generation) async throws(ClientError) {
        guard sharesLogins, let account else { return try await logInAgain(after: sent) }
        try await withSecretLock(of: account) { () async throws(ClientError) in
            if try await self.adoptSavedLogin(after: sent) { return }
            do throws(ClientError) {
                try await self.logInAgain(after: sent)
            } catch {
                // The programs that wait do not try the password again.
                if error == .invalidCredentials { await self.saveNow() }
                throw error
            }
        }
    }

    private func logInAgain(after sent: RenewalState.Generation) async throws(ClientError) {
        let (account, jar, serverUTCOffset, accepted, rejection) = try state.withLock {
            (state) throws(ClientError) -> (String?, CookieJar, Duration?, Duration?, SessionState.Rejection?)
            in
            switch state.logins.expired(sent) {
            case .otherUser: throw Self.otherUser
            // An earlier login in the queue has already renewed it.
            case .repeatRequest: return (nil, state.jar, nil, nil, nil)
            case .renew:
                return (
                    state.account, state.jar, state.serverUTCOffset, state.trustedUTCOffset, state.rejection
                )
            }
        }
        guard let account else { return }
        let password: SecretBytes
        do throws(ClientError) {
            password = try await renewalSecret(of: account)
        } catch {
            // Notify listeners, because the user must log in manually.
            report(error)
            throw error
        }
        // Read again each time: the user may have changed the password.
        if let rejection, rejection.password.isSame(as: password) { throw rejection.error }
        do throws(ClientError) {
            let flow = flow(
                serverUTCOffset: serverUTCOffset,
                trustedUTCOffset: accepted,
                dpop: try await dpopOfRenewal(of: account)
            )
            try await shieldedIfSecretIsReplaced { () async throws(ClientError) in
                let login = try await flow.run(username: account, password: password, jar: jar)
                if let newSecret = login.newSecret {
                    await self.keep(newSecret, boundTo: login.key, insteadOf: password)
                }
                if let failure = login.failure { throw failure }
                try self.commit(login, account: account, isRenewal: true)
            }
        } catch {
            try noteFailure(error, password: password)
            throw error
        }
        configuration.logger.debug("login renewed", metadata: ["session": "\(name)"])
        eventBroadcaster.send(.renewed(account: account))
        if sharesLogins { await saveNow() } else { saveSoon() }
    }

    /// Remembers a rejected password and notifies listeners. The keychain keeps it; `rejection` only stops it from
    /// being tried again.
    func noteFailure(_ error: ClientError, password: SecretBytes) throws(ClientError) {
        if error == .invalidCredentials {
            let rejection = SessionState.Rejection(password: try RejectedPassword(password), error: error)
            state.withLock { $0.rejection = rejection }
            dropHeldSecret(password)
            saveSoon()
        }
        report(error)
    }

    private func report(_ error: ClientError) {
        configuration.logger.notice("login failed", metadata: ["session": "\(name)", "error": "\(error)"])
        eventBroadcaster.send(.loginFailed(error))
    }
}
