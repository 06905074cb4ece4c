// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// The pages of a user's account, over HTTP.
@Suite struct AccountServerTests {
    @Test func aNewPasswordEndsTheOtherSessions() throws {
        try AccountSite.with { site in
            let (here, there) = (try site.browser(of: "alice"), site.browser("there"))
            #expect(try there.logIn("alice").status == 303)
            #expect(try here.open("/auth/account").body.contains("<strong>alice</strong>"))
            for (answer, status, notice) in [
                (try here.changePassword(from: "wrong"), 401, "The old password or the code is wrong."),
                (try here.changePassword(from: ""), 400, "Fill in all fields."),
                (try here.changePassword(to: "", again: "x"), 400, "Fill in all fields."),
                (try here.changePassword(again: "another one"), 400, "The new passwords differ."),
            ] {
                #expect(answer.status == status)
                #expect(here.notice(of: answer) == notice)
            }
            for weak in ["s3cret", "short", "x"] {
                let refused = try here.changePassword(to: weak)
                #expect(refused.status == 400)
                let notice = try #require(here.notice(of: refused))
                #expect(notice.hasPrefix("The new password is not accepted: "), "\(notice)")
            }
            #expect(try there.user() == "alice")
            #expect(try here.changePassword().status == 303)
            let done = try here.open("/auth/account?done=password")
            #expect(here.notice(of: done) == "The password was changed.")
            #expect(try here.user() == "alice")
            #expect(try there.user() == nil)
            #expect(try there.logIn("alice").status == 401)
            #expect(try there.logIn("alice", password: AccountSite.newPassword).status == 303)
            let log = site.server.errors
            #expect(log.components(separatedBy: #""action":"passwordChanged""#).count == 2, "\(log)")
            #expect(!log.contains(AccountSite.newPassword) && !log.contains("s3cret"), "\(log)")
        }
    }

