// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird

// Logins with passkeys, for the script of the page: forms in, JSON out.
extension LoginServer {
    /// What the script reads.
    struct PasskeyReply: Encodable, Sendable {
        /// 0 for success, otherwise the status.
        var code = 0
        var msg: String
        /// Where to go.
        var location: String?
        /// In place of the ticket that was used up.
        var ticket: String?
        /// What the authenticator can forget.
        var credentialId: String?
        var rpId: String?
    }

    /// Answers a request about passkeys; `nil` for any other endpoint.
    func answerAboutPasskeys(
        _ request: Request,
        at page: PageSettings,
        _ context: ServerContext
    ) async throws -> ServerAnswer? {
        guard settings.passkeys != nil, Self.passkeyPaths.contains(request.uri.path) else { return nil }
        guard Self.isOffered(page, to: context.origin) else { return Self.requiresTLS }
        if request.method == .get || request.method == .head {
            switch request.uri.path {
            case "/auth/passkeys": return try await listPasskeys(request, page)
            case "/auth/passkeys/link": return show(.link, to: Visit(request, page, returningTo: nil))
            default: break
            }
        }
        guard request.method == .post, request.uri.path != "/auth/passkeys/link" else {
            return Self.wrongMethod(Self.methods(at: request.uri.path))
        }
        return try await withForm(of: request) { form in
            let visit = Visit(request, page, returningTo: form["rd"])
            guard Self.isOwn(form, request, visit) else { return .refusal(.forbidden, PageText.foreignForm) }
            switch request.uri.path {
            case "/auth/passkey/options": return try await beginLogin(visit, context)
            case "/auth/passkey": return try await logIn(passkey: form, request, visit, context)
            case "/auth/second/options": return try await beginSecondStep(form, visit, context)
            case "/auth/second": return try await takeSecondStep(form, request, visit, context)
            default: return try await changePasskeys(form, request, visit, context)
            }
        }
    }

    private static let passkeyPaths: Set = [
        "/auth/passkey/options", "/auth/passkey", "/auth/second/options", "/auth/second", "/auth/passkeys",
        "/auth/passkeys/link", "/auth/passkeys/options", "/auth/passkeys/rename", "/auth/passkeys/remove",
        "/auth/passkeys/required",
    ]

    private static func methods(at path: String) -> String {
        switch path {
        case "/auth/passkeys": "GET, HEAD, POST"
        case "/auth/passkeys/link": "GET, HEAD"
        default: "POST"
        }
    }

    /// Returns the second step of the page after a password.
    func secondStep(_ username: String, _ ticket: String, _ visit: Visit) async throws -> LoginPage.Content {
        guard settings.passkeys != nil,
            try await service.beginPasskeySecondStep(ticket: ticket, browser: visit.token) != nil
        else { return .code(username: username, ticket: ticket) }
        let acceptsCode = try await service.acceptsCode(ticket: ticket, browser: visit.token)
        return .passkey(username: username, ticket: ticket, acceptsCode: acceptsCode)
    }

    /// `POST /auth/passkey/options`
    private func beginLogin(_ visit: Visit, _ context: ServerContext) async throws -> ServerAnswer {
        if let answer = try await refusalOfFrequentRequest(context) { return answer }
        guard let options = try service.beginPasskeyLogin(browser: visit.token) else { return Self.expired }
        return .options(options)
    }

    /// `POST /auth/passkey`
    private func logIn(
        passkey form: FormFields,
        _ request: Request,
        _ visit: Visit,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        guard let ceremony = form["ceremony"], let response = form["response"] else {
            return Self.incompletePasskey
        }
        let result = try await service.finishPasskeyLogin(
            ceremony: ceremony,
            response: Array(response.utf8),
            browser: visit.token,
            clientAddress: context.clientAddress,
            issuingSession: true
        )
        return counted(try await answer(to: result, ticket: nil, request, visit), result, by: .passkey)
    }

    /// `POST /auth/second/options`
    private func beginSecondStep(
        _ form: FormFields,
        _ visit: Visit,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        if let answer = try await refusalOfFrequentRequest(context) { return answer }
        guard let ticket = form["ticket"],
            let options = try await service.beginPasskeySecondStep(ticket: ticket, browser: visit.token)
        else { return Self.expired }
        return .options(options)
    }

    /// `POST /auth/second`
    private func takeSecondStep(
        _ form: FormFields,
        _ request: Request,
        _ visit: Visit,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        guard let ticket = form["ticket"], let ceremony = form["ceremony"], let response = form["response"]
        else { return Self.incompletePasskey }
        let result = try await service.finishPasskeySecondStep(
            ticket: ticket,
            ceremony: ceremony,
            response: Array(response.utf8),
            browser: visit.token,
            clientAddress: context.clientAddress,
            issuingSession: true
        )
        return counted(try await answer(to: result, ticket: ticket, request, visit), result, by: .page)
    }

    private func answer(
        to result: LoginResult,
        ticket: String?,
        _ request: Request,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        switch result.decision {
        case .accepted:
            guard let session = result.session else { return Self.unavailable(.seconds(60)) }
            // The browser forgets the session that it had. If that cannot be ended now, it ends by its age.
            if let old = Self.cookie(visit.page.cookieName, of: request) {
                try? await service.sessions.revoke(old)
            }
            var answer = ServerAnswer.json(
                PasskeyReply(msg: "logged in", location: visit.address?.text ?? "/")
            )
            for cookie in try cookies(of: result, session, visit.page) {
                answer.headers.append(HTTPField(name: .setCookie, value: cookie))
            }
            return answer
        case .rejected, .unknownMechanism, .codeRequired:
            guard let ticket else { return Self.reply(.unauthorized, PageText.wrongPasskey) }
            // The passkey was wrong, and not the ticket.
            guard result.answer == nil, let next = try renewed(ticket) else { return Self.expired }
            return Self.reply(.unauthorized, PageText.wrongPasskey, ticket: next)
        case .limited(let wait):
            return Self.reply(.tooManyRequests, PageText.limited(wait)).retrying(after: wait)
        case .replayed(let wait), .unavailable(let wait):
            // The attempt may have used the ticket up.
            return Self.unavailable(wait, ticket: try renewed(ticket))
        }
    }

    /// Returns an error with a text for the user.
    static func reply(
        _ status: HTTPResponse.Status,
        _ message: String,
        ticket: String? = nil
    ) -> ServerAnswer {
        var answer = ServerAnswer.json(
            PasskeyReply(code: status.code, msg: message, ticket: ticket),
            status: status
        )
        if status == .unauthorized {
            answer.headers[.wwwAuthenticate] = "Cookie realm=\"credkit-server\""
        }
        return answer
    }

    static func unavailable(_ wait: Duration, ticket: String? = nil) -> ServerAnswer {
        reply(.serviceUnavailable, PageText.unavailable(wait), ticket: ticket).retrying(after: wait)
    }

    private static var expired: ServerAnswer { reply(.unauthorized, PageText.expired) }

    static var incompletePasskey: ServerAnswer {
        reply(.badRequest, "the fields ceremony and response are required, and ticket for a second step")
    }
}

extension ServerAnswer {
    /// Returns what the script asks the browser with.
    static func options(_ options: PasskeyOptions) -> Self {
        // The ceremony is base64url.
        json(text: "{\"ceremony\":\"\(options.ceremony)\",\"options\":\(options.json)}\n")
    }
}
