// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird

// The login page, for browsers without scripts: a password, then a code if the user needs one, and the way out.
extension LoginServer {
    /// Longer names do not log in at the page, and are not shown there: it fits into the first packets of a connection.
    private static let maximumNameByteCount = 255

    /// What a browser brings to the page.
    private struct Visit: Sendable {
        let page: PageSettings
        /// The address to return to.
        let address: ReturnAddress?
        /// The token of the browser's cookie, or a new one.
        let token: String
        /// Whether the browser has yet to get the token.
        let isNew: Bool

        init(_ request: Request, _ page: PageSettings, returningTo address: String?) {
            self.page = page
            self.address = address.flatMap { ReturnAddress($0, within: page.sites) }
            let known = LoginServer.cookie(PageSettings.formCookie, of: request).flatMap {
                Self.isToken($0) ? $0 : nil
            }
            isNew = known == nil
            token = known ?? Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 32))
        }

        private static func isToken(_ text: String) -> Bool {
            text.utf8.count == 43 && (try? Base64.urlSafe.unpadded.decode(text)) != nil
        }
    }

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
            guard Self.isOffered(page, to: context.origin) else {
                return .refusal(
                    .forbidden,
                    "use TLS: the reverse proxy does not state the scheme https of the browser's request"
                )
            }
            if request.method == .get || request.method == .head {
                return try await showPage(request, at: page)
            }
            guard request.method == .post else { return Self.wrongMethod("GET, HEAD, POST") }
            return try await withForm(of: request) { try await logIn(page: $0, request, page, context) }
        case "/auth/logout":
            guard request.method == .post else { return Self.wrongMethod("POST") }
            return try await withForm(of: request) { try await logOut(page: $0, request, page) }
        default: return nil
        }
    }

    /// Whether the page may take a password: not where the way to the proxy is unencrypted although the sites have TLS.
    private static func isOffered(_ page: PageSettings, to origin: TrustedProxies.Origin) -> Bool {
        !origin.isForwarded || origin.isEncrypted || page.sites.contains { $0.text.hasPrefix("http://") }
    }

    /// `GET /auth/login`. A user who is logged in is not sent back at once: one whom the site refuses would go in circles.
    private func showPage(_ request: Request, at page: PageSettings) async throws -> ServerAnswer {
        let query = FormFields(Array((request.uri.query ?? "").utf8))
        let visit = Visit(request, page, returningTo: query?["rd"])
        return try await available(visit) {
            let user = try await user(of: request, at: page)
            return show(
                user.map { LoginPage.Content.loggedIn(user: $0) } ?? .password(username: ""),
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
        return try await available(visit) {
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
        var answer = try await answer(to: result, ticket: ticket, of: attempt.username, request, visit)
        var login = LoggedLogin(mechanism: .page, outcome: result.decision.outcome)
        // There was no room for a session.
        if login.outcome == .accepted, result.session == nil { login.outcome = .unavailable }
        metrics.count(login)
        if login.outcome == .limited { metrics.countLimited(.login) }
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
            return Self.redirect(
                to: visit.address?.text ?? "/",
                visit.page.sessionCookie(session.text, lifetime: service.sessions.limits.lifetime)
            )
        case .codeRequired:
            // A ticket is used up by its attempt, also without a code.
            guard let next = try ticket == nil ? result.answer : renewed(ticket) else {
                return show(first, PageText.expired, .unauthorized, to: visit)
            }
            let notice = ticket == nil ? nil : PageText.missingCode
            return show(.code(username: username, ticket: next), notice, .ok, to: visit)
        case .rejected, .unknownMechanism:
            guard let ticket else { return show(first, PageText.wrong, .unauthorized, to: visit) }
            // The code was wrong, and not the ticket.
            guard result.answer == nil, let next = try renewed(ticket) else {
                return show(first, PageText.expired, .unauthorized, to: visit)
            }
            return show(.code(username: username, ticket: next), PageText.wrongCode, .unauthorized, to: visit)
        case .limited(let wait):
            return show(first, PageText.limited(wait), .tooManyRequests, to: visit).retrying(after: wait)
        case .replayed(let wait), .unavailable(let wait):
            // The attempt may have used the ticket up.
            let next = try renewed(ticket)
            return unavailable(
                next.map { LoginPage.Content.code(username: username, ticket: $0) } ?? first,
                wait,
                to: visit
            )
        }
    }

    private func renewed(_ ticket: String?) throws -> String? {
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
            return Self.redirect(to: "/auth/login", page.sessionCookie("", lifetime: .zero))
        }
    }

    /// Whether a form is one of the page, and not one by which another site would log a user in or out.
    private static func isOwn(_ form: FormFields, _ request: Request, _ visit: Visit) -> Bool {
        guard request.headers[values: .secFetchSite].allSatisfy({ $0 == "same-origin" }) else { return false }
        let origins = request.headers[values: .origin]
        guard origins.allSatisfy({ origin in visit.page.sites.contains { $0.text == origin } }) else {
            return false
        }
        guard !visit.isNew, let token = form["token"] else { return false }
        return ConstantTime.areEqual(visit.token.utf8, token.utf8)
    }

    /// Answers with the page if a store fails.
    private func available(_ visit: Visit, _ body: () async throws -> ServerAnswer) async throws
        -> ServerAnswer
    {
        do {
            return try await body()
        } catch {
            guard !Task.isCancelled, error is LoginServerError || error is SharedStateError else {
                throw error
            }
            return unavailable(.password(username: ""), .seconds(5), to: visit)
        }
    }

    private func unavailable(_ content: LoginPage.Content, _ wait: Duration, to visit: Visit) -> ServerAnswer
    {
        show(content, PageText.unavailable(wait), .serviceUnavailable, to: visit).retrying(after: wait)
    }

    private func show(
        _ content: LoginPage.Content,
        _ notice: String? = nil,
        _ status: HTTPResponse.Status = .ok,
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
            token: visit.token
        )
        var answer = page.answer(status: status)
        if visit.isNew {
            answer.headers[.setCookie] =
                "\(PageSettings.formCookie)=\(visit.token); Path=/; Secure; HttpOnly; SameSite=Lax"
        }
        return answer
    }

    /// Returns a redirect that makes the browser send no form again, and sets a cookie.
    private static func redirect(to location: String, _ cookie: String) -> ServerAnswer {
        var answer = ServerAnswer.empty(.seeOther)
        answer.headers[.location] = location
        answer.headers[.setCookie] = cookie
        return answer
    }
}
