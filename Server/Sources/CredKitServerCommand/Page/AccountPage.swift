// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A page of a user's account.
enum AccountPage: Sendable {
    /// A page to which the overview leads.
    struct Link: Sendable {
        let path: String
        let text: String
    }

    /// What the page of the one-time codes knows.
    enum Codes: Sendable {
        /// The user needs no codes, and must log in again to add some.
        case off
        /// The user needs codes: how many recovery codes are left, and whether the login was recent enough for a change.
        case on(recoveryCodes: Int?, canChange: Bool)
    }

    /// Who is logged in, and what they can change.
    case overview(user: String, [Link])
    /// A new password for a user who knows the old one.
    case password(user: String, needsCode: Bool)
    /// The sessions of the user.
    case sessions(user: String, [UserSession])
    /// The one-time codes of the user, and the address of this page.
    case codes(user: String, Codes, page: ReturnAddress?)
    /// A new key of one-time codes.
    case newCode(user: String, CodeEnrolment)
    /// The new recovery codes, which are not shown again.
    case recoveryCodes([String])
    /// A new password for the user of a link.
    case link(AccountLink)
    /// A link that is not valid any more.
    case usedLink

    /// What stands at the top of the page.
    var heading: String {
        switch self {
        case .overview: PageText.account
        case .password: PageText.changePassword
        case .sessions: PageText.sessions
        case .codes, .newCode: PageText.codes
        case .recoveryCodes: PageText.recoveryCodes
        case .link(let link):
            link.purpose == .invitation ? PageText.firstPassword : PageText.newPasswordByLink
        case .usedLink: PageText.usedLinkTitle
        }
    }
}

extension LoginPage {
    /// Returns what stands on a page of the account, below its heading.
    func accountBody(_ page: AccountPage) -> String {
        switch page {
        case .overview(let user, let links): overview(of: user, links)
        case .password(let user, let needsCode): passwordForm(of: user, needsCode)
        case .sessions(let user, let sessions): list(of: sessions, user)
        case .codes(let user, let codes, let page): summary(of: codes, user, at: page)
        case .newCode(let user, let enrolment): form(for: enrolment, user)
        case .recoveryCodes(let codes): list(ofRecoveryCodes: codes)
        case .link(let link):
            """
            <p>\(PageText.passwordFor) <strong>\(HTMLText.escape(link.accountName))</strong></p>
            <form method="post" action="/auth/link">
            \(hidden(for: link.accountName))\(userName(link.accountName))
            \(newPasswordFields(isFirst: true))
            <button>\(PageText.savePassword)</button>
            </form>
            """
        case .usedLink:
            """
            <p>\(PageText.usedLink)</p>
            <p><a href="/auth/login">\(PageText.logIn)</a></p>
            """
        }
    }

    private func overview(of user: String, _ links: [AccountPage.Link]) -> String {
        let items = links.map { "<li><a href=\"\($0.path)\">\($0.text)</a></li>" }
        return """
            <p>\(PageText.loggedInAs) <strong>\(HTMLText.escape(user))</strong></p>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            <form method="post" action="/auth/logout">
            \(hidden)
            <button>\(PageText.logOut)</button>
            </form>
            """
    }

    private func passwordForm(of user: String, _ needsCode: Bool) -> String {
        let code = """

            <label for="code">\(PageText.code)</label>
            <input id="code" name="otp" autocomplete="one-time-code" inputmode="numeric" required\(description)>
            """
        return """
            <p>\(PageText.passwordPurpose)</p>
            <form method="post" action="/auth/password">
            \(hidden(for: user))\(userName(user))
            <label for="password">\(PageText.oldPassword)</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required\(description)\(focus)>
            \(newPasswordFields(isFirst: false))\(needsCode ? code : "")
            <button>\(PageText.changePassword)</button>
            </form>
            \(wayBack)
            """
    }

    private func newPasswordFields(isFirst: Bool) -> String {
        """
        <label for="new">\(PageText.newPassword)</label>
        <input id="new" name="new" type="password" autocomplete="new-password" required\(description)\(isFirst ? focus : "")>
        <label for="again">\(PageText.newPasswordAgain)</label>
        <input id="again" name="again" type="password" autocomplete="new-password" required\(description)>
        """
    }

    /// The name for which a password manager keeps the new password.
    private func userName(_ user: String) -> String {
        "<input name=\"username\" value=\"\(HTMLText.escape(user))\" autocomplete=\"username\" hidden>"
    }

    private func list(of sessions: [UserSession], _ user: String) -> String {
        let items = sessions.map { session in
            guard !session.isCurrent else {
                return
                    "<li>\(PageText.session(session.age, session.idle)): <strong>\(PageText.thisSession)</strong></li>"
            }
            let label = PageText.endSession(session.age)
            return """
                <li>\(PageText.session(session.age, session.idle))
                <button class="plain" name="session" value="\(HTMLText.escape(session.reference))" aria-label="\(label)">\
                \(PageText.end)</button></li>
                """
        }
        let others = "\n<button name=\"others\" value=\"1\">\(PageText.endOthers)</button>"
        return """
            <form method="post" action="/auth/sessions">
            \(hidden(for: user))
            <ul>
            \(items.joined(separator: "\n"))
            </ul>\(sessions.contains { !$0.isCurrent } ? others : "")
            </form>
            \(wayBack)
            """
    }

    /// A link to the overview.
    var wayBack: String { "<p><a href=\"/auth/account\">\(PageText.account)</a></p>" }
}
