// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Glibc
import HTTPTypes
import Hummingbird

/// The endpoints, implemented with `CredKitServer`.
struct LoginServer: Sendable {
    /// The settings from the command line.
    struct Settings: Sendable {
        /// Whether challenges are bare minutes.
        var usesBareMinutes = false
        /// Whether no proof can have been used before the server started.
        var isFirstStart = false
        /// Whether the connection is encrypted.
        var hasTLS = false
        /// Whether unencrypted passwords are accepted: over TLS, or from this machine.
        var allowsPasswords = false
        /// Whether a password is accepted in a URL.
        var allowsPasswordsInURLs = false
        /// The lifetime of a session.
        var sessionLifetime = Duration.seconds(3600)
        /// The number of attempts per account in five minutes; overwritten by `--attempts`.
        var attempts = 10
        /// The ways to log in.
        var mechanisms: Set<ServerMechanism> = [.timestamp, .form]
        /// The settings of SCRAM, if it is among the mechanisms.
        var scram: SCRAMSettings?
        /// The proxies whose statements about clients count.
        var proxies = TrustedProxies()
        /// The sites that the server protects; `nil` for none.
        var page: PageSettings?
        /// The passkeys of its users; `nil` for none.
        var passkeys: PasskeySettings?
        /// What users can change themselves; `nil` for nothing.
        var accounts: AccountSettings?
        /// The log.
        var log = ServerLog()
        /// The stores and keys that several servers share; `nil` for a single server.
        var shared: SharedServerState?

        /// The limits of attempts and sessions.
        var limits: LoginConfiguration {
            get throws(LoginServerError) {
                var limits = LoginConfiguration()
                limits.accountLimit = try RateLimit(attempts: attempts, per: .seconds(300))
                limits.clientLimit = try RateLimit(
                    attempts: min(attempts * 100, 1_000_000),
                    per: .seconds(300)
                )
                limits.sessionLimits.lifetime = sessionLifetime
                limits.sessionLimits.idleLifetime = sessionLifetime
                return limits
            }
        }

        /// The limit of requests of a client address that are not attempts to log in.
        var requestLimit: RateLimit {
            get throws(LoginServerError) { try RateLimit(attempts: 600, per: .seconds(60)) }
        }
    }

    /// The maximum size of a form in bytes.
    static let maximumFormByteCount = 16 << 10
    /// The maximum number of parts in which a form arrives: each takes the event loop some microseconds, be it a byte.
    static let maximumFormPartCount = 256
    /// The time in which a form must arrive completely.
    static let formTimeout = Duration.seconds(10)

    let settings: Settings
    let accounts: any ServerUserTable
    let clock: ServerClock
    let service: LoginService
    let passwords: PasswordService
    let requestLimiter: RateLimiter
    let scram: SCRAMMechanism?
    /// The tickets of users who have yet to send a code on the login page; `nil` without a page.
    let tickets: LoginTickets?
    /// Says which sessions began with a login a short time ago; `nil` without a page.
    let recentLogins: RecentLogins?
    /// Verifies one-time codes; `nil` if no user has any, or can add some.
    let codeVerifier: OneTimeCodeVerifier?
    /// Counts who logs in by which mechanism.
    let use = MechanismUse()
    let health: ServerHealth
    let metrics = ServerMetrics()

    init(
        settings: Settings,
        accounts: any ServerUserTable,
        usesOneTimeCodes: Bool = false,
        clock: ServerClock,
        keyPhrase: SecretBytes?,
        health: ServerHealth = ServerHealth()
    ) throws {
        self.health = health
        self.accounts = accounts
        var settings = settings
        settings.page?.hasAccountPages = settings.accounts != nil
        self.settings = settings
        self.clock = clock
        passwords = try PasswordService(keyPhrase: keyPhrase)
        scram = try settings.scram?.mechanism
        var mechanisms: [any ServerLoginMechanism] = scram.map { [$0] } ?? []
        if settings.mechanisms.contains(.timestamp), let keyPhrase {
            mechanisms.append(
                try .timestamped(
                    keyPhrase: keyPhrase,
                    usesBareMinutes: settings.usesBareMinutes,
                    challengeKey: settings.shared?.configuration.derivedKey(for: "login challenges"),
                    utcOffset: { clock.utcOffset(at: $0) }
                )
            )
        }
        if settings.mechanisms.contains(.form) { mechanisms.append(.password(passwords)) }
        tickets = try settings.page.map { _ in
            try LoginTickets(key: settings.shared?.configuration.derivedKey(for: "login page tickets"))
        }
        recentLogins = try settings.page.map { _ in
            let shared = try settings.shared?.configuration.derivedKey(for: "recent logins")
            return try RecentLogins(key: settings.passkeys?.key ?? shared)
        }
        if let tickets {
            mechanisms.append(TicketIssuingMechanism(passwords, tickets: tickets))
            mechanisms.append(TicketMechanism(tickets))
        }
        if let passkeys = settings.passkeys {
            let isAudited = settings.accounts != nil
            mechanisms.append(try passkeys.mechanism(settings.log, isAudited: isAudited))
        }
        // Without shared state, the key of one-time challenges is new at each start, so that none can have been used before.
        let storage =
            settings.shared?.storage
            ?? .memory(isFirstStart: settings.isFirstStart || !settings.usesBareMinutes)
        requestLimiter = RateLimiter(
            clientAddress: try settings.requestLimit,
            purpose: "requests",
            store: storage.rates
        )
        let hasCodes = usesOneTimeCodes || settings.accounts?.offersCodes == true
        codeVerifier = hasCodes ? try Self.codeVerifier(settings, storage) : nil
        service = try LoginService(
            accounts: accounts,
            mechanisms: mechanisms,
            storage: storage,
            configuration: settings.limits,
            secondStep: codeVerifier.map { OneTimeCodeSecondStep(accounts, verifier: $0) },
            mechanismUse: use,
            accountChanges: settings.accounts?.configuration(passwords, settings.log),
            startedAt: .now
        )
        metrics.begin(settings.mechanisms)
    }

