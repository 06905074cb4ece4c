// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKit
import CredKitServer
import Glibc
import HTTPTypes
import Hummingbird

/// The endpoints of the articles, implemented with `CredKitServer`.
struct LoginServer: HTTPResponder {
    typealias Context = ServerContext

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
        /// The lifetime of a session in seconds.
        var sessionLifetime = 3600
        /// The number of attempts per account in five minutes.
        var attempts = 10
        /// Whether requests are not logged.
        var isQuiet = false
    }

    /// The maximum size of a form in bytes.
    static let maximumFormByteCount = 16 << 10
    /// The seconds in which a form must arrive completely.
    static let formSeconds = 10

    let settings: Settings
    let users: ServerUsers
    let clock: ServerClock
    let service: LoginService
    let passwords: PasswordService
    let limiter: RateLimiter
    let textLimiter: RateLimiter
    let sessions: SessionTokenStore

    init(settings: Settings, users: ServerUsers, clock: ServerClock, keyPhrase: SecretBytes) throws {
        self.settings = settings
        self.users = users
        self.clock = clock
        limiter = try RateLimiter(
            account: RateLimit(attempts: settings.attempts, per: 300),
            source: RateLimit(attempts: min(settings.attempts * 100, 1_000_000), per: 300)
        )
        textLimiter = try RateLimiter(source: RateLimit(attempts: 600, per: 60))
        let start = clock.now
        let startedAt = start.unixTime + Int64(start.utcOffset) + 1
        service = LoginService(
            verifier: try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: keyPhrase)),
            challenges: settings.usesBareMinutes ? nil : try LoginChallengeIssuer(),
            replays: ReplayGuard(
                store: try InMemoryReplayStore(),
                startedAt: settings.usesBareMinutes && !settings.isFirstStart ? startedAt : nil
            ),
            limiter: limiter
        )
        passwords = try PasswordService(
            passwordContext: PasswordContext(
                policy: .recommended,
                legacyKeys: [
                    StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: keyPhrase)
                ]
            )
        )
        var limits = SessionTokenStore.Configuration()
        limits.lifetime = settings.sessionLifetime
        limits.idleLifetime = settings.sessionLifetime
        sessions = try SessionTokenStore(configuration: limits)
    }

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let answer = await answer(to: request, context)
        if !settings.isQuiet {
            RequestLog.note(
                address: context.address,
                method: request.method.rawValue,
                path: request.uri.path,
                status: answer.status.code
            )
        }
        return answer.response(to: request, on: context.channel)
    }

    private func answer(to request: Request, _ context: ServerContext) async -> ServerAnswer {
        // The base URL of the articles' server ends in /api.
        let path = request.uri.path
        let interface = path.hasPrefix("/api/") ? String(path.dropFirst(4)) : path
        switch interface {
        case "/": return request.method == .get ? .text(Self.welcome) : Self.wrongMethod("GET")
        case "/hmackey.php":
            return request.method == .get ? challenge(context) : Self.wrongMethod("GET")
        case "/loginhmac.php":
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return await withForm(of: request) { await logIn(proof: $0, request, context) }
        case "/login.php":
            if request.method == .get && settings.allowsPasswordsInURLs {
                return await logIn(password: FormFields((request.uri.query ?? "").utf8), context)
            }
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return await withForm(of: request) { await logIn(password: $0, context) }
        case "/logout.php":
            return request.method == .post ? logOut(request) : Self.wrongMethod("POST")
        case let interface where Self.isData(interface):
            return request.method == .get ? data(interface, request) : Self.wrongMethod("GET")
        default: return .refusal(.notFound, "there is no such endpoint; GET / lists all endpoints")
        }
    }

    static func wrongMethod(_ method: String) -> ServerAnswer {
        var answer = ServerAnswer.refusal(.methodNotAllowed, "use \(method)")
        answer.headers[.allow] = method
        return answer
    }

    private static let welcome = """
        This is credkit-server, a login server for testing clients.

        GET  /hmackey.php                       the challenge: {"key": …}
        POST /loginhmac.php                     username, password (the proof): {"userId": …, "userName": …}
        POST /login.php                         username, password, over TLS or on this machine
        POST /logout.php

        With the cookie or the x-auth-token of a login:
        GET  /student/v5/student/list           {"h": {"code", "msg", "time"}, "b": {"dataTotal", "list"}}
        GET  /student/v5/student/detail?stuId=1
        GET  /studentList?id=666                {"code", "msg", "data"}
        GET  /messages?page=1&pageSize=15
        ?envelope=h or ?envelope=code changes the envelope. All endpoints are also available under /api.

        """
}
#endif
