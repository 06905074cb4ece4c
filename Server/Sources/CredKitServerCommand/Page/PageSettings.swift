// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// The sites that the server protects, and how its login page looks.
struct PageSettings: Sendable {
    /// The maximum size of the URL of the login page: nginx reads the headers of an answer into a buffer of 4 kilobytes.
    private static let maximumLocationByteCount = 3000

    /// At least one.
    var sites: [SiteOrigin]
    /// The domain of the cookie; `nil` for a cookie of each site alone.
    var cookieDomain: String?
    /// The heading of the page.
    var title = "Log in"
    /// The color of the button, `#` and six hexadecimal digits.
    var color = "#1d4ed8"

    /// Whether users can log in with passkeys.
    var hasPasskeys = false

    /// Whether users can change what is theirs at `/auth/account`.
    var hasAccountPages = false

    /// The name of the cookie of a session. Browsers accept `__Host-` only from the host itself, over TLS.
    var cookieName: String { cookieDomain == nil ? "__Host-credkit" : "__Secure-credkit" }

    /// The name of the cookie that must agree with a form.
    static let formCookie = "__Host-credkit-form"

    /// The name of the cookie that permits changing passkeys and codes after a login.
    static let recentLoginCookieName = "__Secure-credkit-recent"

    /// The name of the cookie with the secret of a link for a password.
    static let linkCookieName = "__Secure-credkit-link"

    /// How long a browser keeps the secret of a link that was opened.
    static let linkCookieLifetime = Duration.seconds(900)

    /// Returns the URL of the login page from which a browser returns to an address.
    ///
    /// - Parameter address: The address; `nil` for the page to which a login without one leads.
    /// - Returns: The URL. Without a cookie for a whole domain, it is on the same site.
    func loginURL(returningTo address: ReturnAddress?) -> String {
        let site = cookieDomain == nil ? address?.site ?? sites[0] : sites[0]
        let page = "\(site.text)/auth/login"
        guard let address else { return page }
        let url = "\(page)?rd=\(PercentText.encode(address.text))"
        return url.utf8.count <= Self.maximumLocationByteCount ? url : page
    }

    /// Returns the value of `Set-Cookie` for a session.
    ///
    /// - Parameters:
    ///   - token: The token of the session; empty to remove the cookie.
    ///   - lifetime: How long the browser keeps it.
    /// - Returns: The value.
    func sessionCookie(_ token: String, lifetime: Duration) -> String {
        let domain = cookieDomain.map { "; Domain=\($0)" } ?? ""
        let seconds = lifetime.components.seconds
        return "\(cookieName)=\(token); Path=/\(domain); Max-Age=\(seconds); Secure; HttpOnly; SameSite=Lax"
    }

    /// Returns the value of `Set-Cookie` for what permits changing passkeys and codes. Programs behind the proxy do not get it.
    ///
    /// - Parameters:
    ///   - ticket: The ticket of the login.
    ///   - lifetime: How long the browser keeps it.
    /// - Returns: The value.
    static func recentLoginCookie(_ ticket: String, lifetime: Duration) -> String {
        "\(recentLoginCookieName)=\(ticket); Path=/auth; Max-Age=\(lifetime.components.seconds); Secure; HttpOnly; "
            + "SameSite=Strict"
    }

    /// Returns the value of `Set-Cookie` for the secret of a link, so that it does not stay in the address.
    ///
    /// Browsers send no cookie with `SameSite=Strict` to the page to which a link of a web mailer is redirected.
    ///
    /// - Parameter link: The secret; empty to remove the cookie.
    /// - Returns: The value.
    static func linkCookie(_ link: String) -> String {
        let seconds = link.isEmpty ? 0 : linkCookieLifetime.components.seconds
        return
            "\(linkCookieName)=\(link); Path=/auth/link; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Lax"
    }
}
