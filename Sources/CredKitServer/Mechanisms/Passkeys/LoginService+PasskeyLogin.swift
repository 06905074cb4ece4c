// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// Logins with a passkey alone, in two requests.
extension LoginService {
    /// Begins a login without a user name. Limit the requests of each address with a ``RateLimiter``: this counts no attempt.
    ///
    /// - Parameters:
    ///   - browser: What identifies the browser, such as a random cookie. The second request must bring the same.
    ///   - now: The current time.
    /// - Returns: What the page needs; `nil` if the service has no ``PasskeyMechanism``.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func beginPasskeyLogin(
        browser: String,
        at now: UnixTime = .now
    ) throws(LoginServerError) -> PasskeyOptions? {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return nil }
        let ceremony = passkeys.ceremony(.login, userVerification: .required, browser: browser, at: now)
        let assertion = PasskeyAssertion(
            relyingParty: passkeys.relyingParty,
            challenge: ceremony.challenge,
            hints: passkeys.configuration.hints
        )
        return PasskeyOptions(
            json: assertion.optionsJSON(at: now),
            ceremony: try ceremony.token(passkeys.ceremonies)
        )
    }

    /// Processes a login with a passkey, like ``logInReturningAnswer(with:_:issuingSession:at:)``.
    ///
    /// A rejection looks the same and takes the same time whether the passkey or its account is unknown, or something in the
    /// response is wrong. The attempt counts for the address, and for no account.
    ///
    /// - Parameters:
    ///   - ceremony: What the page got with its options. It may be any text.
    ///   - response: The JSON of the browser, as `toJSON()` of the `PublicKeyCredential` writes it. It may be any bytes.
    ///   - browser: What identifies the browser.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - issuesSession: Whether to create a session if the login is accepted.
    ///   - now: The current time.
    /// - Returns: The decision. After ``LoginDecision/unavailable(retryAfter:)``, which a server answers for a moment when its
    ///   stores were started, the page begins anew; and after an error, which may have used up the ceremony.
    /// - Throws: As for ``logIn(with:_:at:)``.
    public func finishPasskeyLogin(
        ceremony: String,
        response: some Collection<UInt8>,
        browser: String,
        clientAddress: String,
        issuingSession issuesSession: Bool = false,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> LoginResult {
        let start = clock.elapsed
        let result = try await decide(
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

    /// Decides about a response, and reports what became of it. All that is read from it is freed at the end, before the caller
    /// delays a rejection.
    private func decide(
        _ ceremony: String,
        _ response: some Collection<UInt8>,
        _ browser: String,
        _ clientAddress: String,
        issuesSession: Bool,
        at now: UnixTime,
        _ start: Duration
    ) async throws(LoginServerError) -> LoginResult {
        guard let (registered, passkeys) = mechanisms.passkeys else { return LoginResult(.unknownMechanism) }
        guard let begun = try passkeys.ceremony(ceremony, .login, browser: browser, at: now) else {
            return try await rejectPasskey("invalidCeremony", passkeys, clientAddress)
        }
        let parsed: PasskeyAssertion.Response
        do throws(WebAuthn.Error) {
            parsed = try PasskeyAssertion.Response(json: response)
        } catch {
            return try await rejectPasskey(error.code.rawValue, passkeys, clientAddress)
        }
        let answer = PasskeyAnswer(passkeys, begun, parsed, registered.replays)
        let login = PasskeyLogin(name: registered.name, answer: answer)
        let result = try await outcome(
            // The name is found by the passkey.
            of: LoginAttempt(username: "", response: "", clientAddress: clientAddress),
            with: RegisteredMechanism(
                name: registered.name,
                mechanism: login,
                replays: registered.replays
            ),
            at: now,
            start: start,
            issuesSession: issuesSession,
            namesAccount: false
        ) { _ in
            try await login.account(in: accounts)
        }
        answer.report(result.decision)
        return result
    }

    /// Counts and rejects a response that is not worth a lookup.
    private func rejectPasskey(
        _ reason: String,
        _ passkeys: PasskeyMechanism,
        _ clientAddress: String
    ) async throws(LoginServerError) -> LoginResult {
        let decision = try await countNameless(clientAddress)
        if decision == .rejected { passkeys.report(.refused(reason: reason)) }
        return LoginResult(decision)
    }
}
