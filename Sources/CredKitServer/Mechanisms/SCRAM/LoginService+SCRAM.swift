// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// Logins by SCRAM in two requests.
extension LoginService {
    /// Answers the first message of a login by SCRAM. Limit the requests of each address with a ``RateLimiter``: this counts no
    /// attempt.
    ///
    /// - Parameters:
    ///   - clientFirst: The client's first message, which may be any text.
    ///   - scram: The mechanism of SCRAM that the client chose, with or without channel binding.
    ///   - mechanism: The name of the mechanism in this service.
    ///   - now: The current time.
    /// - Returns: The answer. For a user who does not exist it looks the same, takes the same time, and stays the same.
    /// - Throws: ``LoginServerError/lookupFailed`` if the lookup of the user threw, ``LoginServerError/outOfMemory``,
    ///   ``LoginServerError/cancelled``: answer 503.
    public func beginSCRAM(
        _ clientFirst: String,
        as scram: SCRAM.Mechanism,
        mechanism: String = SCRAMMechanism.name,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> SCRAMFirstAnswer {
        guard let registered = mechanisms.named(mechanism),
            let found = registered.mechanism as? SCRAMMechanism
        else { return .unknownMechanism }
        let start = clock.elapsed
        let answer = try await found.begin(clientFirst, as: scram, at: now) {
            try await accounts.account(named: $0)
        }
        if case .challenge = answer { try await delayFirstAnswer(since: start) }
        return answer
    }

    /// Processes the last message of a login by SCRAM, like ``logIn(with:_:at:)``. If the user must send a code, nothing is used
    /// up: the client sends the whole request again, with the code.
    ///
    /// - Parameters:
    ///   - sid: What the client got with the answer to its first message. It may be any text.
    ///   - clientFinal: The client's last message, which may be any text.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - code: The code for a ``LoginSecondStep``, if the client sent one.
    ///   - mechanism: The name of the mechanism in this service.
    ///   - issuesSession: Whether to create a session if the login is accepted: see
    ///     ``logInReturningAnswer(with:_:issuingSession:at:)``.
    ///   - now: The current time.
    /// - Returns: The decision, and the server's last message. A rejection without one means that the login was not begun here,
    ///   or too long ago: it says nothing about the password.
    /// - Throws: As for ``logIn(with:_:at:)``.
    public func finishSCRAM(
        sid: String,
        clientFinal: String,
        clientAddress: String,
        code: String? = nil,
        mechanism: String = SCRAMMechanism.name,
        issuingSession issuesSession: Bool = false,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> LoginResult {
        guard let registered = mechanisms.named(mechanism),
            let found = registered.mechanism as? SCRAMMechanism
        else { return LoginResult(.unknownMechanism) }
        let start = clock.elapsed
        guard let exchange = try found.exchange(sid, at: now) else {
            return LoginResult(try await rejectNameless(clientAddress))
        }
        let attempt = LoginAttempt(
            username: found.configuration.normalizingName(exchange.clientFirst.username),
            response: clientFinal,
            clientAddress: clientAddress,
            challenge: sid,
            code: code
        )
        var outcome = try await decide(attempt, with: registered, at: now, issuingSession: issuesSession) {
            try await accounts.account(named: $0)
        }
        // A replay looks like a wrong password. An exchange that has expired meanwhile says nothing about it.
        if outcome.decision == .rejected, outcome.answer == nil,
            try found.exchange(sid, at: now + (clock.elapsed - start).clamped) != nil
        {
            outcome.answer = "e=invalid-proof"
        }
        return outcome
    }
}
