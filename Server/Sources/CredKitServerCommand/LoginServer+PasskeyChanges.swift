// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird

// What users do with their passkeys, by the page or a script.
extension LoginServer {
    /// A passkey in the list.
    private struct ListedPasskey: Encodable, Sendable {
        /// Its reference, which is in the log as well.
        let passkey: String
        let name: String
        let created: String
        let lastUse: String?
        /// Whether it can be synced to other devices.
        let synced: Bool

        init(_ credential: PasskeyCredential) {
            passkey = credential.reference
            name = credential.name
            created = "\(credential.created)"
            lastUse = credential.lastUse.map { "\($0)" }
            synced = credential.record.isBackupEligible
        }
    }

    private struct PasskeyList: Encodable, Sendable {
        let userName: String
        let passkeys: [ListedPasskey]
        /// Whether logins without a passkey are refused.
        let required: Bool
    }

    /// `GET /auth/passkeys`: a page for browsers, otherwise JSON.
    func listPasskeys(_ request: Request, _ page: PageSettings) async throws -> ServerAnswer {
        let visit = Visit(request, page, returningTo: nil)
        guard Self.isNavigation(request) else {
            guard let user = try await user(of: request, at: page) else {
                return Self.reply(.unauthorized, "log in first")
            }
            let state = try await service.passkeyState(ofAccountNamed: user)
            let passkeys = try await service.passkeys(ofAccountNamed: user).map { ListedPasskey($0) }
            let list = PasskeyList(userName: user, passkeys: passkeys, required: state.isPasskeyRequired)
            return .json(CodeEnvelope(code: 0, msg: "passkeys", data: list))
        }
        return try await available(visit) {
            guard let user = try await user(of: request, at: page) else {
                return Self.redirect(to: page.loginURL(returningTo: visit.address(of: "/auth/passkeys")))
            }
            return try await showPasskeys(of: user, nil, .ok, to: visit)
        }
    }

    private func showPasskeys(
        of user: String,
        _ notice: String?,
        _ status: HTTPResponse.Status,
        to visit: Visit
    ) async throws -> ServerAnswer {
        let state = try await service.passkeyState(ofAccountNamed: user)
        let passkeys = try await service.passkeys(ofAccountNamed: user)
        let content = LoginPage.Content.passkeys(
            user: user,
            passkeys,
            isRequired: state.isPasskeyRequired,
            page: visit.address(of: "/auth/passkeys")
        )
        return show(content, notice, status, to: visit)
    }

    /// `POST /auth/passkeys` and below it.
    func changePasskeys(
        _ form: FormFields,
        _ request: Request,
        _ visit: Visit,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        if let answer = try await refusalOfFrequentRequest(context) { return answer }
        // A link in the form says itself for whom it is.
        if form["link"] == nil, let user = try await user(of: request, at: visit.page),
            !Self.isFor(user, form)
        {
            let notice = PageText.otherAccount(user)
            guard Self.isNavigation(request) else { return Self.reply(.conflict, notice) }
            return try await available(visit) {
                try await showPasskeys(of: user, notice, .conflict, to: visit)
            }
        }
        switch request.uri.path {
        case "/auth/passkeys/options": return try await beginEnrolment(form, request, visit)
        case "/auth/passkeys": return try await finishEnrolment(form, request, visit)
        default: break
        }
        guard Self.isNavigation(request) else { return try await change(form, request, visit).answer }
        return try await available(visit) {
            let changed = try await change(form, request, visit)
            // A removal has ended the session.
            guard let user = try await user(of: request, at: visit.page) else {
                return Self.redirect(to: "/auth/login")
            }
            guard changed.answer.status != .ok else { return Self.redirect(to: "/auth/passkeys") }
            return try await showPasskeys(of: user, changed.notice, changed.answer.status, to: visit)
        }
    }