    private static func codeVerifier(
        _ settings: Settings,
        _ storage: LoginStorage
    ) throws -> OneTimeCodeVerifier {
        // Codes that an earlier process accepted are unavailable for the first minute.
        let replays =
            settings.shared?.storage.replays
            ?? LoginStorage.memory(isFirstStart: settings.isFirstStart).replays
        return try OneTimeCodeVerifier(replayStore: replays, rateStore: storage.rates)
    }

    /// Answers a request of any endpoint but those of the health.
    func answer(to request: Request, _ context: ServerContext) async throws -> ServerAnswer {
        // The first Host is the authority. Another one could be that of another server to a proxy (RFC 9112, section 3.2).
        guard request.head.authority != nil, !request.headers.contains(.host) else {
            var answer = ServerAnswer.refusal(.badRequest, "send the header Host, once")
            answer.closes = true
            return answer
        }
        if let missing = missingMechanism(of: request) { return missing }
        if let page = settings.page, let answer = try await answer(to: request, at: page, context) {
            return answer
        }
        switch Self.interface(of: request) {
        case "/": return request.method == .get ? .text(Self.welcome) : Self.wrongMethod("GET")
        case "/hmackey.php":
            return request.method == .get ? try await challenge(context) : Self.wrongMethod("GET")
        case "/loginhmac.php":
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return try await withForm(of: request) { try await logIn(proof: $0, request, context) }
        case "/login.php":
            if request.method == .get && settings.allowsPasswordsInURLs {
                guard let query = FormFields(Array((request.uri.query ?? "").utf8)) else {
                    return Self.incomplete
                }
                return try await logIn(password: query, context)
            }
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return try await withForm(of: request) { try await logIn(password: $0, context) }
        case "/scram":
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return try await withForm(of: request) { try await logInBySCRAM($0, request, context) }
        case "/scram-verifier":
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return try await withForm(of: request) { try await replaceVerifier($0, request, context) }
        case "/logout.php":
            return request.method == .post ? try await logOut(request) : Self.wrongMethod("POST")
        case "/auth/session":
            return request.method == .get ? try await session(request) : Self.wrongMethod("GET")
        default: return .refusal(.notFound, "there is no such endpoint; GET / lists all endpoints")
        }
    }

    /// Returns an answer if the endpoint belongs to a mechanism that the server does not have.
    private func missingMechanism(of request: Request) -> ServerAnswer? {
        let mechanism: ServerMechanism
        switch Self.interface(of: request) {
        case "/hmackey.php", "/loginhmac.php": mechanism = .timestamp
        case "/login.php": mechanism = .form
        case "/scram", "/scram-verifier": mechanism = .scram
        default: return nil
        }
        guard !settings.mechanisms.contains(mechanism) else { return nil }
        return .refusal(.notFound, "this server has no login by the mechanism \(mechanism.rawValue)")
    }

    static func wrongMethod(_ method: String) -> ServerAnswer {
        var answer = ServerAnswer.refusal(.methodNotAllowed, "use \(method)")
        answer.headers[.allow] = method
        return answer
    }

    private static let welcome = """
        This is credkit-server, a login server.

        GET  /health/live, /health/ready        whether the server answers, and whether it is ready
        GET  /hmackey.php                       the challenge: {"key": …}
        POST /loginhmac.php                     username, password (the proof): {"userId": …, "userName": …}
        POST /login.php                         username, password, over TLS or on this machine
        POST /scram                             SCRAM over HTTP (RFC 7804): Authorization: SCRAM-SHA-256 data="…"
        POST /scram-verifier                    ticket, verifier: a new verifier after a login by SCRAM
        POST /logout.php

        GET  /auth/check, /auth/forward         for a reverse proxy: whether a request may pass (--site)
        GET  /auth/login                        the login page (--site)
        GET  /auth/passkeys                     the passkeys of the user (--passkeys)
        GET  /auth/account                      what users change themselves (--account-changes)
        GET  /auth/session                      with the cookie or the x-auth-token of a login: who is logged in

        A login that the server does not offer is not found. Those without (--site) are also available
        under /api.

        """
}
