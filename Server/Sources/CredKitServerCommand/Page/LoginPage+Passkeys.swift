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

    /// The passkeys of a user, with what can be done about them: one form for all, so that many have room.
    func passkeyList(
        of user: String,
        _ passkeys: [PasskeyCredential],
        _ isRequired: Bool,
        at page: ReturnAddress?
    ) -> String {
        """
        <p>\(PageText.loggedInAs) <strong>\(HTMLText.escape(user))</strong></p>
        <p>\(PageText.recentLogin) \(again(returningTo: page))</p>
        \(passkeys.isEmpty ? "" : changes(of: passkeys, user, isRequired))
        \(enrolment(of: user))
        \(settings.hasAccountPages ? wayBack : "")
        """
    }

    /// A link to a login after which the user returns to this page.
    func again(returningTo page: ReturnAddress?) -> String {
        let query = "?again=1" + (page.map { "&rd=\(PercentText.encode($0.text))" } ?? "")
        return "<a href=\"/auth/login\(HTMLText.escape(query))\">\(PageText.logInAgain)</a>"
    }

    private func changes(
        of passkeys: [PasskeyCredential],
        _ user: String,
        _ isRequired: Bool
    ) -> String {
        let choices = passkeys.map { passkey in
            let time = PageText.lastUse(passkey.lastUse.map { "\($0)" })
            var name = String(passkey.name.unicodeScalars.prefix(Self.shownNameLength))
            if name.utf8.count < passkey.name.utf8.count { name += "…" }
            return """
                <label><input type="radio" name="passkey" value="\(HTMLText.escape(passkey.reference))"\
                \(passkeys.count == 1 ? " checked" : "") required> \(HTMLText.escape("\(name), \(time)"))</label>
                """
        }
        return """
            <form class="passkey" method="post" action="/auth/passkeys/rename">
            \(hidden(for: user))
            \(choices.joined(separator: "\n"))
            <label for="name">\(PageText.newName)</label>
            <input id="name" name="label" maxlength="64" autocomplete="off" required>
            <button class="plain">\(PageText.rename)</button>
            <button class="plain" formaction="/auth/passkeys/remove" formnovalidate>\(PageText.remove)</button>
            </form>
            <p>\(PageText.removal)</p>
            <form method="post" action="/auth/passkeys/required">
            \(hidden(for: user))<input type="hidden" name="required" value="\(isRequired ? 0 : 1)">
            <button class="plain">\(isRequired ? PageText.requireNoPasskey : PageText.requirePasskey)</button>
            </form>
            """
    }

    /// The number of Unicode scalars of a name in the list, so that the page fits into the first packets of a connection.
    private static let shownNameLength = 24

    /// The form for a new passkey.
    ///
    /// - Parameter user: The user who is logged in; `nil` if the link in the address permits it.
    /// - Returns: The form.
    func enrolment(of user: String?) -> String {
        let add = button(
            PageText.addPasskey,
            "/auth/passkeys/options",
            "/auth/passkeys",
            user == nil ? "data-create data-link" : "data-create"
        )
        return """
            \(user == nil ? "<p>\(PageText.linkPurpose)</p>" : "")
            <form method="post" action="/auth/passkeys">
            \(user.map { hidden(for: $0) } ?? hidden)
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