    /// Changes a passkey of the user who is logged in.
    private func change(
        _ form: FormFields,
        _ request: Request,
        _ visit: Visit
    ) async throws -> (answer: ServerAnswer, notice: String) {
        guard let user = try await user(of: request, at: visit.page) else {
            return Self.refusal(.unauthorized, PageText.notPermitted)
        }
        let permission = permission(form, request, visit.page)
        if request.uri.path == "/auth/passkeys/required" {
            let change = try await service.setPasskeyRequired(form["required"] == "1", with: permission)
            return Self.answer(to: change, PasskeyReply(msg: "changed", location: "/auth/passkeys"))
        }
        let passkeys = try await service.passkeys(ofAccountNamed: user)
        guard let passkey = passkeys.first(where: { $0.reference == form["passkey"] }) else {
            return Self.refusal(.notFound, PageText.unknownPasskey)
        }
        guard request.uri.path == "/auth/passkeys/remove" else {
            let change = try await service.renamePasskey(
                passkey.id,
                ofAccountNamed: user,
                to: form["label"] ?? ""
            )
            if change == .done, settings.accounts != nil {
                let client = ServerLog.AuditSource.current.client
                settings.log.audit(.passkeyRenamed, user: user, proof: .session, client: client)
            }
            return Self.answer(to: change, PasskeyReply(msg: "renamed", location: "/auth/passkeys"))
        }
        // Also for a client that does not wait for the answer: the sessions must end with the passkey.
        let change = try await Task { try await service.removePasskey(passkey.id, with: permission) }.value
        var reply = PasskeyReply(msg: "removed", location: "/auth/login")
        reply.credentialId = Base64.urlSafe.unpadded.encode(passkey.id)
        reply.rpId = settings.passkeys?.relyingParty.id
        return Self.answer(to: change, reply)
    }

    /// `POST /auth/passkeys/options`
    private func beginEnrolment(
        _ form: FormFields,
        _ request: Request,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        switch try await service.beginPasskeyEnrolment(
            with: permission(form, request, visit.page),
            browser: visit.token
        ) {
        case .options(let options): return .options(options)
        case .notPermitted, .unknownMechanism: return Self.reply(.forbidden, PageText.notPermitted)
        case .tooManyPasskeys: return Self.reply(.conflict, PageText.tooManyPasskeys)
        }
    }

    /// `POST /auth/passkeys`
    private func finishEnrolment(
        _ form: FormFields,
        _ request: Request,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        guard let ceremony = form["ceremony"], let response = form["response"] else {
            return Self.incompletePasskey
        }
        var source = ServerLog.AuditSource.current
        if form["link"] != nil { source.proof = .link }
        let enrolment = try await ServerLog.AuditSource.$current.withValue(source) {
            try await service.finishPasskeyEnrolment(
                with: permission(form, request, visit.page),
                ceremony: ceremony,
                response: Array(response.utf8),
                named: form["label"] ?? "",
                browser: visit.token
            )
        }
        switch enrolment {
        case .enrolled:
            return .json(PasskeyReply(msg: "enrolled", location: "/auth/passkeys"), status: .created)
        case .notPermitted, .unknownMechanism: return Self.reply(.forbidden, PageText.notPermitted)
        case .refused(.credentialExists): return Self.reply(.conflict, PageText.passkeyExists)
        case .invalidCeremony, .refused: return Self.reply(.badRequest, PageText.invalidPasskey)
        case .tooManyPasskeys: return Self.reply(.conflict, PageText.tooManyPasskeys)
        case .unavailable(let wait): return Self.unavailable(wait)
        }
    }

    /// What permits a change: a link if there is one, otherwise the cookies of the login.
    private func permission(
        _ form: FormFields,
        _ request: Request,
        _ page: PageSettings
    ) -> PasskeyPermission {
        if let link = form["link"] { return .link(link) }
        return .recentLogin(
            ticket: Self.cookie(PageSettings.recentLoginCookieName, of: request) ?? "",
            session: Self.cookie(page.cookieName, of: request) ?? ""
        )
    }

    private static func answer(
        to change: PasskeyChange,
        _ reply: PasskeyReply
    ) -> (answer: ServerAnswer, notice: String) {
        switch change {
        case .done: return (.json(reply), "")
        case .notPermitted, .unknownMechanism: return refusal(.forbidden, PageText.notPermitted)
        case .unknownPasskey: return refusal(.notFound, PageText.unknownPasskey)
        case .lastWayIn: return refusal(.conflict, PageText.lastWayIn)
        }
    }

    private static func refusal(
        _ status: HTTPResponse.Status,
        _ notice: String
    ) -> (answer: ServerAnswer, notice: String) { (reply(status, notice), notice) }
}
