// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The login with a password that answers with a ticket of ``LoginTickets`` when a code is still missing: it is then in
/// ``LoginResult/answer``.
///
/// The challenge of the attempt is what the ticket is bound to, such as a cookie of the browser. The second step must bring the
/// same.
public struct TicketIssuingMechanism: ServerLoginMechanism {
    /// The name of the mechanism: `password-step`.
    public static let name = "password-step"

    /// The name of the mechanism: `password-step`.
    public var name: String { Self.name }

    private let base: PasswordMechanism
    private let tickets: LoginTickets

    /// Creates a mechanism.
    ///
    /// - Parameters:
    ///   - passwords: Verifies the passwords.
    ///   - tickets: Makes the tickets.
    public init(_ passwords: PasswordService, tickets: LoginTickets) {
        base = PasswordMechanism(passwords)
        self.tickets = tickets
    }

    /// Returns how long a client should wait if too many passwords are being verified.
    ///
    /// - Parameter attempt: What the client sent.
    /// - Returns: The time; `nil` if the password can be verified.
    public func unavailability(for attempt: LoginAttempt) async -> Duration? {
        await base.unavailability(for: attempt)
    }

    /// Verifies a password.
    ///
    /// - Parameters:
    ///   - attempt: What the client sent.
    ///   - account: The user; `nil` if there is none.
    ///   - now: The current time.
    /// - Returns: The verdict, whose answer is the ticket.
    /// - Throws: ``LoginServerError/cancelled``, ``LoginServerError/outOfMemory``.
    public func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        var verdict = try await base.verify(attempt, account: account, at: now)
        guard verdict.outcome == .accepted, let account else { return verdict }
        verdict.answer = try tickets.issue(
            for: attempt,
            account,
            replacedBy: verdict.newCredential,
            at: now
        )
        return verdict
    }
}
