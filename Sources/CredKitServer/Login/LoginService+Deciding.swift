// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension LoginService {
    /// Decides about a login, and delays a rejection. One that names no account is counted for the address only.
    func decide(
        _ attempt: LoginAttempt,
        with registered: RegisteredMechanism,
        at now: UnixTime,
        issuingSession issuesSession: Bool,
        namingAccount namesAccount: Bool = true,
        lookup: (String) async throws -> LoginAccount?
    ) async throws(LoginServerError) -> LoginResult {
        let start = clock.elapsed
        let outcome = try await outcome(
            of: attempt,
            with: registered,
            at: now,
            start: start,
            issuesSession: issuesSession,
            namesAccount: namesAccount,
            lookup
        )
        if outcome.decision == .rejected { try await delayRejection(since: start) }
        return outcome
    }

    /// Counts and rejects an attempt from which no user name can be read.
    func rejectNameless(_ clientAddress: String) async throws(LoginServerError) -> LoginDecision {
        let start = clock.elapsed
        let decision = try await countNameless(clientAddress)
        if decision == .rejected { try await delayRejection(since: start) }
        return decision
    }

    /// Counts an attempt from which no user name can be read. The caller delays the rejection.
    func countNameless(_ clientAddress: String) async throws(LoginServerError) -> LoginDecision {
        let result = try await limiter.recordAttempt(account: nil, clientAddress: clientAddress)
        if case .limited(let wait) = result { return .limited(retryAfter: wait) }
        return .rejected
    }

    /// Delays a rejection. What the attempt needed is best gone before: what is freed afterwards shows in the time.
    func delayRejection(since start: Duration) async throws(LoginServerError) {
        try await delay(since: start, rejectionDelay)
    }

    /// Delays the answer to a first message, which is a computation of microseconds after the lookup of a user.
    func delayFirstAnswer(since start: Duration) async throws(LoginServerError) {
        try await delay(since: start, RejectionDelay(interval: rejectionDelay.interval / 10))
    }

    private func delay(since start: Duration, _ delay: RejectionDelay) async throws(LoginServerError) {
        try await LoginServerError.wrapping("the clock of logins failed") {
            try await delay.wait(since: start, on: clock)
        }
    }

    /// Limits, looks up and verifies, in this order. The caller delays a rejection.
    func outcome(
        of attempt: LoginAttempt,
        with registered: RegisteredMechanism,
        at now: UnixTime,
        start: Duration,
        issuesSession: Bool,
        namesAccount: Bool,
        _ lookup: (String) async throws -> LoginAccount?
    ) async throws(LoginServerError) -> LoginResult {
        // An attempt that comes when there is too much to do does not count.
        if let wait = await registered.mechanism.unavailability(for: attempt) {
            return LoginResult(.unavailable(retryAfter: wait.retryAfter))
        }
        let result = try await limiter.recordAttempt(
            account: namesAccount ? attempt.username : nil,
            clientAddress: attempt.clientAddress
        )
        if case .limited(let wait) = result { return LoginResult(.limited(retryAfter: wait)) }
        let account = try await LoginServerError.wrappingLookup { try await lookup(attempt.username) }
        // The stores and the lookup may take seconds, in which a proof can expire and be forgotten.
        let now = now + clock.correction(since: start)
        let verification = clock.elapsed
        let verdict = try await registered.wrapping {
            try await registered.mechanism.verify(attempt, account: account, at: now)
        }
        switch verdict.outcome {
        case .rejected: return LoginResult(.rejected, answer: verdict.answer)
        case .limited(let wait): return LoginResult(.limited(retryAfter: wait.retryAfter))
        case .unavailable(let wait): return LoginResult(.unavailable(retryAfter: wait.retryAfter))
        case .accepted:
            // Whatever the mechanism says, a user who does not exist cannot log in.
            guard let account else { return LoginResult(.rejected) }
            let step = try await verdict.hasTwoFactors ? nil : requiredStep(of: account)
            let later = clock.correction(since: verification)
            let token = issuesSession ? SessionToken.random() : nil
            let steps = CompletingSteps(
                completion: completion,
                attempts: limiter.key(of: namesAccount ? attempt.username : account.name),
                session: token.map { sessions.creation(of: $0, for: account.name) }
            )
            let uses = (verdict.use, registered.replays)
            // A client that has gone uses up nothing, and has no session.
            guard !Task.isCancelled else { throw .cancelled }
            let end: CompletingSteps.End
            do throws(LoginServerError) {
                end = try await complete(steps, attempt, of: account, uses, step, at: now, later)
                if let decision = end.refusal {
                    // A client sends its code only to a server that has proved itself. The answer already reveals that the
                    // first step was right.
                    return LoginResult(decision, answer: decision == .codeRequired ? verdict.answer : nil)
                }
                if end.isSessionCreated, let token,
                    let decision = try await change(
                        since: attempt,
                        of: account,
                        with: registered,
                        step,
                        at: now + later,
                        lookup
                    )
                {
                    try await sessions.revoke(token.text)
                    return LoginResult(decision)
                }
                guard !Task.isCancelled else { throw .cancelled }
            } catch {
                if let token {
                    // The task may be cancelled, and revokes it nevertheless.
                    await Task { [sessions] in try? await sessions.revoke(token.text) }.value
                }
                throw error
            }
            mechanismUse?.record(registered.name, account: account.name, at: now + later)
            await finish(attempt, of: account, with: registered, verdict)
            if Task.isCancelled, let token {
                await Task { [sessions] in try? await sessions.revoke(token.text) }.value
                throw .cancelled
            }
            return LoginResult(
                .accepted(user: account.name),
                answer: verdict.answer,
                verifierTicket: verdict.ticket,
                session: end.isSessionCreated ? token : nil
            )
        }
    }

    /// Returns why a login would not be accepted with what is stored now, when its session has been created; `nil` if it would.
    /// A change that is stored later ends the session, as do all changes that are stored first and then end the sessions of
    /// the user; one that was stored before is seen here. A hash that was only renewed is verified once more.
    private func change(
        since attempt: LoginAttempt,
        of account: LoginAccount,
        with registered: RegisteredMechanism,
        _ step: (any LoginSecondStep)?,
        at now: UnixTime,
        _ lookup: (String) async throws -> LoginAccount?
    ) async throws(LoginServerError) -> LoginDecision? {
        if let step = step as? any RecheckedSecondStep,
            try await !Self.wrappingStep({ try await step.isStillAccepted() })
        {
            return .rejected
        }
        let present = try await LoginServerError.wrappingLookup { try await lookup(attempt.username) }
        guard let present, present.name.utf8.elementsEqual(account.name.utf8),
            present.revision == account.revision
        else { return .rejected }
        guard present != account else { return nil }
        let verdict = try await registered.wrapping {
            try await registered.mechanism.verify(attempt, account: present, at: now)
        }
        switch verdict.outcome {
        case .accepted: return nil
        case .rejected: return .rejected
        case .limited(let wait): return .limited(retryAfter: wait.retryAfter)
        case .unavailable(let wait): return .unavailable(retryAfter: wait.retryAfter)
        }
    }

    /// Uses up what a right response uses, takes the second step, and completes the login if that is accepted.
    private func complete(
        _ steps: CompletingSteps,
        _ attempt: LoginAttempt,
        of account: LoginAccount,
        _ uses: (use: SingleUse?, replays: ReplayGuard),
        _ step: (any LoginSecondStep)?,
        at now: UnixTime,
        _ later: Duration
    ) async throws(LoginServerError) -> CompletingSteps.End {
        guard let step else { return try await steps.complete(uses.use?.later(by: later), uses.replays) }
        guard let code = attempt.code, !code.isEmpty else { return .refused(.codeRequired) }
        if let use = uses.use?.later(by: later) {
            let decision = try await uses.replays.markUsed(use)
            if let refusal = CompletingSteps.refusal(decision, of: use) { return .refused(refusal) }
        }
        let start = clock.elapsed
        let verdict = try await verify(code, of: account, with: step, at: now + later)
        switch verdict.outcome {
        case .rejected: return .refused(.rejected)
        case .limited(let wait): return .refused(.limited(retryAfter: wait.retryAfter))
        case .unavailable(let wait): return .refused(.unavailable(retryAfter: wait.retryAfter))
        case .accepted:
            return try await steps.complete(verdict.use?.later(by: clock.correction(since: start)), codes)
        }
    }

    /// Does what follows a login. The proof is used up, so the login must not fail any more. A challenge that stays and an old
    /// hash do no harm.
    private func finish(
        _ attempt: LoginAttempt,
        of account: LoginAccount,
        with registered: RegisteredMechanism,
        _ verdict: MechanismVerdict
    ) async {
        if let challenge = verdict.challenge {
            try? await registered.mechanism.consume(challenge, of: attempt.clientAddress)
        }
        if let newer = verdict.newCredential {
            try? await accounts.replace(account.credential, with: newer, ofAccountNamed: account.name)
        }
    }

    /// Returns the second step, if a user must take it.
    private func requiredStep(
        of account: LoginAccount
    ) async throws(LoginServerError) -> (any LoginSecondStep)? {
        guard let secondStep else { return nil }
        let isRequired = try await Self.wrappingStep { try await secondStep.isRequired(for: account) }
        return isRequired ? secondStep : nil
    }

    /// Verifies a code.
    private func verify(
        _ code: String,
        of account: LoginAccount,
        with step: any LoginSecondStep,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        try await Self.wrappingStep { try await step.verify(code, of: account, at: now) }
    }

    private static func wrappingStep<Value>(
        _ operation: () async throws -> Value
    ) async throws(LoginServerError) -> Value {
        try await LoginServerError.wrapping(
            "the second step of a login failed",
            code: .mechanismFailed,
            operation
        )
    }
}
