// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird
import NIOCore

extension LoginServer {
    /// The answer to a login. The articles' clients read only `userId`, which is above 0 for success.
    private struct LoginAnswer: Encodable {
        let userId: Int
        var userName: String?
        var msg: String?
    }

    static let sessionCookie = "session"
    static let textCookie = "login-text"

    /// `GET /hmackey.php`
    func challenge(_ context: ServerContext) -> ServerAnswer {
        let now = clock.now
        if case .limited(let seconds) = textLimiter.recordAttempt(
            account: nil,
            source: context.source,
            at: now.unixTime
        ) {
            return .refusal(.tooManyRequests, "too many requests").retrying(after: seconds)
        }
        guard
            let text = try? service.challenge(for: context.source, at: now.unixTime, utcOffset: now.utcOffset)
        else { return .refusal(.internalServerError, "the clock cannot be read") }
        var answer = ServerAnswer.json(["key": text])
        if !settings.usesBareMinutes {
            // The cookie is for clients whose address changes before they log in.
            addCookie(
                Self.textCookie,
                Base64.urlSafe.unpadded.encode(text.utf8),
                path: "/",
                seconds: 60,
                to: &answer
            )
        }
        return answer
    }

    /// `POST /loginhmac.php`
    func logIn(proof form: FormFields, _ request: Request, _ context: ServerContext) async -> ServerAnswer {
        guard let name = form["username"], let proof = form["password"] else { return Self.incomplete }
        let now = clock.now
        let decision = await service.logIn(
            username: name,
            proof: proof,
            source: context.source,
            returned: form["key"] ?? textFromCookie(of: request),
            at: now.unixTime,
            utcOffset: now.utcOffset,
            lookup: { users[$0]?.account }
        )
        switch decision {
        case .accepted(let user): return welcome(user, at: now)
        case .rejected: return Self.wrong
        case .limited(let seconds): return Self.wait(.tooManyRequests, "too many attempts", seconds)
        case .replayed(let seconds):
            return Self.wait(
                .tooManyRequests,
                "only one login a minute is possible with bare minutes",
                seconds
            )
        case .unavailable(let seconds):
            return Self.wait(
                .serviceUnavailable,
                "the server cannot determine whether this proof was used before",
                seconds
            )
        }
    }

    /// `POST /login.php`, and `GET` if that is allowed.
    func logIn(password form: FormFields, _ context: ServerContext) async -> ServerAnswer {
        guard settings.allowsPasswords else {
            return .refusal(.forbidden, "unencrypted passwords are refused: use TLS")
        }
        guard let name = form["username"], let password = form["password"] else { return Self.incomplete }
        let now = clock.now
        if case .limited(let seconds) = limiter.recordAttempt(
            account: name,
            source: context.source,
            at: now.unixTime
        ) {
            return Self.wait(.tooManyRequests, "too many attempts", seconds)
        }
        let user = users[name]
        do throws(PasswordError) {
            guard
                case .match = try await passwords.verify(
                    password,
                    against: user?.account.credential.passwordHash
                ),
                let user
            else { return Self.wrong }
            limiter.reset(account: name)
            return welcome(user.account.name, at: now)
        } catch .busy {
            return Self.wait(.serviceUnavailable, "too many passwords are being checked", 1)
        } catch {
            // The password is too long, or the credential is not supported here: the client gets the same answer for both.
            return Self.wrong
        }
    }

    /// `POST /logout.php`
    func logOut(_ request: Request) -> ServerAnswer {
        for token in tokens(of: request) { sessions.revoke(token) }
        var answer = ServerAnswer.json(CodeEnvelope<Nothing>(code: 0, msg: "logged out", data: nil))
        addCookie(Self.sessionCookie, "", path: "/", seconds: 0, to: &answer)
        return answer
    }

    private func welcome(_ name: String, at now: ServerClock.Moment) -> ServerAnswer {
        guard let user = users[name], let token = sessions.issue(for: name, at: now.unixTime) else {
            return Self.wait(.serviceUnavailable, "there are too many sessions", 60)
        }
        var answer = ServerAnswer.json(LoginAnswer(userId: user.id, userName: name))
        answer.headers[.authToken] = token.text
        addCookie(
            Self.sessionCookie,
            token.text,
            path: "/",
            seconds: sessions.configuration.lifetime,
            to: &answer
        )
        return answer
    }

    private func addCookie(
        _ name: String,
        _ value: String,
        path: String,
        seconds: Int,
        to answer: inout ServerAnswer
    ) {
        let secure = settings.hasTLS ? "; Secure" : ""
        let text = "\(name)=\(value); Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
        answer.headers.append(HTTPField(name: .setCookie, value: text))
    }

    private func textFromCookie(of request: Request) -> String? {
        Self.cookie(Self.textCookie, of: request)
            .flatMap { try? Base64.urlSafe.unpadded.decode($0) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    // The answer is the same for every invalid login, with the status that the articles' clients expect.
    private static var wrong: ServerAnswer {
        .json(LoginAnswer(userId: -1, msg: "wrong user name or password"))
    }

    private static var incomplete: ServerAnswer {
        .json(
            LoginAnswer(userId: -1, msg: "the fields username and password are required"),
            status: .badRequest
        )
    }

    private static func wait(_ status: HTTPResponse.Status, _ reason: String, _ seconds: Int) -> ServerAnswer
    {
        .json(LoginAnswer(userId: -1, msg: "\(reason); try again in \(seconds) s"), status: status)
            .retrying(after: seconds)
    }
}
#endif
