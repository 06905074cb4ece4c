// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Tickets that stand for a password that was right, for a login in two steps: the client sends the password first, and then a
/// ticket and a code, so that no page has to keep the password.
///
/// ```swift
/// let tickets = try LoginTickets()
/// let service = try LoginService(
///     accounts: users,
///     mechanisms: [TicketIssuingMechanism(passwords, tickets: tickets), TicketMechanism(tickets)],
///     storage: storage,
///     secondStep: codes
/// )
/// ```
///
/// A ticket is encrypted and authenticated. It names the account, its credential as it was verified, the hash that is to replace a
/// weaker one, and the browser; it is valid for ``lifetime`` and for one attempt.
public struct LoginTickets: Sendable {
    /// The time in which the second step must be taken: five minutes from the first step.
    public static let lifetime = Duration.seconds(300)

    /// The number of bytes of a key: 32.
    public static let keyByteCount = TokenSealer.keyByteCount

    /// A user name of four kilobytes has room.
    private static let maximumByteCount = 12 << 10

    /// What an opened ticket contains.
    struct Content: Sendable {
        let username: String
        let accountName: String
        let credential: String
        let binding: String
        /// The text of the credential that replaces the verified one; empty for none.
        let newCredential: String
        let issuedAt: UnixTime
        /// What identifies the ticket, to accept it once.
        let id: StoreKey

        /// What an attempt uses up.
        func use(at now: UnixTime) -> SingleUse {
            SingleUse(
                id,
                of: accountName,
                // For processes whose clocks are behind: the ticket is valid there for longer.
                validFrom: issuedAt - LoginChallenge.tolerance,
                validUntil: issuedAt + LoginTickets.lifetime + LoginChallenge.tolerance + .seconds(1),
                verifiedAt: now
            )
        }
    }

    private let sealer: TokenSealer

    /// Creates a maker of tickets.
    ///
    /// - Parameter key: The key of ``keyByteCount`` random bytes, the same for all servers that share their stores; `nil` for a
    ///   new one, with which earlier tickets are invalid.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(key: SecretBytes? = nil) throws(LoginServerError) {
        sealer = TokenSealer(key: try TokenSealer.checkedKey(key), purpose: "login ticket")
    }

    /// Returns the user name that was posted with the password.
    ///
    /// - Parameters:
    ///   - ticket: The ticket that the client sent, which may be any text.
    ///   - now: The current time.
    /// - Returns: The name; `nil` if the ticket is not valid.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func username(
        of ticket: String,
        at now: UnixTime = .now
    ) throws(LoginServerError) -> String? {
        try open(ticket, at: now)?.username
    }

    /// Returns a new ticket for a further attempt after a wrong code. It expires when the old one does.
    ///
    /// - Parameters:
    ///   - ticket: The ticket that the client sent.
    ///   - now: The current time.
    /// - Returns: The new ticket; `nil` if the old one is not valid.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func renewed(
        _ ticket: String,
        at now: UnixTime = .now
    ) throws(LoginServerError) -> String? {
        guard let content = try open(ticket, at: now) else { return nil }
        return try seal(
            [
                content.username, content.accountName, content.credential, content.binding,
                content.newCredential,
            ],
            at: content.issuedAt
        )
    }

    /// Returns a ticket for an account whose first step was right.
    func issue(
        for attempt: LoginAttempt,
        _ account: LoginAccount,
        replacedBy newCredential: StoredCredential?,
        at now: UnixTime
    ) throws(LoginServerError) -> String {
        let fingerprint = Self.fingerprint(of: account)
        let (binding, newer) = (attempt.challenge ?? "", newCredential?.text ?? "")
        return try seal([attempt.username, account.name, fingerprint, binding, newer], at: now)
    }

    /// Opens a ticket; `nil` unless it is valid.
    func open(_ ticket: String, at now: UnixTime) throws(LoginServerError) -> Content? {
        guard let (bytes, id) = try sealer.open(ticket, maximumByteCount: Self.maximumByteCount),
            let content = TokenContent(bytes, textCount: 5),
            content.isValid(at: now, for: Self.lifetime)
        else { return nil }
        return Content(
            username: content.texts[0],
            accountName: content.texts[1],
            credential: content.texts[2],
            binding: content.texts[3],
            newCredential: content.texts[4],
            issuedAt: content.time,
            id: StoreKey("login ticket", Base64.urlSafe.unpadded.encode(id))
        )
    }

    private func seal(_ texts: [String], at time: UnixTime) throws(LoginServerError) -> String {
        try sealer.seal(TokenContent(time: time, texts: texts).bytes)
    }

    /// Returns what differs when the account's credential or its second step has changed.
    static func fingerprint(of account: LoginAccount) -> String {
        StoreKey("login ticket", account.credential.text, account.revision?.hex ?? "").hex
    }
}
