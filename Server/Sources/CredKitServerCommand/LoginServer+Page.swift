// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import HTTPTypes
import Hummingbird

// The login page, also for browsers without scripts: a password, then a second step if the user needs one, and the way out.
extension LoginServer {
    /// Longer names do not log in at the page, and are not shown there: it fits into the first packets of a connection.
    private static let maximumNameByteCount = 255

    /// Answers a request of a proxy or of the login page; `nil` for any other endpoint.
    func answer(
        to request: Request,
        at page: PageSettings,
        _ context: ServerContext
    ) async throws -> ServerAnswer? {
        switch request.uri.path {
        case "/auth/check": return try await check(request, at: page, context, redirects: false)
        case "/auth/forward": return try await check(request, at: page, context, redirects: true)
        case "/auth/login":
            guard Self.isOffered(page, to: context.origin) else { return Self.requiresTLS }
            if request.method == .get || request.method == .head {
                return try await showPage(request, at: page)
            }
            guard request.method == .post else { return Self.wrongMethod("GET, HEAD, POST") }
            return try await withForm(of: request) { try await logIn(page: $0, request, page, context) }
        case "/auth/logout":
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return try await withForm(of: request) { try await logOut(page: $0, request, page) }
        default:
            if let answer = try await answerAboutAccount(request, at: page, context) { return answer }
            return try await answerAboutPasskeys(request, at: page, context)
        }
    }

    /// `GET /auth/login`. A user who is logged in is not sent back at once: one whom the site refuses would go in circles.
    private func showPage(_ request: Request, at page: PageSettings) async throws -> ServerAnswer {
        let query = FormFields(Array((request.uri.query ?? "").utf8))
        let visit = Visit(request, page, returningTo: query?["rd"])
        return try await available(visit) {
            // Someone who is asked to log in again is logged in.
            let user = try await query?["again"] == nil ? user(of: request, at: page) : nil
            return show(
                user.map { LoginPage.Content.loggedIn(user: $0) } ?? .password(username: ""),
                done: PageText.done(query?["done"]),
                to: visit
            )
        }
    }

    /// `POST /auth/login`
    private func logIn(
        page form: FormFields,
        _ request: Request,
        _ page: PageSettings,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        guard settings.allowsPasswords else {
            return .refusal(.forbidden, "unencrypted passwords are refused: use TLS")
        }
        let visit = Visit(request, page, returningTo: form["rd"])
        guard Self.isOwn(form, request, visit) else {
            return show(.password(username: ""), PageText.foreignForm, .forbidden, to: visit)
        }
        return try await available(visit, ticket: form["ticket"]) {
            if let ticket = form["ticket"] {
                guard let name = try tickets?.username(of: ticket) else {
                    return show(.password(username: ""), PageText.expired, .unauthorized, to: visit)
                }
                let attempt = LoginAttempt(
                    username: name,
                    response: ticket,
                    clientAddress: context.clientAddress,
                    challenge: visit.token,
                    code: form["otp"]
                )
                return try await finish(attempt, by: TicketMechanism.name, ticket: ticket, request, visit)
            }
            guard let name = form["username"], let password = form["password"], !name.isEmpty,
                !password.isEmpty
            else {
                let content = LoginPage.Content.password(username: form["username"] ?? "")
                return show(content, PageText.incomplete, .badRequest, to: visit)
            }
            // The page of the code shows the name.
            guard name.utf8.count <= Self.maximumNameByteCount else {
                var answer = show(.password(username: ""), PageText.wrong, .unauthorized, to: visit)
                let login = LoggedLogin(mechanism: .page, outcome: .rejected)
                metrics.count(login)
                answer.login = login
                return answer
            }
            let attempt = LoginAttempt(
                username: name,
                response: password,
                clientAddress: context.clientAddress,
                challenge: visit.token
            )
            return try await finish(attempt, by: TicketIssuingMechanism.name, ticket: nil, request, visit)
        }
    }

    /// Decides about an attempt, and counts and logs it.
    private func finish(
        _ attempt: LoginAttempt,
        by mechanism: String,
        ticket: String?,
        _ request: Request,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        let result = try await service.logInReturningAnswer(with: mechanism, attempt, issuingSession: true)
        let answer = try await answer(to: result, ticket: ticket, of: attempt.username, request, visit)
        return counted(answer, result, by: .page)
    }

    /// Counts and logs a login that is answered.
    func counted(_ answer: ServerAnswer, _ result: LoginResult, by mechanism: ServerMechanism) -> ServerAnswer
    {
        var login = LoggedLogin(mechanism: mechanism, outcome: result.decision.outcome)
        // There was no room for a session.
        if login.outcome == .accepted, result.session == nil { login.outcome = .unavailable }
        metrics.count(login)
        if login.outcome == .limited { metrics.countLimited(.login) }
        var answer = answer
        answer.login = login
        return answer
    }

