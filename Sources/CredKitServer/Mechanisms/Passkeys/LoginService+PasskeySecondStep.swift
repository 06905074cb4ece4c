// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// A passkey as the second step after a password, whose ticket of `LoginTickets` is the first one.
extension LoginService {
    /// Begins the second step of a login, whose first step was answered with a ticket: see ``TicketIssuingMechanism``. The
    /// options name the passkeys of the account.
    ///
    /// - Parameters:
    ///   - ticket: The ticket. It may be any text. It is not used up.
    ///   - browser: What identifies the browser: what the ticket is bound to, the challenge of the first attempt.
    ///   - now: The current time.
    /// - Returns: What the page needs; `nil` if the ticket is not valid or the account has no passkey, and if the service lacks
    ///   the ``PasskeyMechanism`` or the ``TicketMechanism``.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/lookupFailed``, ``LoginServerError/outOfMemory``,
    ///   ``LoginServerError/cancelled``.
    public func beginPasskeySecondStep(
        ticket: String,
        browser: String,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> PasskeyOptions? {
        guard let passkeys = mechanisms.passkeys?.mechanism,
            let account = try await account(ofTicket: ticket, browser: browser, at: now)
        else { return nil }
        let credentials = try await passkeys.store.call {
            try await $0.credentials(ofAccountNamed: account.name)
        }
        guard let handle = credentials.first?.record.userHandle else { return nil }
        let ceremony = passkeys.ceremony(
            .secondStep,
            account: account.name,
            userVerification: .preferred,
            allowed: credentials.map(\.id),
            browser: browser,
            at: now
        )
        let assertion = PasskeyAssertion(
            relyingParty: passkeys.relyingParty,
            challenge: ceremony.challenge,
            userVerification: .preferred,
            userHandle: handle,
            allowedCredentials: credentials.map(\.record.descriptor),
            hints: passkeys.configuration.hints
        )
        return PasskeyOptions(
            json: assertion.optionsJSON(at: now),
            ceremony: try ceremony.token(passkeys.ceremonies)
        )
    }

    /// Returns whether the second step of a login can be taken with a code, so that a page knows whether to ask for one.
    ///
    /// - Parameters:
    ///   - ticket: The ticket. It may be any text. It is not used up.
    ///   - browser: What identifies the browser.
    ///   - now: The current time.
    /// - Returns: Whether it can: `false` if the ticket is not valid, the user has set up no codes, or the account requires a
    ///   passkey.
    /// - Throws: As for ``beginPasskeySecondStep(ticket:browser:at:)``, and ``LoginServerError/mechanismFailed``.
    public func acceptsCode(
        ticket: String,
        browser: String,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> Bool {
        guard let secondStep, let account = try await account(ofTicket: ticket, browser: browser, at: now)
        else { return false }
        return try await LoginServerError.wrapping(
            "the second step of a login failed",
            code: .mechanismFailed
        ) {
            guard let step = secondStep as? PasskeySecondStep else {
                return try await secondStep.isRequired(for: account)
            }
            return try await step.acceptsCodes(of: account)
        }
    }

    /// Takes the second step of a login with a passkey. It is an attempt with the ``TicketMechanism``, whose ticket is used up:
    /// after a rejection, see its documentation.
    ///
    /// - Parameters:
    ///   - ticket: The ticket. It may be any text.
    ///   - ceremony: What the page got with its options. It may be any text.
    ///   - response: The JSON of the browser. It may be any bytes.
    ///   - browser: What identifies the browser.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - issuesSession: Whether to create a session if the login is accepted.
    ///   - now: The current time.
    /// - Returns: The decision. The answer of a rejection is ``TicketMechanism/invalidTicket`` if it is one of the ticket, and
    ///   `nil` if it is one of the passkey.
    /// - Throws: As for ``logIn(with:_:at:)``.
    public func finishPasskeySecondStep(
        ticket: String,
        ceremony: String,
        response: some Collection<UInt8>,
        browser: String,
        clientAddress: String,
        issuingSession issuesSession: Bool = false,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> LoginResult {
        let start = clock.elapsed
        let result = try await decide(
            ticket,
            ceremony,
            response,
            browser,
            clientAddress,
            issuesSession: issuesSession,
            at: now,
            start
        )
        if result.decision == .rejected { try await delayRejection(since: start) }
        return result
    }

    /// Decides about a second step, and reports what became of it. The caller delays a rejection when all is freed.
    private func decide(
        _ ticket: String,
        _ ceremony: String,
        _ response: some Collection<UInt8>,
        _ browser: String,
        _ clientAddress: String,
        issuesSession: Bool,
        at now: UnixTime,
        _ start: Duration
    ) async throws(LoginServerError) -> LoginResult {
        guard let (own, passkeys) = mechanisms.passkeys, var step = secondStep as? PasskeySecondStep,
            let registered = mechanisms.named(TicketMechanism.name),
            let tickets = (registered.mechanism as? TicketMechanism)?.tickets
        else { return LoginResult(.unknownMechanism) }
        let username = try tickets.open(ticket, at: now)?.username
        var reason = "invalidCeremony"
        if let begun = try passkeys.ceremony(ceremony, .secondStep, browser: browser, at: now) {
            do throws(WebAuthn.Error) {
                let parsed = try PasskeyAssertion.Response(json: response)
                step.answer = PasskeyAnswer(passkeys, begun, parsed, own.replays)
            } catch {
                reason = error.code.rawValue
            }
        }
        // A response that cannot be read is an attempt, too. It is no code of another second step.
        var service = self
        if step.answer == nil {
            service.secondStep = RejectingSecondStep()
        } else {
            service.secondStep = step
        }
        let attempt = LoginAttempt(
            username: username ?? "",
            response: ticket,
            clientAddress: clientAddress,
            challenge: browser,
            code: PasskeyMechanism.name
        )
        let result = try await service.outcome(
            of: attempt,
            with: registered,
            at: now,
            start: start,
            issuesSession: issuesSession,
            namesAccount: username != nil
        ) {
            try await accounts.account(named: $0)
        }
        if let answer = step.answer {
            answer.report(result.decision)
        } else if result.decision == .rejected {
            passkeys.report(.refused(reason: reason))
        }
        return result
    }

    /// Returns the account of a ticket that is valid in a browser, as ``TicketMechanism`` accepts it.
    private func account(
        ofTicket ticket: String,
        browser: String,
        at now: UnixTime
    ) async throws(LoginServerError) -> LoginAccount? {
        guard let registered = mechanisms.named(TicketMechanism.name),
            let tickets = (registered.mechanism as? TicketMechanism)?.tickets,
            let content = try tickets.open(ticket, at: now),
            ConstantTime.areEqual(content.binding.utf8, browser.utf8)
        else { return nil }
        let account = try await LoginServerError.wrappingLookup {
            try await accounts.account(named: content.username)
        }
        guard let account, account.name.utf8.elementsEqual(content.accountName.utf8),
            content.credential == LoginTickets.fingerprint(of: account)
        else { return nil }
        return account
    }
}

/// A second step that accepts nothing.
private struct RejectingSecondStep: LoginSecondStep {
    func isRequired(for account: LoginAccount) -> Bool { true }

    func verify(_ code: String, of account: LoginAccount, at now: UnixTime) -> MechanismVerdict { .rejected }
}
