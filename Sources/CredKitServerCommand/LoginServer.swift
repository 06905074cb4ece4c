// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKit
import CredKitServer
import Glibc
import HTTPTypes
import Hummingbird

/// The articles' interfaces on top of `CredKitServer`.
struct LoginServer: HTTPResponder {
    typealias Context = ServerContext

    /// What the command line decides.
    struct Settings: Sendable {
        /// Whether time texts are bare minutes.
        var usesBareMinutes = false
        /// Whether nobody can have used a proof before the server started.
        var isFirstStart = false
        /// Whether the connection is encrypted.
        var hasTLS = false
        /// Whether a password may come as it is: over TLS, or from this machine.
        var allowsPasswords = false
        /// Whether a password may come in a URL.
        var allowsPasswordsInURLs = false
        /// The seconds that a session lasts.
        var sessionLifetime = 3600
        /// The attempts of an account in five minutes.
        var attempts = 10
        /// Whether no line is written for each request.
        var isQuiet = false
    }

    /// The most bytes of a form.
    static let maximumFormByteCount = 16 << 10
    /// The seconds in which a form has to be there.
    static let formSeconds = 10

    let settings: Settings
    let users: ServerUsers
    let clock: ServerClock
    let gate: LoginGate
    let passwords: PasswordService
    let limiter: RateLimiter
    let textLimiter: RateLimiter
    let sessions: SessionTokens

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
        gate = LoginGate(
            verifier: try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: keyPhrase)),
            texts: settings.usesBareMinutes ? nil : try OneTimeTexts(),
            replays: ReplayGuard(
                store: try InMemoryReplayStore(),
                startedAt: settings.usesBareMinutes && !settings.isFirstStart ? startedAt : nil
            ),
            limiter: limiter
        )
        passwords = try PasswordService(
            hasher: PasswordHasher(
                policy: .recommended,
                legacyKeys: [LoginRecord.hashKeyID: try LoginRecord.hashKey(forKeyPhrase: keyPhrase)]
            )
        )
        var limits = SessionTokens.Configuration()
        limits.lifetime = settings.sessionLifetime
        limits.idleLifetime = settings.sessionLifetime
        sessions = try SessionTokens(configuration: limits)
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
        // The address of the articles' server ends in /api.
        let path = request.uri.path
        let interface = path.hasPrefix("/api/") ? String(path.dropFirst(4)) : path
        switch interface {
        case "/": return request.method == .get ? .text(Self.welcome) : Self.wrongMethod("GET")
        case "/hmackey.php":
            return request.method == .get ? timeText(context) : Self.wrongMethod("GET")
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
        default: return .refusal(.notFound, "there is no such interface; GET / lists them")
        }
    }

    static func wrongMethod(_ method: String) -> ServerAnswer {
        var answer = ServerAnswer.refusal(.methodNotAllowed, "use \(method)")
        answer.headers[.allow] = method
        return answer
    }

    private static let welcome = """
        This is credkit-server, a login server to try clients with.

        GET  /hmackey.php                       the time text: {"key": …}
        POST /loginhmac.php                     username, password (the proof): {"userId": …, "userName": …}
        POST /login.php                         username, password, over TLS or on this machine
        POST /logout.php

        With the cookie or the x-auth-token of a login:
        GET  /student/v5/student/list           {"h": {"code", "msg", "time"}, "b": {"dataTotal", "list"}}
        GET  /student/v5/student/detail?stuId=1
        GET  /studentList?id=666                {"code", "msg", "data"}
        GET  /messages?page=1&pageSize=15
        ?envelope=h or ?envelope=code changes the envelope. All of them stand under /api, too.

        """
}
#endif
