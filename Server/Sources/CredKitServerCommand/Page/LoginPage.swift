// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import Glibc
import HTTPTypes

/// The login page: one answer of a few kilobytes, without anything from elsewhere; the script of passkeys is its only one.
struct LoginPage: Sendable {
    /// What the page asks for or shows.
    enum Content: Sendable {
        /// The name and the password.
        case password(username: String)
        /// The code, with the ticket that stands for the password.
        case code(username: String, ticket: String)
        /// A passkey, with the ticket that stands for the password, or a code if the user can take one instead.
        case passkey(username: String, ticket: String, acceptsCode: Bool)
        /// The user who is logged in.
        case loggedIn(user: String)
        /// The passkeys of the user who is logged in, and the address of this page.
        case passkeys(user: String, [PasskeyCredential], isRequired: Bool, page: ReturnAddress?)
        /// A new passkey for the user of the link in the address, which the server does not get.
        case link
        /// The account of a user.
        case account(AccountPage)
    }

    let settings: PageSettings
    let content: Content
    /// What went wrong; `nil` for nothing.
    let notice: String?
    /// Where the browser goes afterwards.
    let address: ReturnAddress?
    /// The token that must agree with the cookie of the browser.
    let token: String
    /// What was done; `nil` for nothing.
    var done: String?

    /// Returns the page as an answer.
    func answer(status: HTTPResponse.Status) -> ServerAnswer {
        let nonce = Base64.standard.encode(SecureRandom.bytes(count: 16))
        var answer = ServerAnswer.html(html(nonce: nonce), status: status)
        // A redirect after a form is one of its actions, too. No other site is named: anyone can read this.
        let target = address.map { " \($0.site.text)" } ?? ""
        answer.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'nonce-\(nonce)'; \(script.policy)form-action 'self'\(target); base-uri 'none'; "
            + "frame-ancestors 'none'"
        // With no-referrer, browsers send the page's own forms with the origin null.
        answer.headers[.referrerPolicy] = "same-origin"
        answer.headers[.frameOptions] = "DENY"
        answer.headers[.openerPolicy] = "same-origin"
        answer.headers[.crossOriginResourcePolicy] = "same-origin"
        if settings.hasPasskeys {
            answer.headers[.permissionsPolicy] =
                "publickey-credentials-get=(self), publickey-credentials-create=(self)"
        }
        if status == .unauthorized {
            answer.headers[.wwwAuthenticate] = "Cookie realm=\"credkit-server\""
        }
        return answer
    }

    private func html(nonce: String) -> String {
        let title = HTMLText.escape(heading)
        func message(_ role: String, _ text: String) -> String {
            "<p role=\"\(role)\" id=\"notice\" tabindex=\"-1\" autofocus>\(HTMLText.escape(text))</p>"
        }
        let alert = notice.map { message("alert", $0) } ?? done.map { message("status", $0) } ?? ""
        return """
            <!doctype html>
            <html lang="\(PageText.language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style nonce="\(nonce)">\(style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            \(alert)
            \(body)
            </main>\(script.element)
            </body>
            </html>

            """
    }

    private var heading: String {
        switch content {
        case .account(let page): page.heading
        case .passkeys, .link: PageText.passkeys
        default: settings.title
        }
    }

    /// The script of passkeys, and what lets it run; empty on pages without.
    private var script: (element: String, policy: String) {
        switch content {
        case .loggedIn, .account: return ("", "")
        default: break
        }
        guard settings.hasPasskeys else { return ("", "") }
        return (
            "\n<script>\(PasskeyScript.text)</script>",
            "script-src '\(PasskeyScript.hash)'; connect-src 'self'; "
        )
    }

    private var body: String {
        switch content {
        case .password(let username):
            """
            <form method="post" action="/auth/login">
            \(hidden)
            <label for="username">\(PageText.userName)</label>
            <input id="username" name="username" value="\(HTMLText.escape(username))" \
            autocomplete="username\(settings.hasPasskeys ? " webauthn" : "")" autocapitalize="none" autocorrect="off" spellcheck="false" required\(description)\(focus)>
            <label for="password">\(PageText.password)</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required\(description)>
            <button>\(PageText.logIn)</button>\(loginButton)
            </form>
            """
        case .code(let username, let ticket): secondStep(username, ticket, codeFields)
        case .passkey(let username, let ticket, let acceptsCode):
            secondStep(
                username,
                ticket,
                secondButton(isAlone: !acceptsCode) + (acceptsCode ? codeFields : "")
            )
        case .loggedIn(let user):
            """
            <p>\(PageText.loggedInAs) <strong>\(HTMLText.escape(user))</strong></p>
            <p><a href="\(HTMLText.escape(address?.text ?? "/"))">\(PageText.proceed)</a></p>
            <form method="post" action="/auth/logout">
            \(hidden)
            <button>\(PageText.logOut)</button>
            <button class="plain" name="everywhere" value="1">\(PageText.logOutEverywhere)</button>
            </form>\(accountLink)
            """
        case .passkeys(let user, let list, let isRequired, let page):
            passkeyList(of: user, list, isRequired, at: page)
        case .link: enrolment(of: nil)
        case .account(let page): accountBody(page)
        }
    }