    private func answer(
        to result: LoginResult,
        ticket: String?,
        of username: String,
        _ request: Request,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        let first = LoginPage.Content.password(username: username)
        switch result.decision {
        case .accepted:
            guard let session = result.session else { return unavailable(first, .seconds(60), to: visit) }
            // The browser forgets the session that it had. If that cannot be ended now, it ends by its age.
            if let old = Self.cookie(visit.page.cookieName, of: request) {
                try? await service.sessions.revoke(old)
            }
            return Self.redirect(to: visit.address?.text ?? "/", try cookies(of: result, session, visit.page))
        case .codeRequired:
            // A ticket is used up by its attempt, also without a code.
            guard let next = try ticket == nil ? result.answer : renewed(ticket) else {
                return show(first, PageText.expired, .unauthorized, to: visit)
            }
            let notice = ticket == nil ? nil : PageText.missingCode
            return show(try await secondStep(username, next, visit), notice, .ok, to: visit)
        case .rejected, .unknownMechanism:
            guard let ticket else { return show(first, PageText.wrong, .unauthorized, to: visit) }
            // The code was wrong, and not the ticket.
            guard result.answer == nil, let next = try renewed(ticket) else {
                return show(first, PageText.expired, .unauthorized, to: visit)
            }
            let step = try await secondStep(username, next, visit)
            return show(step, PageText.wrongCode, .unauthorized, to: visit)
        case .limited(let wait):
            return show(first, PageText.limited(wait), .tooManyRequests, to: visit).retrying(after: wait)
        case .replayed(let wait), .unavailable(let wait):
            // The attempt may have used the ticket up.
            guard let next = try renewed(ticket) else { return unavailable(first, wait, to: visit) }
            return unavailable(try await secondStep(username, next, visit), wait, to: visit)
        }
    }

    /// The cookies of a login: the session, and what permits changing passkeys and codes.
    func cookies(of result: LoginResult, _ session: SessionToken, _ page: PageSettings) throws -> [String] {
        let cookie = page.sessionCookie(session.text, lifetime: service.sessions.limits.lifetime)
        guard let ticket = try recentLogins?.ticket(of: result) else { return [cookie] }
        return [cookie, PageSettings.recentLoginCookie(ticket, lifetime: RecentLogins.lifetime)]
    }

    /// Returns a new ticket in place of one that was used up.
    func renewed(_ ticket: String?) throws -> String? {
        guard let tickets, let ticket else { return nil }
        return try tickets.renewed(ticket)
    }

    /// `POST /auth/logout`
    private func logOut(page form: FormFields, _ request: Request, _ page: PageSettings) async throws
        -> ServerAnswer
    {
        let visit = Visit(request, page, returningTo: nil)
        guard Self.isOwn(form, request, visit) else {
            return show(.password(username: ""), PageText.foreignForm, .forbidden, to: visit)
        }
        return try await available(visit) {
            if let token = Self.cookie(page.cookieName, of: request) {
                let isEverywhere = form["everywhere"] != nil
                // Also for a client that does not wait for the answer.
                try await Task {
                    if isEverywhere, let user = try await service.sessions.user(of: token) {
                        try await service.sessions.revokeAll(of: user)
                    }
                    try await service.sessions.revoke(token)
                }.value
            }
            return Self.redirect(to: "/auth/login", [page.sessionCookie("", lifetime: .zero)])
        }
    }

    /// Answers with the page if a store fails: with the second step, if the user was there.
    func available(
        _ visit: Visit,
        ticket: String? = nil,
        _ body: () async throws -> ServerAnswer
    ) async throws -> ServerAnswer {
        do {
            return try await body()
        } catch {
            // The last one is of a file with codes.
            let isExpected = error is LoginServerError || error is SharedStateError || error is CommandFailure
            guard !Task.isCancelled, isExpected else { throw error }
            _ = logged(error)
            // The attempt may have used the ticket up.
            guard let ticket, let name = try tickets?.username(of: ticket), let next = try renewed(ticket)
            else { return unavailable(.password(username: ""), .seconds(5), to: visit) }
            // Which step the user has may be unknown as well.
            let step = try? await secondStep(name, next, visit)
            return unavailable(step ?? unknownStep(name, next), .seconds(5), to: visit)
        }
    }

    private func unknownStep(_ username: String, _ ticket: String) -> LoginPage.Content {
        settings.passkeys == nil
            ? .code(username: username, ticket: ticket)
            : .passkey(username: username, ticket: ticket, acceptsCode: codeVerifier != nil)
    }

    private func unavailable(_ content: LoginPage.Content, _ wait: Duration, to visit: Visit) -> ServerAnswer
    {
        show(content, PageText.unavailable(wait), .serviceUnavailable, to: visit).retrying(after: wait)
    }

    func show(
        _ content: LoginPage.Content,
        _ notice: String? = nil,
        _ status: HTTPResponse.Status = .ok,
        done: String? = nil,
        to visit: Visit
    ) -> ServerAnswer {
        var shown = content
        if case .password(let username) = content, username.utf8.count > Self.maximumNameByteCount {
            shown = .password(username: "")
        }
        let page = LoginPage(
            settings: visit.page,
            content: shown,
            notice: notice,
            address: visit.address,
            token: visit.token,
            done: done
        )
        var answer = page.answer(status: status)
        if visit.isNew {
            answer.headers[.setCookie] =
                "\(PageSettings.formCookie)=\(visit.token); Path=/; Secure; HttpOnly; SameSite=Lax"
        }
        return answer
    }

    /// Returns a redirect that makes the browser send no form again, and sets cookies.
    static func redirect(to location: String, _ cookies: [String] = []) -> ServerAnswer {
        var answer = ServerAnswer.empty(.seeOther)
        answer.headers[.location] = location
        for cookie in cookies { answer.headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return answer
    }
}
