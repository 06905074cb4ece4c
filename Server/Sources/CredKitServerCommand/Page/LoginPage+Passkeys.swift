// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

// What the pages show of passkeys. Buttons that need the script are hidden until it runs.
extension LoginPage {
    /// The button beside the password; empty without passkeys.
    var loginButton: String {
        guard settings.hasPasskeys else { return "" }
        return "\n"
            + button(
                PageText.passkeyLogin,
                "/auth/passkey/options",
                "/auth/passkey",
                "class=\"plain\" data-conditional"
            )
    }

    /// The button of the second step.
    ///
    /// - Parameter isAlone: Whether the user can take no code instead.
    /// - Returns: The button.
    func secondButton(isAlone: Bool) -> String {
        let shown = button(PageText.passkeyStep, "/auth/second/options", "/auth/second", "")
        return isAlone ? "\(shown)\n\(Self.scriptsNeeded)" : "\(shown)\n"
    }

    /// The passkeys of a user, with what can be done about them.
    func passkeyList(
        of user: String,
        _ passkeys: [PasskeyCredential],
        _ isRequired: Bool,
        at page: ReturnAddress?
    ) -> String {
        let query = "?again=1" + (page.map { "&rd=\(PercentText.encode($0.text))" } ?? "")
        let forms = passkeys.map { passkey in
            let reference = HTMLText.escape(passkey.reference)
            let time = PageText.lastUse(passkey.lastUse.map { "\($0)" })
            return """
                <form class="passkey" method="post" action="/auth/passkeys/rename">
                \(hidden)<input type="hidden" name="passkey" value="\(reference)">
                <label for="\(reference)">\(PageText.passkey), \(HTMLText.escape(time))</label>
                <input id="\(reference)" name="label" value="\(HTMLText.escape(passkey.name))" maxlength="64" autocomplete="off">
                <button class="plain">\(PageText.rename)</button>
                <button class="plain" formaction="/auth/passkeys/remove">\(PageText.remove)</button>
                </form>
                """
        }
        let requirement = """
            <form method="post" action="/auth/passkeys/required">
            \(hidden)<input type="hidden" name="required" value="\(isRequired ? 0 : 1)">
            <button class="plain">\(isRequired ? PageText.requireNoPasskey : PageText.requirePasskey)</button>
            </form>
            """
        return """
            <p>\(PageText.loggedInAs) <strong>\(HTMLText.escape(user))</strong></p>
            <p>\(PageText.recentLogin) <a href="/auth/login\(HTMLText.escape(query))">\(PageText.logInAgain)</a></p>
            \(forms.joined(separator: "\n"))
            \(passkeys.isEmpty ? "" : "<p>\(PageText.removal)</p>\n\(requirement)")
            \(enrolment(byLink: false))
            """
    }

    /// The form for a new passkey.
    ///
    /// - Parameter isByLink: Whether the link in the address permits it.
    /// - Returns: The form.
    func enrolment(byLink isByLink: Bool) -> String {
        let add = button(
            PageText.addPasskey,
            "/auth/passkeys/options",
            "/auth/passkeys",
            isByLink ? "data-create data-link" : "data-create"
        )
        return """
            \(isByLink ? "<p>\(PageText.linkPurpose)</p>" : "")
            <form method="post" action="/auth/passkeys">
            \(hidden)
            <label for="label">\(PageText.passkeyName)</label>
            <input id="label" name="label" maxlength="64" autocomplete="off">
            \(add)
            \(Self.scriptsNeeded)
            </form>
            """
    }

    private static var scriptsNeeded: String { "<noscript><p>\(PageText.scriptsNeeded)</p></noscript>" }

    /// Returns a button for the script.
    private func button(_ text: String, _ beginning: String, _ end: String, _ attributes: String) -> String {
        """
        <button type="button" id="passkey" \(attributes) hidden data-begin="\(beginning)" data-end="\(end)" \
        data-failed="\(PageText.passkeyFailed)">\(text)</button>
        """
    }
}