    @Test func sessionsAreListedAndEnded() throws {
        try AccountSite.with { site in
            let browsers = ["first", "second", "third"].map { site.browser($0) }
            for browser in browsers { #expect(try browser.logIn("alice").status == 303) }
            let carol = try site.browser(of: "carol")
            let page = try browsers[0].open("/auth/sessions")
            #expect(page.body.components(separatedBy: "<li>").count == 4, "\(page.body)")
            #expect(page.body.components(separatedBy: "this browser").count == 2, "\(page.body)")
            // The newest first.
            let reference = try #require(page.field("session", of: "button"))
            // A reference of another user's session ends nothing.
            #expect(try carol.post("/auth/sessions", ["session": reference]).status == 303)
            #expect(try browsers[2].user() == "alice")
            #expect(try browsers[0].post("/auth/sessions", ["session": reference]).status == 303)
            #expect(try browsers.map { try $0.user() } == (["alice", "alice", nil] as [String?]))
            #expect(try browsers[0].post("/auth/sessions", ["others": "1"]).status == 303)
            #expect(try browsers.map { try $0.user() } == (["alice", nil, nil] as [String?]))
            #expect(try carol.user() == "carol")
            #expect(try browsers[0].post("/auth/sessions").status == 400)
            // Who is not logged in is sent to the login page.
            for path in ["/auth/account", "/auth/password", "/auth/sessions", "/auth/codes"] {
                #expect(try browsers[1].open(path).status == 303)
            }
        }
    }

    @Test func codesAreAddedUsedAndRemoved() throws {
        try AccountSite.with { site in
            let (here, there) = (try site.browser(of: "alice"), site.browser("there"))
            #expect(try there.logIn("alice").status == 303)
            let page = try here.open("/auth/codes")
            #expect(page.body.contains("<svg role=\"img\""), "\(page.body)")
            #expect(page.body.utf8.count < 14_000)
            let seed = try #require(page.field("seed"))
            func add(_ code: String, _ seed: String) throws -> PasskeyBrowser.Answer {
                try here.post("/auth/codes", ["change": "add", "seed": seed, "otp": code])
            }
            let wrong = try add("000000", seed)
            #expect(wrong.status == 401)
            // The same key again, so that the device need not be set up again.
            #expect(wrong.field("seed") == seed)
            #expect(try add(AccountSite.code(seed, after: -1), "GEZDGNBV").status == 409)
            #expect(try add(AccountSite.code(seed, after: -1), seed).status == 303)
            #expect(try there.user() == nil)
            #expect(try here.user() == "alice")
            let recovery = try here.post("/auth/codes", ["change": "recovery"])
            let codes = recovery.body.components(separatedBy: "<code>").dropFirst()
                .map { String($0.prefix { $0 != "<" }) }
            #expect(codes.count == 10)
            #expect(try here.open("/auth/codes").body.contains("10 recovery codes are left."))

            for code in [try AccountSite.code(seed), codes[0]] {
                let step = try there.logIn("alice")
                let ticket = try #require(step.field("ticket"))
                #expect(try there.post("/auth/login", ["ticket": ticket, "otp": code]).status == 303)
            }
            #expect(try here.open("/auth/codes").body.contains("9 recovery codes are left."))
            for code in ["000000", codes[0]] {
                #expect(try here.post("/auth/codes", ["change": "remove", "otp": code]).status == 401)
            }
            #expect(try here.post("/auth/codes", ["change": "remove", "otp": codes[1]]).status == 303)
            #expect(try there.logIn("alice").status == 303)
            let log = site.server.errors
            for action in ["codeSet", "recoveryCodesMade", "codeRemoved"] {
                #expect(log.components(separatedBy: "\"action\":\"\(action)\"").count == 2, "\(log)")
            }
            // The wrong codes: one for the new key, two to remove it.
            #expect(log.components(separatedBy: #""action":"wrongPassword""#).count == 4, "\(log)")
            let used = log.split(separator: "\n").filter { $0.contains(#""action":"recoveryCodeUsed""#) }
            #expect(used.count == 2 && used.allSatisfy { $0.contains(#""client":"127.0.0.1""#) }, "\(log)")
            for secret in codes + [seed] { #expect(!log.contains(secret)) }
        }
    }

    /// The pages of one user are open in other tabs when another one logs in.
    @Test func aFormOfAnotherUserChangesNothing() throws {
        try AccountSite.with { site in
            let browser = try site.browser(of: "alice")
            let seed = try #require(try browser.open("/auth/codes").field("seed"))
            var authenticator = try PasskeySite.authenticator()
            #expect(try browser.enrol(&authenticator).status == 201)
            for path in ["/auth/password", "/auth/sessions", "/auth/codes", "/auth/passkeys"] {
                #expect(try browser.open(path).field("account") == "alice", "\(path)")
            }
            #expect(try browser.logIn("carol").status == 303)
            var other = try PasskeySite.authenticator(9)
            #expect(try browser.enrol(&other).status == 201)
            let reference = try #require(try browser.open("/auth/passkeys").field("passkey"))
            let before = try site.shell.run("cat users codes passkeys.json").text
            let new = AccountSite.newPassword
            let forms: [(path: String, fields: [String: String])] = [
                ("/auth/password", ["password": "s3cret", "new": new, "again": new]),
                ("/auth/sessions", ["others": "1"]),
                ("/auth/codes", ["change": "add", "seed": seed, "otp": try AccountSite.code(seed)]),
                ("/auth/codes", ["change": "remove", "otp": try AccountSite.code(seed)]),
                ("/auth/codes", ["change": "recovery"]),
                ("/auth/passkeys/options", [:]),
                ("/auth/passkeys", ["ceremony": "x", "response": "x"]),
                ("/auth/passkeys/rename", ["passkey": reference, "label": "x"]),
                ("/auth/passkeys/remove", ["passkey": reference]),
                ("/auth/passkeys/required", ["required": "1"]),
            ]
            let notice = "Nothing was changed: the form was for another account. This page is for carol."
            for (path, fields) in forms {
                for account in ["alice", "", "Carol"] {
                    let answer = try browser.post(path, fields.merging(["account": account]) { $1 })
                    #expect(answer.status == 409, "\(path)")
                    let shown = answer.json["msg"] as? String ?? browser.notice(of: answer)
                    #expect(shown == notice, "\(path)")
                }
            }
            #expect(try site.shell.run("cat users codes passkeys.json").text == before)
            #expect(try browser.user() == "carol")
            // The page, for a browser without scripts.
            let navigation = try browser.send(
                "/auth/passkeys/remove",
                ["token": browser.token(), "account": "alice", "passkey": reference],
                AccountSite.html
            )
            #expect(navigation.status == 409)
            #expect(browser.notice(of: navigation) == notice)
            #expect(navigation.field("account") == "carol")
        }
    }

    /// Codes of a time step are valid once for a user, whatever the key.
    @Test func aCodeOfANewKeyInAUsedTimeIsToldApartFromAWrongOne() throws {
        try AccountSite.with { site in
            let alice = try site.browser(of: "alice")
            func seed() throws -> String { try #require(try alice.open("/auth/codes").field("seed")) }
            func send(_ change: String, _ seed: String, _ code: String) throws -> PasskeyBrowser.Answer {
                try alice.post("/auth/codes", ["change": change, "seed": seed, "otp": code])
            }
            let former = try seed()
            #expect(try send("add", former, AccountSite.code(former)).status == 303)
            #expect(try send("remove", former, AccountSite.code(former, after: 1)).status == 303)
            let new = try seed()
            let used = try send("add", new, AccountSite.code(new))
            #expect(used.status == 401)
            #expect(
                alice.notice(of: used)
                    == "A code of this time was already used. Wait until the app shows the next one."
            )
            #expect(used.field("seed") == new)
            let wrong = try send("add", new, "000000")
            #expect(wrong.status == 401)
            #expect(alice.notice(of: wrong) == "The one-time code is wrong, or was already used.")
        }
    }

    @Test func aPasswordOfAUserWithCodesNeedsACodeUnlessTheLoginWasRecent() throws {
        try AccountSite.with { site in
            let bob = site.browser("bob")
            let seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            let ticket = try #require(try bob.logIn("bob").field("ticket"))
            let code = try AccountSite.code(seed, after: -1)
            #expect(try bob.post("/auth/login", ["ticket": ticket, "otp": code]).status == 303)
            _ = try site.shell.run("grep -v __Secure-credkit-recent bob.jar > late.jar")
            let late = site.browser("late")
            #expect(try late.open("/auth/password").body.contains("name=\"otp\""))
            #expect(try !bob.open("/auth/password").body.contains("name=\"otp\""))
            #expect(try late.changePassword().status == 401)
            #expect(try late.changePassword(["otp": "000000"]).status == 401)
            #expect(try late.changePassword(["otp": AccountSite.code(seed)]).status == 303)
            #expect(try late.user() == "bob")
            #expect(try bob.user() == nil)
        }
    }

    /// The second tab has a page from before the change of the first.
    @Test func aSecondTabChangesNothingTwice() throws {
        try AccountSite.with { site in
            let alice = try site.browser(of: "alice")
            let (first, second) = (try alice.open("/auth/codes"), try alice.open("/auth/codes"))
            let seeds = [try #require(first.field("seed")), try #require(second.field("seed"))]
            #expect(seeds[0] != seeds[1])
            let answers = try seeds.map { seed in
                let code = try AccountSite.code(seed)
                return try alice.post("/auth/codes", ["change": "add", "seed": seed, "otp": code]).status
            }
            #expect(answers == ([303, 409] as [Int]))
            let file = try site.shell.run("grep -c '^alice:' codes; grep -c \(seeds[0]) codes").text
            #expect(file == "1\n1\n")
            #expect(try alice.changePassword().status == 303)
            #expect(try alice.changePassword().status == 401)
        }
    }
}

extension PasskeyBrowser.Answer {
    /// The value of the first element of a kind with a name.
    func field(_ name: String, of element: String) -> String? {
        guard let start = body.range(of: "<\(element) class=\"plain\" name=\"\(name)\" value=\"") else {
            return nil
        }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }
}
