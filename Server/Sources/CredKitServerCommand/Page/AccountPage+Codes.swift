// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// What the pages show of one-time codes.
extension LoginPage {
    /// Whether the user needs codes, and what can be done about it.
    func summary(of codes: AccountPage.Codes, _ user: String, at page: ReturnAddress?) -> String {
        let login = "<p>\(PageText.recentLoginForCodes) \(again(returningTo: page))</p>"
        switch codes {
        case .off: return "<p>\(PageText.codesOff)</p>\n\(login)\n\(wayBack)"
        case .on(let count, let canChange):
            let left = count.map { "\n<p>\(PageText.recoveryCodesLeft($0))</p>" } ?? ""
            let change = canChange ? forms(of: user, withRecovery: count != nil) : login
            return "<p>\(PageText.codesOn)</p>\(left)\n\(change)\n\(wayBack)"
        }
    }

    private func forms(of user: String, withRecovery hasRecovery: Bool) -> String {
        let recovery = """
            <form method="post" action="/auth/codes">
            \(hidden(for: user))<input type="hidden" name="change" value="recovery">
            <button class="plain">\(PageText.makeRecoveryCodes)</button>
            </form>

            """
        return """
            \(hasRecovery ? recovery : "")<form method="post" action="/auth/codes">
            \(hidden(for: user))<input type="hidden" name="change" value="remove">
            <label for="code">\(hasRecovery ? PageText.codeOrRecoveryCode : PageText.code)</label>
            <input id="code" name="otp" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required\(description)>
            <button class="plain">\(PageText.removeCodes)</button>
            </form>
            """
    }

    /// A new key as a QR code, a link and a text, and the form that adds it.
    func form(for enrolment: CodeEnrolment, _ user: String) -> String {
        """
        <p>\(PageText.codesOff) \(PageText.codePurpose)</p>
        \(enrolment.image ?? "")
        <p>\(PageText.codeKey)<br><code>\(Self.grouped(enrolment.seed))</code></p>
        <p><a href="\(HTMLText.escape(enrolment.uri))">\(PageText.openInApp)</a></p>
        <form method="post" action="/auth/codes">
        \(hidden(for: user))<input type="hidden" name="change" value="add">
        <input type="hidden" name="seed" value="\(HTMLText.escape(enrolment.seed))">
        <label for="code">\(PageText.codeOfKey)</label>
        <input id="code" name="otp" autocomplete="one-time-code" inputmode="numeric" required\(description)\(focus)>
        <button>\(PageText.addCodes)</button>
        </form>
        \(wayBack)
        """
    }

    /// The new recovery codes.
    func list(ofRecoveryCodes codes: [String]) -> String {
        let items = codes.map { "<li><code>\(HTMLText.escape($0))</code></li>" }
        return """
            <p>\(PageText.recoveryCodesPurpose)</p>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            \(wayBack)
            """
    }

    /// A text in groups of four, as people type it.
    private static func grouped(_ text: String) -> String {
        var groups: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return HTMLText.escape(groups.joined(separator: " "))
    }
}
