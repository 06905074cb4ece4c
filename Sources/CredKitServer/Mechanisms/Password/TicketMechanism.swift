// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The second step of a login in two steps: the response is a ticket of ``LoginTickets``, and the code of the attempt is that of
/// the ``LoginSecondStep``.
///
/// A ticket is used up by its first attempt, also if the code is wrong: ``LoginTickets/renewed(_:at:)`` makes another one. Each
/// attempt counts as one of the user. A rejection whose ``LoginResult/answer`` is ``invalidTicket`` is one of the ticket, and the
/// user must send the password again; without an answer, the code was wrong.
public struct TicketMechanism: ServerLoginMechanism {
    /// The name of the mechanism: `ticket`.
    public static let name = "ticket"

    /// The answer to a ticket that is malformed, expired, used, of another browser, or of a credential that has changed.
    public static let invalidTicket = "invalid-ticket"

    /// The name of the mechanism: `ticket`.
    public var name: String { Self.name }

    let tickets: LoginTickets
    private var replays: ReplayGuard?

    /// Creates a mechanism.
    ///
    /// - Parameter tickets: The tickets of a ``TicketIssuingMechanism``.
    public init(_ tickets: LoginTickets) {
        self.tickets = tickets
    }

    /// Returns the mechanism that marks used tickets in the stores of a service.
    ///
    /// - Parameter storage: The stores of the service.
    /// - Returns: The mechanism.
    public func connected(to storage: LoginStorage) -> Self {
        var copy = self
        copy.replays = ReplayGuard(store: storage.replays)
        return copy
    }

    /// Verifies a ticket, and uses it up.
    ///
    /// - Parameters:
    ///   - attempt: What the client sent; its challenge is what the ticket is bound to.
    ///   - account: The user; `nil` if there is none.
    ///   - now: The current time.
    /// - Returns: The verdict.
    /// - Throws: ``LoginServerError/outOfMemory``, ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        let invalid = MechanismVerdict.rejected(answer: Self.invalidTicket)
        let ticket = attempt.response.withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        guard let content = try tickets.open(ticket, at: now), let account, let replays,
            content.username.utf8.elementsEqual(attempt.username.utf8),
            content.accountName.utf8.elementsEqual(account.name.utf8),
            content.credential == LoginTickets.fingerprint(of: account),
            ConstantTime.areEqual(content.binding.utf8, (attempt.challenge ?? "").utf8)
        else { return invalid }
        switch try await replays.markUsed(content.use(at: now)) {
        case .accepted:
            // An empty text would be a credential that matches no password.
            let newer = content.newCredential
            return .accepted(newCredential: newer.isEmpty ? nil : try? StoredCredential(newer))
        case .replayed: return invalid
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        }
    }
}
