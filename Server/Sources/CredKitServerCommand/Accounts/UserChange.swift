// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// What `credkit-server users` does about a user: first the users are changed, and then the sessions end, so that no session of an old
/// password is left.
struct UserChange {
    /// How long an invitation is valid.
    private static let invitationLifetime = Duration.seconds(7 * 86_400)
    /// How long a link for a new password is valid.
    private static let resetLifetime = Duration.seconds(3600)
    /// The time in which a server that runs has read a changed file: it looks each second, and reads what did not change from one look
    /// to the next.
    private static let reloadTime = Duration.seconds(3)

    private let server: LoginServer
    private let user: String
    /// Whether the sessions are those of the servers that run.
    private let isShared: Bool
    /// Whether a server that runs reads the users again by itself.
    private let isFile: Bool

    /// Prepares a change.
    ///
    /// - Parameters:
    ///   - server: A server with the options of those that run.
    ///   - user: The name of the user.
    ///   - isShared: Whether it shares its state with them.
    ///   - isFile: Whether the users are in a file.
    init(_ server: LoginServer, user: String, isShared: Bool, isFile: Bool) {
        self.server = server
        self.user = user
        self.isShared = isShared
        self.isFile = isFile
    }

    private var accounts: any ServerUserTable { server.accounts }

    private var shownUser: String { "'\(ShellQuoting.escapingUnprintable(user))'" }

    private func report(_ message: String) { StandardStreams.report(message, from: "credkit-server") }

    // MARK: Actions

    /// Adds a user, or replaces the password.
    ///
    /// - Parameter password: Reads the password.
    /// - Throws: ``CommandFailure``, also if the user is changed meanwhile; errors of the stores and of `password`.
    func set(_ password: () throws -> SecretBytes) async throws {
        // Before the prompt, so that the administrator does not type the password in vain.
        try requireWritable()
        guard !server.settings.mechanisms.isDisjoint(with: [.form, .page]) else {
            throw CommandFailure(
                .malformed,
                "this server has no form and no page, and 'set' stores an Argon2id hash, with which \(shownUser) could not log in: "
                    + "use 'credkit users' with --scheme scram-sha-256"
            )
        }
        let old = try await accounts.account(named: user)?.credential
        let credential = try StoredCredential(try PasswordContext().hash(try password()))
        if old == nil { try await removeRemains() }
        guard try await accounts.set(credential, inPlaceOf: old, ofAccountNamed: user) else {
            throw conflict(old)
        }
        audit(old == nil ? .userAdded : .passwordSet)
        try await endSessions()
        try StandardStreams.writeLine(
            old == nil ? "added \(shownUser)" : "replaced the password of \(shownUser)"
        )
    }

    /// Removes a user with everything that a later user of the name could log in with. The user is locked first and removed last: a
    /// removal that was interrupted can run again, and the server does not find keys of users whom it does not know.
    ///
    /// - Parameters:
    ///   - codes: The file with the keys of one-time codes.
    ///   - recoveryCodes: The file of recovery codes.
    /// - Throws: ``CommandFailure``, also if there is no such user; errors of the stores.
    func delete(codes: FileArgument?, _ recoveryCodes: FileArgument?) async throws {
        try requireWritable()
        if let account = try await accounts.account(named: user) {
            try await requireOtherUser()
            if account.credential != .unusable {
                let isLocked = try await accounts.set(
                    .unusable,
                    inPlaceOf: account.credential,
                    ofAccountNamed: user
                )
                guard isLocked else { throw conflict(account.credential) }
            }
        }
        try await endSessions()
        _ = try await server.service.removeAllPasskeys(ofAccountNamed: user)
        if let codes, codes.descriptor == nil {
            try OneTimeCodesFile(name: codes).set(nil, ofUserNamed: user)
        }
        if let recoveryCodes { try RecoveryCodesFile(name: recoveryCodes).set([], ofUserNamed: user) }
        guard try await accounts.remove(accountNamed: user) else { throw missing }
        audit(.userRemoved)
        try StandardStreams.writeLine("removed \(shownUser)")
    }

    /// Prints the users, and whether they have a password.
    func list() async throws {
        for name in try await accounts.accountNames() {
            // It may have been removed meanwhile.
            guard let account = try await accounts.account(named: name) else { continue }
            let state = account.credential == .unusable ? "no password" : "password"
            try StandardStreams.writeLine("\(ShellQuoting.escapingUnprintable(name))\t\(state)")
        }
    }