    /// Where users change what is theirs.
    private var accountLink: String {
        if settings.hasAccountPages { return "\n<p><a href=\"/auth/account\">\(PageText.account)</a></p>" }
        return settings.hasPasskeys ? "\n<p><a href=\"/auth/passkeys\">\(PageText.passkeys)</a></p>" : ""
    }

    private func secondStep(_ username: String, _ ticket: String, _ fields: String) -> String {
        """
        <p>\(PageText.loggingInAs) <strong>\(HTMLText.escape(username))</strong></p>
        <form method="post" action="/auth/login">
        \(hidden)
        <input type="hidden" name="ticket" value="\(HTMLText.escape(ticket))">
        \(fields)
        </form>
        <p><a href="/auth/login\(HTMLText.escape(query))">\(PageText.otherUser)</a></p>
        """
    }

    private var codeFields: String {
        """
        <label for="code">\(PageText.code)</label>
        <input id="code" name="otp" autocomplete="one-time-code" inputmode="numeric" autocapitalize="none" \
        spellcheck="false" required\(description)\(focus)>
        <button>\(PageText.logIn)</button>
        """
    }

    var hidden: String {
        let target = address.map {
            "<input type=\"hidden\" name=\"rd\" value=\"\(HTMLText.escape($0.text))\">"
        }
        return "<input type=\"hidden\" name=\"token\" value=\"\(HTMLText.escape(token))\">\(target ?? "")"
    }

    /// The hidden fields of a form for the user of a session or a link.
    func hidden(for user: String) -> String {
        "\(hidden)<input type=\"hidden\" name=\"account\" value=\"\(HTMLText.escape(user))\">"
    }

    private var query: String { address.map { "?rd=\(PercentText.encode($0.text))" } ?? "" }

    /// The notice has the focus, so that it is read first; otherwise the first field.
    var focus: String { notice == nil && done == nil ? " autofocus" : "" }

    var description: String { notice == nil ? "" : " aria-describedby=\"notice\"" }

    private var style: String {
        """
        :root{color-scheme:light dark;--page:#f3f4f6;--box:#fff;--text:#1f2937;--line:#6b7280;--error:#b91c1c}
        @media(prefers-color-scheme:dark){:root{--page:#111827;--box:#1f2937;--text:#f3f4f6;--line:#9ca3af;--error:#fca5a5}}
        body{box-sizing:border-box;margin:0;padding:1rem;min-height:100vh;min-height:100svh;display:grid;place-items:center;background:var(--page);color:var(--text);\
        font:1rem/1.5 system-ui,sans-serif}
        main{box-sizing:border-box;width:100%;max-width:24rem;padding:2rem;background:var(--box);border-radius:.5rem;\
        overflow-wrap:anywhere}
        h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
        label{display:block;margin:1rem 0 .375rem}
        input,button{box-sizing:border-box;width:100%;padding:.6rem;font:inherit;border:1px solid var(--line);\
        border-radius:.25rem}
        input{background:var(--box);color:var(--text)}
        input[type=radio]{width:1.5rem;height:1.5rem;vertical-align:middle}
        button{margin-top:1.5rem;border-color:transparent;background:\(settings.color);color:\(buttonText);cursor:pointer}
        button.plain{margin-top:.75rem;background:none;color:var(--text);border-color:var(--line)}
        a{color:inherit}
        main>:last-child{margin-bottom:0}
        :focus-visible{outline:3px solid var(--text);outline-offset:2px}
        [role=alert]{color:var(--error);font-weight:600}
        [role=status]{font-weight:600}
        svg{display:block;width:100%;max-width:15rem;margin:1rem auto}
        ul{padding-left:1.25rem}
        li{margin:.5rem 0}
        """
    }

    /// Black or white, whichever has more contrast to the color of the button (WCAG 2.2, relative luminance).
    private var buttonText: String {
        let number = Int(settings.color.dropFirst(), radix: 16) ?? 0
        let parts = [16, 8, 0].map { shift -> Double in
            let part = Double((number >> shift) & 255) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        let luminance: Double = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        return luminance > 0.179 ? "#000" : "#fff"
    }
}

extension HTTPField.Name {
    static var referrerPolicy: Self { Self("referrer-policy") ?? .contentSecurityPolicy }
    fileprivate static var frameOptions: Self { Self("x-frame-options") ?? .contentSecurityPolicy }
    fileprivate static var permissionsPolicy: Self { Self("permissions-policy") ?? .contentSecurityPolicy }
    fileprivate static var openerPolicy: Self { Self("cross-origin-opener-policy") ?? .contentSecurityPolicy }
}
