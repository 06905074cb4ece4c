// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird
import NIOCore

extension LoginServer {
    /// The answer to a login. Clients of the timestamped login read only `userId`, which is above 0 for success.
    private struct LoginAnswer: Encodable {
        let userId: Int
        var userName: String?
        var msg: String?
        /// 1 if the user must send a one-time code as well.
        var codeRequired: Int?
    }

    static let sessionCookie = "session"
    static let challengeCookie = "login-text"

    /// `GET /hmackey.php`
    func challenge(_ context: ServerContext) async throws -> ServerAnswer {
        if let answer = try await refusalOfFrequentRequest(context) { return answer }
        let text: String?
        do throws(LoginServerError) {
            text = try await service.challenge(of: TimestampedMechanism.name, for: context.clientAddress)
        } catch {
            guard error == .timeOutOfRange else { throw error }
            text = nil
        }
        guard let text else { return .refusal(.internalServerError, "the clock cannot be read") }
        var answer = ServerAnswer.json(["key": text])
        if !settings.usesBareMinutes {
            // The cookie is for clients whose address changes before they log in.
            answer.addCookie(
                Self.challengeCookie,
                Base64.urlSafe.unpadded.encode(text.utf8),
                lifetime: .seconds(60)
            )
        }
        return answer
    }

    /// Counts a request that is not an attempt to log in. Returns an answer if there were too many.
    func refusalOfFrequentRequest(_ context: ServerContext) async throws -> ServerAnswer? {
        let attempt = try await requestLimiter.recordAttempt(
            account: nil,
            clientAddress: context.clientAddress
        )
        guard case .limited(let wait) = attempt else { return nil }
        metrics.countLimited(.request)
        return .refusal(.tooManyRequests, "too many requests").retrying(after: wait)
    }

    /// `POST /loginhmac.php`
    func logIn(proof form: FormFields, _ request: Request, _ context: ServerContext) async throws
        -> ServerAnswer
    {
        guard let name = form["username"], let proof = form["password"] else { return Self.incomplete }
        let attempt = LoginAttempt(
            username: name,
            response: proof,
            clientAddress: context.clientAddress,
            challenge: form["key"] ?? challengeFromCookie(of: request),
            code: form["otp"]
        )
        return try await answer(
            to: service.logInReturningAnswer(
                with: TimestampedMechanism.name,
                attempt,
                issuingSession: true
            ),
            by: .timestamp,
            unavailable: "the server cannot determine whether this proof was used before"
        )
    }

    /// `POST /login.php`, and `GET` if that is allowed.
    func logIn(password form: FormFields, _ context: ServerContext) async throws -> ServerAnswer {
        guard settings.allowsPasswords else {
            return .refusal(.forbidden, "unencrypted passwords are refused: use TLS")
        }
        guard let name = form["username"], let password = form["password"] else { return Self.incomplete }
        let attempt = LoginAttempt(
            username: name,
            response: password,
            clientAddress: context.clientAddress,
            code: form["otp"]
        )
        return try await answer(
            to: service.logInReturningAnswer(with: PasswordMechanism.name, attempt, issuingSession: true),
            by: .form,
            unavailable: "too many passwords are being checked"
        )
    }

    /// Answers a decision, with the status that clients of the timestamped login expect.
    func answer(
        to result: LoginResult,
        by mechanism: ServerMechanism,
        unavailable reason: String
    ) async throws -> ServerAnswer {
        var answer = try await answer(to: result, unavailable: reason)
        var login = LoggedLogin(mechanism: mechanism, outcome: result.decision.outcome)
        // There was no room for a session.
        if login.outcome == .accepted, answer.status != .ok { login.outcome = .unavailable }
        metrics.count(login)
        if login.outcome == .limited { metrics.countLimited(.login) }
        answer.login = login
        return answer
    }

    private func answer(to result: LoginResult, unavailable reason: String) async throws -> ServerAnswer {
        switch result.decision {
        case .accepted(let user): return try await welcome(user, result.session)
        case .rejected, .unknownMechanism: return Self.wrong
        case .codeRequired: return Self.codeRequired
        case .limited(let wait): return Self.wait(.tooManyRequests, "too many attempts", wait)
        case .replayed(let wait):
            return Self.wait(
                .tooManyRequests,
                "only one login a minute is possible with bare minutes",
                wait
            )
        case .unavailable(let wait): return Self.wait(.serviceUnavailable, reason, wait)
        }
    }

    /// `POST /logout.php`
    func logOut(_ request: Request) async throws -> ServerAnswer {
        // Also for a client that does not wait for the answer.
        let tokens = tokens(of: request)
        try await Task { for token in tokens { try await service.sessions.revoke(token) } }.value
        var answer = ServerAnswer.json(CodeEnvelope<Nothing>(code: 0, msg: "logged out", data: nil))
        answer.addCookie(Self.sessionCookie, "", lifetime: .zero)
        return answer
    }

    private func welcome(_ name: String, _ token: SessionToken?) async throws -> ServerAnswer {
        guard let token else {
            return Self.wait(.serviceUnavailable, "there are too many sessions", .seconds(60))
        }
        var found: Int?
        do {
            found = try await accounts.identifier(ofUserNamed: name)
            try Task.checkCancellation()
        } catch {
            // Nobody gets the token. The task may be cancelled, and revokes it nevertheless.
            await Task { try? await service.sessions.revoke(token.text) }.value
            throw error
        }
        // The user was removed in this moment.
        guard let identifier = found else {
            try await service.sessions.revoke(token.text)
            return Self.wrong
        }
        var answer = ServerAnswer.json(LoginAnswer(userId: identifier, userName: name))
        answer.headers[.authToken] = token.text
        answer.addCookie(Self.sessionCookie, token.text, lifetime: service.sessions.limits.lifetime)
        return answer
    }

    private func challengeFromCookie(of request: Request) -> String? {
        Self.cookie(Self.challengeCookie, of: request)
            .flatMap { try? Base64.urlSafe.unpadded.decode($0) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    // The answer is the same for every invalid login, with the status that clients of the timestamped login expect.
    private static var wrong: ServerAnswer {
        .json(LoginAnswer(userId: -1, msg: "wrong user name or password"))
    }

    private static var codeRequired: ServerAnswer {
        .json(LoginAnswer(userId: -1, msg: "a one-time code is required", codeRequired: 1))
    }

    static var incomplete: ServerAnswer {
        .json(
            LoginAnswer(userId: -1, msg: "the fields username and password are required"),
            status: .badRequest
        )
    }

    private static func wait(
        _ status: HTTPResponse.Status,
        _ reason: String,
        _ wait: Duration
    ) -> ServerAnswer {
        let seconds = wait.components.seconds
        return .json(LoginAnswer(userId: -1, msg: "\(reason); try again in \(seconds) s"), status: status)
            .retrying(after: wait)
    }
}

extension LoginDecision {
    /// The decision as the log and the metrics name it.
    var outcome: LoggedLogin.Outcome {
        switch self {
        case .accepted: .accepted
        case .rejected, .unknownMechanism: .rejected
        case .codeRequired: .codeRequired
        case .limited: .limited
        case .replayed: .replayed
        case .unavailable: .unavailable
        }
    }
}