    /// Adds a user without a password, and makes a link with which one is chosen.
    func invite() async throws {
        try requireWritable()
        try requireKey()
        let account = try await accounts.account(named: user)
        if let account {
            guard account.credential == .unusable else {
                throw CommandFailure(
                    .no,
                    "there is a user \(shownUser) already, who has a password: use 'reset'"
                )
            }
        } else {
            try await removeRemains()
        }
        // Also for an account without a password: another text than '!' locks it, and no link would open it.
        let old = account?.credential
        guard try await accounts.set(.unusable, inPlaceOf: old, ofAccountNamed: user) else {
            throw conflict(old)
        }
        if old == nil {
            audit(.userAdded)
            // The server would refuse the link of a user whom it does not know yet.
            if isFile { try await Task.sleep(for: Self.reloadTime) }
        }
        try await send(.invitation, .invitation, for: Self.invitationLifetime)
    }

    /// Makes a link with which a user chooses a password in place of another one.
    func reset() async throws {
        try requireWritable()
        try requireKey()
        guard let account = try await accounts.account(named: user) else { throw missing }
        guard account.credential != .unusable else {
            throw CommandFailure(.no, "\(shownUser) has no password: use 'invite'")
        }
        try await send(.reset, .reset, for: Self.resetLifetime)
    }

    // MARK: Parts of them

    /// Makes a link, and gives it to the program for it, or prints it.
    private func send(
        _ purpose: AccountLink.Purpose,
        _ event: NotifyCommand.Event,
        for lifetime: Duration
    ) async throws {
        guard let page = server.settings.page,
            let text = try await server.service.accountLink(
                purpose,
                forAccountNamed: user,
                lifetime: lifetime
            )
        else { throw missing }
        let link = "\(page.sites[0].text)/auth/link?token=\(text)"
        guard let notify = server.settings.accounts?.notify else {
            try StandardStreams.writeLine(link)
            return
        }
        do {
            try await notify.tell(event, user: user, link: link, expiry: .now + lifetime)
        } catch let failure as CommandFailure {
            throw CommandFailure(
                failure.status,
                "\(shownUser) has got no link: \(failure.message ?? ""); '\(purpose == .invitation ? "invite" : "reset")' can run again"
            )
        }
        try StandardStreams.writeLine("sent a link to \(shownUser)")
    }

    /// Removes what a former user of the name has left.
    private func removeRemains() async throws {
        _ = try await server.service.removeAllPasskeys(ofAccountNamed: user)
        if accounts.files.codes != nil { _ = try await accounts.setOneTimeCode(nil, ofAccountNamed: user) }
    }

    private func endSessions() async throws {
        try await server.service.sessions.revokeAll(of: user)
        guard !isShared, !isFile else { return }
        report("sessions of the user at a server that runs go on until they end by age, or until it restarts")
    }

    /// Throws if a file would have no user any more.
    private func requireOtherUser() async throws {
        guard isFile else { return }
        let names = try await accounts.accountNames()
        guard !names.allSatisfy({ $0.utf8.elementsEqual(user.utf8) }) else {
            throw CommandFailure(
                .refused,
                "\(shownUser) is the only user, and a server does not read a file without users: add another one first"
            )
        }
    }

    private func audit(_ action: ServerLog.AuditAction) {
        server.settings.log.audit(action, user: user, proof: .operator, client: nil)
    }

    private func requireWritable() throws(CommandFailure) {
        guard accounts.isWritable else {
            throw CommandFailure(.cannotCreate, "the users cannot be changed, as stated above")
        }
    }

    /// Throws unless a server that runs accepts links of this process.
    private func requireKey() throws {
        guard !isShared else { return }
        guard let file = server.settings.accounts?.keyFile else {
            throw CommandFailure(
                .unavailable,
                "links for users in a table require a shared state, whose key the servers and this command have: give --state and "
                    + "--state-key-file"
            )
        }
        try file.requireServer()
    }

    private var missing: CommandFailure { CommandFailure(.no, "there is no user \(shownUser)") }

    /// The failure if the users were changed meanwhile.
    private func conflict(_ old: StoredCredential?) -> CommandFailure {
        old == .unusable
            ? CommandFailure(
                .no,
                "\(shownUser) is locked by another text than '!': change that, or remove the user first"
            )
            : CommandFailure(.tryAgain, "\(shownUser) was changed by another program meanwhile; try again")
    }
}
