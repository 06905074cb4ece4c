// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird

// The pages of a user's account, which need no scripts. After a change, the browser is sent to a page that says so.
extension LoginServer {
    /// The user who has asked for a page of the account.
    struct SignedInUser: Sendable {
        let name: String
        /// The token of the session.
        let session: String
        /// Whether the session began with a login in the last five minutes.
        let isRecent: Bool
        /// The address of the client, for the log.
        let address: String
        /// The name under which the client's attempts are counted.
        let clientAddress: String
    }

    private enum AccountPath: String {
        case account = "/auth/account"
        case password = "/auth/password"
        case sessions = "/auth/sessions"
        case codes = "/auth/codes"
        case link = "/auth/link"
    }

    /// Answers a request for a page of the account; `nil` for any other endpoint.
    func answerAboutAccount(
        _ request: Request,
        at page: PageSettings,
        _ context: ServerContext
    ) async throws -> ServerAnswer? {
        guard let path = AccountPath(rawValue: request.uri.path), isOffered(path) else { return nil }
        guard Self.isOffered(page, to: context.origin) else { return Self.requiresTLS }
        if request.method == .get || request.method == .head {
            let visit = Visit(request, page, returningTo: nil)
            if path == .link { return try await showLink(request, visit) }
            return try await asUser(request, path, visit, context) { user in
                try await show(path, to: user, request, visit)
            }
        }
        guard request.method == .post, path != .account else {
            return Self.wrongMethod(path == .account ? "GET, HEAD" : "GET, HEAD, POST")
        }
        return try await withForm(of: request) { form in
            guard settings.allowsPasswords else {
                return .refusal(.forbidden, "unencrypted passwords are refused: use TLS")
            }
            let visit = Visit(request, page, returningTo: nil)
            guard Self.isOwn(form, request, visit) else {
                return show(.password(username: ""), PageText.foreignForm, .forbidden, to: visit)
            }
            if let answer = try await refusalOfFrequentRequest(context) { return answer }
            if path == .link { return try await spendLink(form, request, visit, context) }
            return try await asUser(request, path, visit, context) { user in
                guard Self.isFor(user.name, form) else {
                    let content = try await content(of: path, user, visit)
                    return show(.account(content), PageText.otherAccount(user.name), .conflict, to: visit)
                }
                return switch path {
                case .password: try await changePassword(form, of: user, visit)
                case .sessions: try await endSessions(form, of: user, visit)
                default: try await changeCodes(form, of: user, visit)
                }
            }
        }
    }

    /// Whether the settings have what a page is for.
    private func isOffered(_ path: AccountPath) -> Bool {
        guard let account = settings.accounts else { return false }
        return switch path {
        case .account, .sessions: true
        case .password, .link: account.canWritePasswords
        case .codes: account.offersCodes
        }
    }

    /// Calls `body` for a user who is logged in, and sends others to the login page.
    private func asUser(
        _ request: Request,
        _ path: AccountPath,
        _ visit: Visit,
        _ context: ServerContext,
        _ body: (SignedInUser) async throws -> ServerAnswer
    ) async throws -> ServerAnswer {
        try await available(visit) {
            guard let session = Self.cookie(visit.page.cookieName, of: request),
                let name = try await user(of: request, at: visit.page)
            else {
                return Self.redirect(
                    to: visit.page.loginURL(returningTo: visit.address(of: path.rawValue))
                )
            }
            let ticket = Self.cookie(PageSettings.recentLoginCookieName, of: request) ?? ""
            let recent = try recentLogins?.user(of: ticket, session: session)
            return try await body(
                SignedInUser(
                    name: name,
                    session: session,
                    isRecent: recent.map { $0.utf8.elementsEqual(name.utf8) } ?? false,
                    address: context.origin.address,
                    clientAddress: context.clientAddress
                )
            )
        }
    }

    private func show(
        _ path: AccountPath,
        to user: SignedInUser,
        _ request: Request,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        let query = FormFields(Array((request.uri.query ?? "").utf8))
        let content = try await content(of: path, user, visit)
        return show(.account(content), done: PageText.done(query?["done"]), to: visit)
    }

    private func content(
        of path: AccountPath,
        _ user: SignedInUser,
        _ visit: Visit
    ) async throws -> AccountPage {
        switch path {
        case .password: try await passwordPage(of: user)
        case .sessions: try await sessionsPage(of: user)
        case .codes: try await codesPage(of: user, visit)
        case .account, .link: .overview(user: user.name, accountPages)
        }
    }

    /// The pages that the settings offer, for the overview.
    private var accountPages: [AccountPage.Link] {
        var links: [AccountPage.Link] = []
        func add(_ path: String, _ text: String) { links.append(AccountPage.Link(path: path, text: text)) }
        if isOffered(.password) { add(AccountPath.password.rawValue, PageText.changePassword) }
        if isOffered(.codes) { add(AccountPath.codes.rawValue, PageText.codes) }
        if settings.passkeys != nil { add("/auth/passkeys", PageText.passkeys) }
        add(AccountPath.sessions.rawValue, PageText.sessions)
        return links
    }

    // MARK: Sessions

    private func sessionsPage(of user: SignedInUser) async throws -> AccountPage {
        let sessions = try await service.sessions.sessions(of: user.name, current: user.session)
        return .sessions(user: user.name, sessions)
    }

    /// `POST /auth/sessions`
    private func endSessions(
        _ form: FormFields,
        of user: SignedInUser,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        // Also for a client that does not wait for the answer.
        if form["others"] != nil {
            try await Task {
                try await service.sessions.revokeOthers(of: user.name, retaining: user.session)
            }.value
            settings.log.audit(.sessionsEnded, user: user.name, proof: .session, client: user.address)
            return Self.redirect(to: "/auth/sessions?done=sessions")
        }
        guard let reference = form["session"] else {
            return show(.account(try await sessionsPage(of: user)), nil, .badRequest, to: visit)
        }
        let isEnded = try await Task {
            try await service.sessions.revoke(reference: reference, of: user.name)
        }.value
        if isEnded {
            settings.log.audit(.sessionEnded, user: user.name, proof: .session, client: user.address)
        }
        return Self.redirect(to: "/auth/sessions?done=session")
    }
}
