// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// New passwords, by the old one or by a link.
extension LoginService {
    /// Changes the password of a user who knows the old one, and ends all sessions of the user: the request gets a new one.
    ///
    /// The old password is an attempt as a login is, with the same limits for the account and the address, and the same second step:
    /// a stolen session grants no further guesses.
    ///
    /// If it throws, the password may be changed, and sessions may be left: end them with ``SessionTokenStore/revokeAll(of:)`` of
    /// ``sessions``.
    ///
    /// - Parameters:
    ///   - name: The name of the account in the table.
    ///   - old: The old password.
    ///   - new: The new password.
    ///   - session: The token of the session of the request. It may be any text.
    ///   - code: The code for the second step, if the client sent one. It may be any text; an empty one is no code.
    ///   - hasTakenSecondStep: Whether the user took the second step in this session a moment ago, so that it is not asked again. A
    ///     user whose second step is a passkey needs this.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - now: The current time.
    /// - Returns: The decision; ``PasswordChange/notPermitted`` also if users cannot change passwords.
    /// - Throws: ``LoginServerError/storeFailed`` if a store, the table or a blocklist threw, ``LoginServerError/lookupFailed``,
    ///   ``LoginServerError/mechanismFailed``, ``LoginServerError/outOfMemory``, ``LoginServerError/cancelled``: answer 503.
    public func changePassword(
        ofAccountNamed name: String,
        from old: some SecretInput & Sendable,
        to new: SecretBytes,
        session: String,
        code: String? = nil,
        hasTakenSecondStep: Bool = false,
        clientAddress: String,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> PasswordChange {
        guard let changes = accountChanges, let user = try await sessions.user(of: session),
            user.utf8.elementsEqual(name.utf8)
        else { return .notPermitted }
        var refusals = try changes.refusals(of: new, ofAccountNamed: name)
        if Self.areEqual(old, new) { refusals.append("the new password is the old one") }
        guard refusals.isEmpty else { return .refused(refusals) }

        var service = self
        // This is no login by the mechanism.
        service.mechanismUse = nil
        if hasTakenSecondStep { service.secondStep = nil }
        let mechanism = OldPasswordMechanism(base: PasswordMechanism(changes.passwords))
        var found: LoginAccount?
        let result = try await service.decide(
            LoginAttempt(username: name, response: old, clientAddress: clientAddress, code: code),
            with: RegisteredMechanism(name: mechanism.name, mechanism: mechanism, replays: codes),
            at: now,
            issuingSession: false
        ) { name in
            found = try await account(ofPasskeys: name)
            return found
        }
        switch result.decision {
        case .accepted: break
        case .codeRequired:
            guard let found, try await acceptsCode(of: found) else { return .notPermitted }
            return .codeRequired
        case .limited(let wait): return .limited(wait)
        case .unavailable(let wait), .replayed(let wait): return .unavailable(wait)
        case .rejected, .unknownMechanism:
            changes.report(.wrongPassword, name, clientAddress)
            return .wrongPassword
        }
        guard let account = found else { return .wrongPassword }
        switch try await hash(new, changes, clientAddress) {
        case .refused(let change): return change
        case .made(let newer):
            let isStored = try await store(newer, of: account, changes, by: .oldPassword, clientAddress)
            guard isStored else { return .conflict }
            return .changed(await newSession(of: account, with: newer))
        }
    }

    /// Stores the password that a user has chosen with a link, and ends all sessions of the user. That uses up the link, on all servers
    /// that share the table. The attempts of the account are forgotten; its second step stays.
    ///
    /// If it throws, the password may be changed, and sessions may be left: end them with ``SessionTokenStore/revokeAll(of:)`` of
    /// ``sessions``.
    ///
    /// - Parameters:
    ///   - link: The text of the link. It may be any text.
    ///   - new: The new password.
    ///   - clientAddress: The address of the client, for the limits of ``PasswordService``.
    ///   - now: The current time.
    /// - Returns: The decision: ``PasswordChange/changed(_:)`` without a session, ``PasswordChange/notPermitted``,
    ///   ``PasswordChange/refused(_:)`` or ``PasswordChange/unavailable(_:)``.
    /// - Throws: As for ``changePassword(ofAccountNamed:from:to:session:code:hasTakenSecondStep:clientAddress:at:)``.
    public func setPassword(
        withLink link: String,
        to new: SecretBytes,
        clientAddress: String? = nil,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> PasswordChange {
        let start = clock.elapsed
        guard let changes = accountChanges, let opened = try await openLink(link, changes, at: now) else {
            return .notPermitted
        }
        let name = opened.account.name
        let refusals = try changes.refusals(of: new, ofAccountNamed: name)
        guard refusals.isEmpty else { return .refused(refusals) }
        let newer: StoredCredential
        switch try await hash(new, changes, clientAddress) {
        case .refused(let change): return change
        case .made(let credential): newer = credential
        }
        // A client that has gone uses up nothing.
        guard !Task.isCancelled else { throw .cancelled }
        // The credential makes the link single: of all uses, one finds the old one. The mark only keeps a used link out when the same
        // credential comes back, as '!' does. So a store that cannot know what was used before ends no link.
        let key = opened.use.key
        guard
            try await codes.markUsed(opened.use.later(by: clock.correction(since: start))) != .replayed
                || changes.unspentLinks.remove(key)
        else { return .notPermitted }
        do throws(LoginServerError) {
            guard try await store(newer, of: opened.account, changes, by: .link, clientAddress) else {
                return .notPermitted
            }
        } catch {
            // Nothing is stored unless the account is known to have changed: the user tries again.
            let present = try? await account(ofPasskeys: name)
            if present.map({ $0.credential == opened.account.credential }) ?? true {
                changes.unspentLinks.insert(key)
            }
            throw error
        }
        // Attempts that still count do no harm.
        try? await limiter.reset(account: name)
        return .changed(nil)
    }

    /// What became of a new password.
    private enum Hashing {
        case made(StoredCredential)
        case refused(PasswordChange)
    }

    private func hash(
        _ password: SecretBytes,
        _ changes: AccountConfiguration,
        _ clientAddress: String?
    ) async throws(LoginServerError) -> Hashing {
        let text: String
        do throws(PasswordError) {
            text = try await changes.passwords.hash(password, clientAddress: clientAddress)
        } catch {
            switch error.code {
            case .busy: return .refused(.unavailable(changes.passwords.configuration.retryAfter.retryAfter))
            case .passwordNotAllowed, .passwordTooLong, .passwordContainsNUL:
                return .refused(.refused([error.message]))
            case .outOfMemory: throw .outOfMemory
            case .cancelled: throw .cancelled
            default:
                throw LoginServerError(
                    .mechanismFailed,
                    message: "cannot hash a new password: \(error.message)",
                    underlying: error
                )
            }
        }
        return .made(try StoredCredential(text))
    }

    /// Stores a credential if the account still has the one that was read, and then ends all sessions of the user: a login with the old
    /// password that creates one later finds the new credential, and ends it.
    private func store(
        _ newer: StoredCredential,
        of account: LoginAccount,
        _ changes: AccountConfiguration,
        by proof: AccountEvent.Proof,
        _ clientAddress: String?
    ) async throws(LoginServerError) -> Bool {
        guard let table = accounts as? any WritableAccounts else { return false }
        let isStored: Bool
        do throws(LoginServerError) {
            isStored = try await LoginServerError.wrapping("the table of users failed") {
                try await table.set(newer, inPlaceOf: account.credential, ofAccountNamed: account.name)
            }
        } catch {
            // It may be stored nevertheless.
            try? await endSessions(of: account.name)
            throw error
        }
        guard isStored else { return false }
        changes.report(.passwordChanged(by: proof), account.name, clientAddress)
        try await endSessions(of: account.name)
        return true
    }

    /// Ends all sessions of a user, also if the task is cancelled or the request has waited for the stores for as long as it may.
    private func endSessions(of name: String) async throws(LoginServerError) {
        let end = Task { [sessions] in
            try await EngineBudget.with(.seconds(10)) { try await sessions.revokeAll(of: name) }
        }
        do {
            try await end.value
        } catch {
            throw LoginServerError(
                .storeFailed,
                message: "the password was changed, but the sessions of the user could not be ended",
                underlying: error
            )
        }
    }

    /// Returns a new session, unless the account has changed again meanwhile. The password is stored, so that this must not fail any
    /// more.
    private func newSession(of account: LoginAccount, with credential: StoredCredential) async
        -> SessionToken?
    {
        guard let token = try? await sessions.issue(for: account.name) else { return nil }
        if let present = try? await self.account(ofPasskeys: account.name), present.credential == credential,
            present.revision == account.revision
        {
            return token
        }
        await Task { [sessions] in try? await sessions.revoke(token.text) }.value
        return nil
    }

    /// Returns whether a code can be the second step of an account that must take one.
    private func acceptsCode(of account: LoginAccount) async throws(LoginServerError) -> Bool {
        guard let step = secondStep as? PasskeySecondStep else { return true }
        return try await LoginServerError.wrapping(
            "the second step of a login failed",
            code: .mechanismFailed
        ) {
            try await step.acceptsCodes(of: account)
        }
    }

    private static func areEqual(_ left: some SecretInput, _ right: SecretBytes) -> Bool {
        left.withSecretBytes { left in right.withSecretBytes { ConstantTime.areEqual(left, $0) } }
    }
}
