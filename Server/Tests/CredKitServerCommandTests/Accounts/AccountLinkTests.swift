// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Invitations and links for a new password, over HTTP.
@Suite struct AccountLinkTests {
    @Test func aLinkIsSpentOnceByAForm() throws {
        try AccountSite.with { site in
            let link = try site.link("invite", "dora")
            let dora = site.browser("dora")
            let page = try dora.follow(link)
            #expect(page.body.contains("<strong>dora</strong>") && page.body.contains("Choose a password"))
            // A scanner opens whatever is in a mail, with and without a cookie.
            let scanner = site.browser("scanner")
            for _ in 0..<3 {
                #expect(try scanner.send(link, nil, "-I").status == 303)
                #expect(try scanner.open(link).status == 303)
                #expect(try scanner.send("/auth/link", nil, "-I").status == 200)
                #expect(try scanner.open("/auth/link").status == 200)
            }
            #expect(try dora.choose("short").status == 400)
            let differing = ["new": AccountSite.newPassword, "again": "x"]
            #expect(try dora.post("/auth/link", differing).status == 400)
            #expect(try dora.logIn("dora", password: AccountSite.newPassword).status == 401)
            #expect(try dora.choose().status == 303)
            // The link itself is no login.
            #expect(try dora.user() == nil)
            #expect(try scanner.choose("another password of an attacker").status == 410)
            #expect(try dora.choose().status == 410)
            #expect(try scanner.open("/auth/link").status == 410)
            #expect(try dora.logIn("dora", password: AccountSite.newPassword).status == 303)
            let secret = String(try #require(link.split(separator: "=").last))
            #expect(!site.server.errors.contains(secret))
            #expect(site.server.errors.contains(#""action":"passwordSet""#))
        }
    }

    /// A browser has the cookie of one link, and pages of several.
    @Test func aFormOfAnotherLinkChangesNothing() throws {
        try AccountSite.with { site in
            let tabs = site.browser("tabs")
            let links = [try site.link("invite", "dora"), try site.link("invite", "erin")]
            let first = try tabs.follow(links[0])
            #expect(try tabs.follow(links[1]).status == 200)
            let account = try #require(first.field("account"))
            #expect(account == "dora")
            let new = ["new": AccountSite.newPassword, "again": AccountSite.newPassword]
            for name in [account, "", "ERIN"] {
                let refused = try tabs.post("/auth/link", new.merging(["account": name]) { $1 })
                #expect(refused.status == 409)
                #expect(
                    tabs.notice(of: refused)
                        == "Nothing was changed: the form was for another account. This page is for erin."
                )
                #expect(refused.field("account") == "erin")
            }
            let login = site.browser("login")
            for user in ["dora", "erin"] {
                #expect(try login.logIn(user, password: AccountSite.newPassword).status == 401)
            }
            #expect(try tabs.choose().status == 303)
            #expect(try login.logIn("dora", password: AccountSite.newPassword).status == 401)
            #expect(try login.logIn("erin", password: AccountSite.newPassword).status == 303)
        }
    }

    @Test func aResetEndsAllSessionsAndLinksFromBefore() throws {
        try AccountSite.with { site in
            let alice = try site.browser(of: "alice")
            let links = [try site.link("reset", "alice"), try site.link("reset", "alice")]
            let (first, second) = (site.browser("first"), site.browser("second"))
            #expect(try first.follow(links[0]).status == 200)
            #expect(try second.follow(links[1]).status == 200)
            #expect(try first.choose().status == 303)
            #expect(try alice.user() == nil)
            #expect(try second.choose("another password").status == 410)
            #expect(try alice.logIn("alice").status == 401)
            #expect(try alice.logIn("alice", password: AccountSite.newPassword).status == 303)
        }
    }

    @Test func aChangeOfThePasswordEndsALeakedLink() throws {
        try AccountSite.with { site in
            let link = try site.link("reset", "alice")
            let alice = try site.browser(of: "alice")
            #expect(try alice.changePassword().status == 303)
            let thief = site.browser("thief")
            #expect(try thief.open(link).status == 303)
            #expect(try thief.open("/auth/link").status == 410)
            #expect(try thief.choose().status == 410)
        }
    }

