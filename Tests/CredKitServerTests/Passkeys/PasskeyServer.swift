// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitSystem
import CredKitTestSupport
import Testing

/// A login server with passkeys and passwords, of the users `alice` and `bob` with the password `s3cret`, and `carol` without one.
struct PasskeyServer: Sendable {
    static let start = UnixTime(1_800_000_000)
    static let address = "192.0.2.1"
    static let browser = "browser"

    let service: LoginService
    let store: any PasskeyStore
    let passkeys: PasskeyMechanism
    let tickets: LoginTickets
    private let log: Lock<[PasskeyEvent]>

    static func site() throws -> WebAuthn.RelyingParty {
        try WebAuthn.RelyingParty(id: "example.org", name: "Example", origins: ["https://example.org"])
    }

    init(
        store: any PasskeyStore = InMemoryPasskeyStore(),
        storage: LoginStorage = .memory(isFirstStart: true),
        accounts: (any LoginAccounts)? = nil,
        key: [UInt8] = [UInt8](repeating: 7, count: 32),
        codes: (any LoginSecondStep)? = nil,
        clientAttempts: Int = 10_000,
        at time: UnixTime = PasskeyServer.start,
        clock: some Clock<Duration> = ContinuousClock(),
        rejectionInterval: Duration = .zero,
        _ change: (inout PasskeyConfiguration) -> Void = { _ in }
    ) throws {
        let log = Lock<[PasskeyEvent]>([])
        var configuration = PasskeyConfiguration()
        configuration.onEvent = { event in log.withLock { $0.append(event) } }
        change(&configuration)
        let passkeys = try PasskeyMechanism(
            Self.site(),
            store: store,
            key: SecretBytes(key),
            configuration: configuration
        )
        let tickets = try LoginTickets(key: SecretBytes(key))
        let passwords = try PasswordService(context: PasswordContext())
        var limits = LoginConfiguration()
        limits.accountLimit = try RateLimit(attempts: 10_000, per: .seconds(60))
        limits.clientLimit = try RateLimit(attempts: clientAttempts, per: .seconds(60))
        limits.rejectionInterval = rejectionInterval
        service = try LoginService(
            accounts: accounts ?? InMemoryAccounts(Self.accounts()),
            mechanisms: [
                .password(passwords), TicketIssuingMechanism(passwords, tickets: tickets),
                TicketMechanism(tickets), passkeys,
            ],
            storage: storage,
            configuration: limits,
            secondStep: codes,
            startedAt: time,
            clock: clock
        )
        self.store = store
        self.passkeys = passkeys
        self.tickets = tickets
        self.log = log
    }

    static func accounts() throws -> [LoginAccount] {
        let credential = try StoredCredential("$1$abc$dPsF0HDVjaO430ypNfqhr.")
        return [
            LoginAccount(name: "alice", credential: credential),
            LoginAccount(name: "bob", credential: credential),
            LoginAccount(name: "carol", credential: .unusable),
        ]
    }

    /// What was reported so far.
    var events: [PasskeyEvent] { log.withLock { $0 } }

    /// Adds a passkey by a link.
    @discardableResult
    func enrol(
        _ authenticator: inout VirtualAuthenticator,
        for user: String = "alice",
        named name: String = "Phone",
        at time: UnixTime = PasskeyServer.start
    ) async throws -> PasskeyCredential {
        let link = try #require(try await service.makePasskeyLink(forAccountNamed: user, at: time))
        return try await enrol(&authenticator, with: .link(link), named: name, at: time)
    }

    /// Adds a passkey.
    @discardableResult
    func enrol(
        _ authenticator: inout VirtualAuthenticator,
        with permission: PasskeyPermission,
        named name: String = "Phone",
        at time: UnixTime = PasskeyServer.start
    ) async throws -> PasskeyCredential {
        let options = try await enrolmentOptions(permission, at: time)
        let answer = try await service.finishPasskeyEnrolment(
            with: permission,
            ceremony: options.ceremony,
            response: authenticator.create(options),
            named: name,
            browser: Self.browser,
            at: time
        )
        guard case .enrolled(let credential) = answer else { throw Unexpected(description: "\(answer)") }
        return credential
    }

    func enrolmentOptions(
        _ permission: PasskeyPermission,
        browser: String = PasskeyServer.browser,
        at time: UnixTime = PasskeyServer.start
    ) async throws -> PasskeyOptions {
        let start = try await service.beginPasskeyEnrolment(with: permission, browser: browser, at: time)
        guard case .options(let options) = start else { throw Unexpected(description: "\(start)") }
        return options
    }

    func loginOptions(browser: String = PasskeyServer.browser, at time: UnixTime = PasskeyServer.start) throws
        -> PasskeyOptions
    {
        try #require(try service.beginPasskeyLogin(browser: browser, at: time))
    }

    /// Sends the answer to a login.
    func finish(
        _ ceremony: String,
        _ response: [UInt8],
        browser: String = PasskeyServer.browser,
        address: String = PasskeyServer.address,
        at time: UnixTime = PasskeyServer.start
    ) async throws -> LoginResult {
        try await service.finishPasskeyLogin(
            ceremony: ceremony,
            response: response,
            browser: browser,
            clientAddress: address,
            issuingSession: true,
            at: time
        )
    }

    /// Logs in with a passkey alone.
    func logIn(_ authenticator: VirtualAuthenticator, at time: UnixTime = PasskeyServer.start) async throws
        -> LoginResult
    {
        let options = try loginOptions(at: time)
        return try await finish(options.ceremony, authenticator.answer(options), at: time)
    }

    /// Sends a password, as the first of two steps.
    func sendPassword(of user: String = "alice", at time: UnixTime = PasskeyServer.start) async throws
        -> LoginResult
    {
        let attempt = LoginAttempt(
            username: user,
            response: "s3cret",
            clientAddress: Self.address,
            challenge: Self.browser
        )
        return try await service.logInReturningAnswer(
            with: TicketIssuingMechanism.name,
            attempt,
            issuingSession: true,
            at: time
        )
    }

    /// Returns what permits changes of passkeys after a login.
    func permission(_ result: LoginResult, at time: UnixTime = PasskeyServer.start) throws
        -> PasskeyPermission
    {
        let ticket = try #require(try service.recentLogin(of: result, at: time))
        let session = try #require(result.session)
        return .recentLogin(ticket: ticket, session: session.text)
    }

    struct Unexpected: Error, CustomStringConvertible { let description: String }
}
