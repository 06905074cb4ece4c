// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// Timestamped logins with an offset from UTC and a lookup for each call.
extension LoginService {
    /// Returns the challenge of the timestamped login for a client.
    ///
    /// - Parameters:
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - now: The current time.
    ///   - utcOffset: The offset from UTC of the clock whose minutes the clients expect, less than 24 hours.
    /// - Returns: A one-time challenge or a bare minute.
    /// - Throws: ``LoginServerError/timeOutOfRange``, ``LoginServerError/storeFailed``,
    ///   ``LoginServerError/cancelled``; ``LoginServerError/invalidConfiguration`` if the service has no timestamped login.
    public func challenge(
        for clientAddress: String,
        at now: UnixTime = .now,
        utcOffset: Duration = .zero
    ) async throws(LoginServerError) -> String {
        guard let (_, mechanism) = timestamped(utcOffset: utcOffset),
            let challenge = try await mechanism.challenge(for: clientAddress, at: now)
        else {
            throw LoginServerError(
                .invalidConfiguration,
                message: "the service has no mechanism '\(TimestampedMechanism.name)'"
            )
        }
        return challenge
    }

    /// Processes a timestamped login.
    ///
    /// - Parameters:
    ///   - username: The posted user name, in the form that the user table compares: see ``RateLimiter``.
    ///   - proof: The posted password field.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - returned: The one-time challenge that the client returned, if any.
    ///   - now: The current time.
    ///   - utcOffset: As for ``challenge(for:at:utcOffset:)``.
    ///   - lookup: Finds a user by name, in place of the accounts of the service; returns `nil` if there is none. It should
    ///     take the same time in both cases.
    /// - Returns: The decision.
    /// - Throws: An error means that no user is logged in: answer 503. ``LoginServerError/storeFailed`` if a store threw,
    ///   ``LoginServerError/lookupFailed`` if `lookup` threw, ``LoginServerError/cancelled`` if the task was cancelled.
    public func logIn(
        username: String,
        proof: String,
        clientAddress: String,
        returned: String? = nil,
        at now: UnixTime = .now,
        utcOffset: Duration = .zero,
        lookup: (String) async throws -> LoginAccount?
    ) async throws(LoginServerError) -> LoginDecision {
        guard let (registered, mechanism) = timestamped(utcOffset: utcOffset) else {
            return .unknownMechanism
        }
        let attempt = LoginAttempt(
            username: username,
            response: proof,
            clientAddress: clientAddress,
            challenge: returned
        )
        return try await decide(
            attempt,
            with: RegisteredMechanism(
                name: registered.name,
                mechanism: mechanism,
                replays: registered.replays
            ),
            at: now,
            issuingSession: false,
            lookup: lookup
        )
        .decision
    }

    /// Returns the timestamped login with an offset from UTC.
    private func timestamped(utcOffset: Duration) -> (RegisteredMechanism, TimestampedMechanism)? {
        guard let registered = mechanisms.named(TimestampedMechanism.name),
            var mechanism = registered.mechanism as? TimestampedMechanism
        else { return nil }
        mechanism.utcOffset = { _ in utcOffset }
        return (registered, mechanism)
    }
}
