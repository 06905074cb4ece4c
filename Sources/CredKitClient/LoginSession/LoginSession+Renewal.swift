// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain
internal import Logging

extension LoginSession {
    /// Whoever sent the request is logged in no longer.
    static let otherUser = LoginError.sessionExpired(
        "the user of this request has logged out, or another one has logged in, before it was answered"
    )

    /// Has an expired login renewed, by one login for all who wait.
    ///
    /// - Parameters:
    ///   - sent: The login that the request was sent with.
    ///   - failures: How many renewals had failed when the request began. It shares the failure of a later one: a server in
    ///     trouble gets one login for all requests that are under way, not one for each.
    ///   - deadline: How long this request waits. The renewal itself goes on.
    /// - Returns: The login to send the request again with; `nil` if nobody is logged in, so that nothing has expired.
    /// - Throws: What the renewal throws, or `sessionExpired` when another user has come.
    func renew(
        after sent: RenewalState.Generation,
        failures: Int,
        deadline: ContinuousClock.Instant
    ) async throws(LoginError) -> RenewalState.Generation? {
        enum Step { case nobody, done, wait(SharedOutcome<Void>), start(SharedOutcome<Void>) }
        let step: Step = try state.withLock { (state) throws(LoginError) in
            if !state.logins.hasUser && state.logins.generation.user == sent.user { return .nobody }
            switch state.logins.expired(sent) {
            case .otherUser: throw Self.otherUser
            case .repeatRequest: return .done
            case .renew:
                if let renewal = state.renewal { return .wait(renewal) }
                guard state.failure.number == failures else { throw state.failure.error }
                let renewal = SharedOutcome<Void>()
                state.renewal = renewal
                return .start(renewal)
            }
        }
        switch step {
        case .nobody: return nil
        case .done: break
        case .wait(let renewal): try await wait(for: renewal, until: deadline)
        case .start(let renewal):
            startRenewal(after: sent, for: renewal)
            try await wait(for: renewal, until: deadline)
        }
        return try state.withLock { (state) throws(LoginError) in
            guard state.logins.generation.user == sent.user else { throw Self.otherUser }
            return state.logins.generation
        }
    }

    private func wait(
        for renewal: SharedOutcome<Void>,
        until deadline: ContinuousClock.Instant
    ) async throws(LoginError) {
        try await DeadlineWatch.shared.run(until: deadline) { () async throws(LoginError) in
            try await renewal.value()
        }
    }

    /// Renews in a task of its own, which no request's cancellation ends.
    private func startRenewal(after sent: RenewalState.Generation, for renewal: SharedOutcome<Void>) {
        let (_, cancel) = inTurn { () async throws(LoginError) in
            let result: Result<Void, LoginError>
            do throws(LoginError) {
                try await self.performRenewal(after: sent)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // Before anybody hears of it: whoever asks next finds either the new login or room for another attempt.
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

    private func performRenewal(after sent: RenewalState.Generation) async throws(LoginError) {
        let (account, jar, timeOffset, accepted, rejection) = try state.withLock {
            (state) throws(LoginError) -> (String?, CookieJar, Int?, Int?, SessionState.Rejection?) in
            switch state.logins.expired(sent) {
            case .otherUser: throw Self.otherUser
            // A login that came before this in the queue has done it.
            case .repeatRequest: return (nil, state.jar, nil, nil, nil)
            case .renew:
                return (state.account, state.jar, state.timeOffset, state.acceptedTimeOffset, state.rejection)
            }
        }
        guard let account else { return }
        let password: SecretBytes
        do throws(LoginError) {
            password = try await savedPassword(of: account)
        } catch {
            // Whoever watches has to hear that somebody must log in by hand.
            report(error)
            throw error
        }
        // Asked anew each time: a person may have changed it meanwhile.
        if let rejection, rejection.password.isSame(as: password) { throw rejection.error }
        do throws(LoginError) {
            let login = try await flow(timeOffset: timeOffset, acceptedOffset: accepted)
                .run(username: account, password: password, jar: jar)
            try commit(login, account: account, isRenewal: true)
        } catch {
            try noteFailure(error, password: password)
            throw error
        }
        configuration.logger.debug("login renewed", metadata: ["session": "\(name)"])
        events.send(.renewed(account: account))
        saveSoon()
    }

    private func savedPassword(of account: String) async throws(LoginError) -> SecretBytes {
        guard let keychain else { throw .credentialsNeeded }
        let password: SecretBytes?
        do throws(KeychainError) {
            password = try await keychain.password(service: service, account: account)
        } catch {
            throw .keychain(error)
        }
        guard let password else { throw .credentialsNeeded }
        return password
    }

    /// Remembers a rejected password, and tells those who watch.
    func noteFailure(_ error: LoginError, password: SecretBytes) throws(LoginError) {
        if error == .rejected {
            let rejection = SessionState.Rejection(password: try RejectedPassword(password), error: error)
            state.withLock { $0.rejection = rejection }
            saveSoon()
        }
        report(error)
    }

    private func report(_ error: LoginError) {
        configuration.logger.notice("login failed", metadata: ["session": "\(name)", "error": "\(error)"])
        events.send(.loginFailed(error))
    }
}
