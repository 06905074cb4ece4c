// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import HTTPTypes
import Hummingbird

// New passwords: of users who know the old one, and of those who have a link.
extension LoginServer {
    /// The longest secret of a link that is put into a cookie: nginx reads the headers of an answer into a buffer of 4 kilobytes.
    private static let maximumLinkByteCount = 3000

    func passwordPage(of user: SignedInUser) async throws -> AccountPage {
        let hasCodes = try await accounts.oneTimeCode(ofAccountNamed: user.name) != nil
        return .password(user: user.name, needsCode: hasCodes && !user.isRecent)
    }

    /// `POST /auth/password`
    func changePassword(
        _ form: FormFields,
        of user: SignedInUser,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        let page = LoginPage.Content.account(try await passwordPage(of: user))
        guard let old = form["password"], !old.isEmpty else {
            return show(page, PageText.incompletePassword, .badRequest, to: visit)
        }
        let new: SecretBytes
        switch try Self.newPassword(form) {
        case .password(let password): new = password
        case .mistake(let notice): return show(page, notice, .badRequest, to: visit)
        }
        let code = form["otp"].flatMap { $0.isEmpty ? nil : $0 }
        // Also for a client that does not wait for the answer: the sessions must end with the old password.
        let change = try await Task {
            try await service.changePassword(
                ofAccountNamed: user.name,
                from: old,
                to: new,
                session: user.session,
                code: code,
                hasTakenSecondStep: user.isRecent,
                clientAddress: user.clientAddress
            )
        }.value
        switch change {
        case .changed(let session?):
            let lifetime = service.sessions.limits.lifetime
            return Self.redirect(
                to: "/auth/account?done=password",
                [visit.page.sessionCookie(session.text, lifetime: lifetime)]
            )
        case .changed(nil):
            // There was no room for a session.
            return Self.redirect(
                to: "/auth/login?done=password",
                [visit.page.sessionCookie("", lifetime: .zero)]
            )
        case .wrongPassword: return show(page, PageText.wrongOldPassword, .unauthorized, to: visit)
        case .codeRequired: return show(page, PageText.missingCode, .unauthorized, to: visit)
        case .notPermitted: return show(page, PageText.tooLate, .forbidden, to: visit)
        default: return refusal(change, page, visit)
        }
    }

    /// `GET /auth/link`: it uses nothing up, as mail scanners and prefetching browsers open links.
    ///
    /// The secret of the address goes into a cookie, so that it is neither in the history nor sent to others as the Referer.
    func showLink(_ request: Request, _ visit: Visit) async throws -> ServerAnswer {
        let query = FormFields(Array((request.uri.query ?? "").utf8))
        if let link = query?["token"] {
            guard link.utf8.count <= Self.maximumLinkByteCount, Self.isBase64URL(link) else {
                return show(.account(.usedLink), nil, .gone, to: visit)
            }
            var answer = Self.redirect(to: "/auth/link", [PageSettings.linkCookie(link)])
            answer.headers[.referrerPolicy] = "no-referrer"
            return answer
        }
        return try await available(visit) {
            guard let text = Self.cookie(PageSettings.linkCookieName, of: request),
                let link = try await service.accountLink(reading: text)
            else { return show(.account(.usedLink), nil, .gone, to: visit) }
            return show(.account(.link(link)), to: visit)
        }
    }

    /// `POST /auth/link`
    func spendLink(
        _ form: FormFields,
        _ request: Request,
        _ visit: Visit,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        try await available(visit) {
            guard let text = Self.cookie(PageSettings.linkCookieName, of: request),
                let link = try await service.accountLink(reading: text)
            else { return usedLink(visit) }
            let page = LoginPage.Content.account(.link(link))
            guard Self.isFor(link.accountName, form) else {
                return show(page, PageText.otherAccount(link.accountName), .conflict, to: visit)
            }
            let new: SecretBytes
            switch try Self.newPassword(form) {
            case .password(let password): new = password
            case .mistake(let notice): return show(page, notice, .badRequest, to: visit)
            }
            let address = context.clientAddress
            let change = try await Task {
                try await service.setPassword(withLink: text, to: new, clientAddress: address)
            }.value
            switch change {
            case .changed:
                return Self.redirect(to: loginAddress(after: link, visit), [PageSettings.linkCookie("")])
            case .notPermitted, .conflict, .wrongPassword, .codeRequired: return usedLink(visit)
            default: return refusal(change, page, visit)
            }
        }
    }

    /// Where a user who has chosen a password logs in: after an invitation, to add a passkey if there are any.
    private func loginAddress(after link: AccountLink, _ visit: Visit) -> String {
        let next =
            settings.passkeys != nil && link.purpose == .invitation ? "/auth/passkeys" : "/auth/account"
        let address = visit.address(of: next).map { "&rd=\(PercentText.encode($0.text))" }
        return "/auth/login?again=1&done=password\(address ?? "")"
    }

    private func usedLink(_ visit: Visit) -> ServerAnswer {
        var answer = show(.account(.usedLink), nil, .gone, to: visit)
        answer.headers.append(HTTPField(name: .setCookie, value: PageSettings.linkCookie("")))
        return answer
    }

    /// Answers what both ways to a new password can end with.
    private func refusal(
        _ change: PasswordChange,
        _ page: LoginPage.Content,
        _ visit: Visit
    ) -> ServerAnswer {
        switch change {
        case .refused(let reasons):
            return show(page, PageText.refused(reasons), .badRequest, to: visit)
        case .limited(let wait):
            return show(page, PageText.limited(wait), .tooManyRequests, to: visit).retrying(after: wait)
        case .unavailable(let wait):
            return show(page, PageText.changesUnavailable(wait), .serviceUnavailable, to: visit)
                .retrying(after: wait)
        default: return show(page, PageText.conflict, .conflict, to: visit)
        }
    }

    private enum NewPassword {
        case password(SecretBytes)
        case mistake(String)
    }

    /// Reads the new password, which is typed twice.
    private static func newPassword(_ form: FormFields) throws -> NewPassword {
        guard let new = form["new"], !new.isEmpty else { return .mistake(PageText.incompletePassword) }
        guard let again = form["again"], new.utf8.elementsEqual(again.utf8) else {
            return .mistake(PageText.differentPasswords)
        }
        return .password(try SecretBytes(new))
    }

    /// Whether a text can stand in a cookie.
    private static func isBase64URL(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
