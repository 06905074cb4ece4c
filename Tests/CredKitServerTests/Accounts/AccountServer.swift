// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitSystem
import CredKitTestSupport
import Testing

/// A login server with changes of passwords. Of its users, `alice` has the password ``AccountServer/old``, and `carol` none.
struct AccountServer: Sendable {
    static let start = UnixTime(1_800_000_000)
    static let address = "192.0.2.1"
    static let old = "an old password of alice"
    static let new = "a new password of alice"

    let service: LoginService
    let passwords: PasswordService
    let accounts: any WritableAccounts
    private let log: Lock<[AccountEvent]>

    static func context() throws -> PasswordContext {
        try PasswordContext(policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1)))
    }

    static func users() throws -> [LoginAccount] {
        [
            LoginAccount(name: "alice", credential: try StoredCredential(context().hash(old))),
            LoginAccount(name: "carol", credential: .unusable),
        ]
    }

    init(
        accounts: (any WritableAccounts)? = nil,
        storage: LoginStorage = .memory(isFirstStart: true),
        passkeys: (any PasskeyStore)? = nil,
        codes: (any LoginSecondStep)? = nil,
        attempts: Int = 10_000,
        passwords: PasswordService? = nil,
        requirements: PasswordRequirements = PasswordRequirements(minimumLength: 8),
        at time: UnixTime = AccountServer.start
    ) throws {
        let log = Lock<[AccountEvent]>([])
        let passwords = try passwords ?? PasswordService(context: Self.context())
        let accounts = try accounts ?? InMemoryAccounts(Self.users())
        let key = [UInt8](repeating: 7, count: 32)
        var changes = try AccountConfiguration(
            key: SecretBytes(key),
            passwords: passwords,
            requirements: requirements
        )
        changes.serviceNames = ["Example"]
        changes.onEvent = { event in log.withLock { $0.append(event) } }
        var mechanisms: [any ServerLoginMechanism] = [PasswordMechanism(passwords)]
        if let passkeys {
            mechanisms.append(
                try PasskeyMechanism(PasskeyServer.site(), store: passkeys, key: SecretBytes(key))
            )
        }
        var limits = LoginConfiguration()
        limits.accountLimit = try RateLimit(attempts: attempts, per: .seconds(3600))
        limits.clientLimit = try RateLimit(attempts: 10_000, per: .seconds(60))
        limits.rejectionInterval = .zero
        service = try LoginService(
            accounts: accounts,
            mechanisms: mechanisms,
            storage: storage,
            configuration: limits,
            secondStep: codes,
            accountChanges: changes,
            startedAt: time
        )
        (self.passwords, self.accounts, self.log) = (passwords, accounts, log)
    }

    /// What was reported so far.
    var events: [AccountEvent] { log.withLock { $0 } }

    func logIn(
        _ password: String = AccountServer.old,
        as user: String = "alice",
        code: String? = nil,
        at time: UnixTime = AccountServer.start
    ) async throws -> LoginResult {
        try await service.logInReturningAnswer(
            with: PasswordMechanism.name,
            LoginAttempt(username: user, response: password, clientAddress: Self.address, code: code),
            issuingSession: true,
            at: time
        )
    }

    /// The token of a new session.
    func session(
        _ password: String = AccountServer.old,
        code: String? = nil,
        at time: UnixTime = AccountServer.start
    ) async throws -> String {
        let result = try await logIn(password, code: code, at: time)
        return try #require(result.session, "\(result.decision)").text
    }

    func change(
        _ session: String,
        from old: String = AccountServer.old,
        to new: String = AccountServer.new,
        of name: String = "alice",
        code: String? = nil,
        hasTakenSecondStep: Bool = false,
        at time: UnixTime = AccountServer.start
    ) async throws -> PasswordChange {
        try await service.changePassword(
            ofAccountNamed: name,
            from: old,
            to: SecretBytes(new),
            session: session,
            code: code,
            hasTakenSecondStep: hasTakenSecondStep,
            clientAddress: Self.address,
            at: time
        )
    }

    func link(
        _ purpose: AccountLink.Purpose = .reset,
        for name: String = "alice",
        lifetime: Duration = .seconds(3600),
        at time: UnixTime = AccountServer.start
    ) async throws -> String {
        try #require(
            try await service.accountLink(purpose, forAccountNamed: name, lifetime: lifetime, at: time)
        )
    }

    func set(
        _ link: String,
        to new: String = AccountServer.new,
        at time: UnixTime = AccountServer.start
    ) async throws -> PasswordChange {
        try await service.setPassword(
            withLink: link,
            to: SecretBytes(new),
            clientAddress: Self.address,
            at: time
        )
    }

    func user(of session: String) async throws -> String? { try await service.sessions.user(of: session) }
}

/// A table whose first change, of all after ``beforeChange(_:)``, comes after another action.
final class InterruptedAccounts: WritableAccounts {
    private let base: InMemoryAccounts
    private let action = Lock<(@Sendable () async throws -> Void)?>(nil)
    private let failure = Lock<(any Error)?>(nil)

    init(_ accounts: [LoginAccount]) { base = InMemoryAccounts(accounts) }

    func beforeChange(_ body: @escaping @Sendable () async throws -> Void) { action.withLock { $0 = body } }

    /// Makes all changes fail after they were stored.
    func failAfterChanges(with error: any Error) { failure.withLock { $0 = error } }

    func account(named name: String) -> LoginAccount? { base.account(named: name) }
    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) {
        base.replace(credential, with: newer, ofAccountNamed: name)
    }
    func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String
    ) async throws -> Bool {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        try await action?()
        let isStored = base.set(newer, inPlaceOf: old, ofAccountNamed: name)
        if let failure = failure.withLock({ $0 }) { throw failure }
        return isStored
    }
    func remove(accountNamed name: String) -> Bool { base.remove(accountNamed: name) }
    func accountNames() -> [String] { base.accountNames() }
}