    @Test func otherTextsAreNoLinksAndReachNoHeader() throws {
        try AccountSite.with { site in
            let browser = site.browser("browser")
            func head(_ token: String) throws -> String {
                let command = "curl -s -o /dev/null -D - '\(browser.url)/auth/link?token=\(token)'"
                return try site.shell.run(command).text.lowercased()
            }
            for token in [
                "", "%0D%0ASet-Cookie:%20a=b", "a;b", "a%20b", "%F0%9F%94%91",
                String(repeating: "a", count: 3001),
            ] {
                let head = try head(token)
                #expect(head.hasPrefix("http/1.1 410"), "\(head)")
                #expect(!head.contains("set-cookie: a") && !head.contains("credkit-link"), "\(head)")
            }
            let moved = try head("x")
            #expect(moved.hasPrefix("http/1.1 303"), "\(moved)")
            #expect(moved.contains("referrer-policy: no-referrer"), "\(moved)")
            #expect(moved.contains("location: /auth/link\r\n"), "\(moved)")
            let cookie =
                "__secure-credkit-link=x; path=/auth/link; max-age=900; secure; httponly; samesite=lax"
            #expect(moved.contains(cookie), "\(moved)")
            _ = try browser.open("/auth/link?token=x")
            #expect(try browser.open("/auth/link").status == 410)
            #expect(try browser.choose().status == 410)
        }
    }

    /// The command waits until the server knows the user.
    @Test func aNewLinkIsValidAtOnce() throws {
        try AccountSite.with { site in
            let link = try site.link("invite", "dora")
            let dora = site.browser("dora")
            #expect(try dora.open(link).status == 303)
            #expect(try dora.open("/auth/link").status == 200)
        }
    }

    /// Another program has locked the users file: nothing is stored, and the user tries again.
    @Test func aLinkOutlivesAFileThatIsLocked() throws {
        try AccountSite.with { site in
            let dora = site.browser("dora")
            #expect(try dora.follow(site.link("invite", "dora")).status == 200)
            let file = open(site.shell.folder.appendingPathComponent("users").path, O_RDONLY | O_CLOEXEC)
            try #require(file >= 0 && flock(file, LOCK_EX) == 0)
            #expect(try dora.choose().status == 503)
            close(file)
            #expect(try dora.open("/auth/link").status == 200)
            #expect(try dora.choose().status == 303)
            #expect(try dora.logIn("dora", password: AccountSite.newPassword).status == 303)
        }
    }

    /// From an invitation to a login with a passkey; in the end, each password of the table is one that its user has chosen.
    @Test func manyUsersComeFromAnInvitationToAPasskey() throws {
        try AccountSite.with { site in
            let names = (0..<(TestForm.isDeep ? 100 : 3)).map { "user\($0)" }
            for (index, name) in names.enumerated() {
                let browser = site.browser(name)
                #expect(try browser.follow(site.link("invite", name)).status == 200)
                let password = "the password of number \(index)"
                #expect(try browser.choose(password).status == 303)
                #expect(try browser.logIn(name, password: password).status == 303)
                var authenticator = try PasskeySite.authenticator(UInt8(index + 10))
                #expect(try browser.enrol(&authenticator).status == 201)
                let line =
                    site.server.errors.split(separator: "\n").last { $0.contains("passkeyAdded") } ?? ""
                #expect(line.contains(#""user":"\#(name)""#) && line.contains(#""proof":"recentLogin""#))
                #expect(line.contains(#""client":"127.0.0.1""#), "\(line)")
                let other = site.browser("other-\(name)")
                #expect(try other.logIn(with: authenticator).status == 200)
                #expect(try other.user() == name)
            }
            // The first three users had a password before.
            let hashes = try site.shell.run(
                "grep -c '^user[0-9]*:\\$argon2id' users; grep -vc ':\\$argon2id' users"
            )
            #expect(hashes.text == "\(names.count)\n0\n")
        }
    }
}
