// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// From verifiers of password-equivalents to verifiers of passwords.
extension LoginService {
    /// Replaces the verifier of a user who has just logged in by SCRAM, if it was made of a password-equivalent, with one of the
    /// password. It is a change of the stored password: accept it over TLS only, and in the session of that login.
    ///
    /// - Parameters:
    ///   - ticket: The ticket that the client got with its login: ``LoginResult/verifierTicket``. It may be any text.
    ///   - verifier: The new verifier in PostgreSQL's form, which the client made of the password. It may be any text.
    ///   - user: The name of the session's user in the table.
    ///   - mechanism: The name of the mechanism in this service.
    ///   - now: The current time.
    /// - Returns: The decision. Of several calls with the same ticket, in all processes, at most one replaces the verifier.
    /// - Throws: ``LoginServerError/storeFailed`` if a store or the table threw, ``LoginServerError/lookupFailed`` if the lookup of
    ///   the user threw, ``LoginServerError/outOfMemory``, ``LoginServerError/cancelled``: answer 503.
    public func replaceVerifier(
        ticket: String,
        verifier: String,
        user: String,
        mechanism: String = SCRAMMechanism.name,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> VerifierReplacement {
        guard let registered = mechanisms.named(mechanism),
            let scram = registered.mechanism as? SCRAMMechanism
        else { return .unknownMechanism }
        guard scram.configuration.replacesLayeredVerifiers else { return .invalidTicket }
        let newer: SCRAM.Verifier
        do throws(LoginServerError) {
            newer = try scram.newVerifier(verifier)
        } catch {
            return .invalidVerifier(error)
        }
        guard let ticket = try scram.ticket(ticket, at: now), ticket.account.utf8.elementsEqual(user.utf8),
            let account = try await account(named: user), account.name.utf8.elementsEqual(user.utf8),
            let record = account.credential.record, account.credential.state == .layeredVerifier,
            VerifierTicket.fingerprint(of: account.credential) == ticket.credential
        else { return .invalidTicket }
        switch try await registered.replays.markUsed(ticket.use(at: now)) {
        case .accepted: break
        case .replayed: return .invalidTicket
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        }
        let credential = StoredCredential(SCRAM.Record(newer, of: .password, form: record.form))
        return try await replace(account, with: credential) ? .replaced : .invalidTicket
    }

    /// Ends the timestamped login of a user who has a SCRAM verifier: removes the password-equivalent.
    ///
    /// - Parameter name: The name of the user in the table.
    /// - Returns: Whether the user has no password-equivalent now. `false` if there is no such user, or if nothing but a
    ///   password-equivalent is stored.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/lookupFailed``, ``LoginServerError/cancelled``.
    public func removePasswordEquivalent(
        ofAccountNamed name: String
    ) async throws(LoginServerError) -> Bool {
        guard let account = try await account(named: name),
            let credential = account.credential.removingPasswordEquivalent
        else { return false }
        if account.credential == credential { return true }
        return try await replace(account, with: credential)
    }

    private func account(named name: String) async throws(LoginServerError) -> LoginAccount? {
        try await LoginServerError.wrappingLookup { try await accounts.account(named: name) }
    }

    /// Replaces a credential, and returns whether it is stored: the table does nothing if the account has another one by now.
    private func replace(
        _ account: LoginAccount,
        with credential: StoredCredential
    ) async throws(LoginServerError) -> Bool {
        try await LoginServerError.wrapping("the table of users failed") {
            try await accounts.replace(account.credential, with: credential, ofAccountNamed: account.name)
        }
        return try await self.account(named: account.name)?.credential == credential
    }
}
