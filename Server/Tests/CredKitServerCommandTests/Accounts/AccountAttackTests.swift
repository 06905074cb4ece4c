// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// Attacks on the accounts of users. docs/accounts.md lists what a stolen session can do.
@Suite struct AccountAttackTests {
    /// What a thief asks for with the cookie of a session alone.
    private struct Request {
        let path: String
        var fields: [String: String]?
        let status: Int
        /// What the answer must not contain.
        var secret: String?
    }

    @Test func aStolenSessionCookieChangesNothingThatLetsTheThiefIn() throws {
        try AccountSite.with { site in
            let alice = try site.browser(of: "alice")
            var authenticator = try PasskeySite.authenticator()
            let enrolled = try alice.enrol(&authenticator)
            #expect(enrolled.status == 201, "\(enrolled.body)")
            let passkey = try #require(try alice.open("/auth/passkeys").field("passkey"))
            _ = try site.shell.run("grep __Host-credkit'[[:space:]]' alice.jar > stolen.jar")
            let thief = site.browser("stolen")
            let seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            let new = ["new": AccountSite.newPassword, "again": AccountSite.newPassword]
            let change = { (name: String) in
                ["change": name, "seed": seed, "otp": try AccountSite.code(seed)]
            }
            let requests = [
                // Possible: using the site as the user, seeing what is there, renaming a passkey, ending sessions.
                Request(path: "/auth/account", status: 200),
                Request(path: "/auth/sessions", status: 200, secret: try site.session(of: "alice")),
                Request(path: "/auth/codes", status: 200, secret: "name=\"seed\""),
                Request(path: "/auth/passkeys", status: 200),
                Request(
                    path: "/auth/passkeys/rename",
                    fields: ["passkey": passkey, "label": "Mine"],
                    status: 200
                ),
                // Impossible.
                Request(path: "/auth/password", fields: new, status: 400),
                Request(path: "/auth/password", fields: new.merging(["password": "x"]) { $1 }, status: 401),
                Request(path: "/auth/codes", fields: try change("add"), status: 403),
                Request(path: "/auth/codes", fields: try change("remove"), status: 403),
                Request(path: "/auth/codes", fields: try change("recovery"), status: 403),
                Request(path: "/auth/passkeys/options", fields: [:], status: 403),
                Request(path: "/auth/passkeys/remove", fields: ["passkey": passkey], status: 403),
                Request(path: "/auth/passkeys/required", fields: ["required": "1"], status: 403),
                Request(path: "/auth/link", fields: new, status: 410),
            ]
            for request in requests {
                let answer =
                    try request.fields.map { try thief.post(request.path, $0) }
                    ?? thief.open(request.path)
                #expect(answer.status == request.status, "\(request)")
                if let secret = request.secret { #expect(!answer.body.contains(secret), "\(request)") }
            }
            // Guesses of the old password are attempts to log in.
            #expect(try alice.user() == "alice")
            // What a thief can do ends with the sessions.
            #expect(try alice.post("/auth/sessions", ["others": "1"]).status == 303)
            #expect(try alice.changePassword().status == 303)
            #expect(try thief.user() == nil)
        }
    }

    @Test func guessesOfTheOldPasswordAreLimitedAsLogins() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let site = try PasskeySite(shell, "--account-changes --attempts 3")
        let alice = try site.browser(of: "alice")
        let statuses = try (0..<4).map { try alice.changePassword(from: "guess \($0)").status }
        #expect(statuses == ([401, 401, 401, 429] as [Int]))
        #expect(try alice.changePassword().status == 429)
        #expect(try site.browser("other").logIn("alice").status == 429)
    }

    @Test(arguments: [
        "-H 'Sec-Fetch-Site: cross-site'", "-H 'Sec-Fetch-Site: same-site'", "-H 'Origin: http://localhost'",
        "-H 'Origin: null'", "TOKEN",
    ])
    func formsOfOtherSitesChangeNothing(_ header: String) throws {
        try AccountSite.with { site in
            let alice = try site.browser(of: "alice")
            let seed = try #require(try alice.open("/auth/codes").field("seed"))
            #expect(try alice.follow(site.link("reset", "alice")).status == 200)
            let (token, headers) = try header == "TOKEN" ? ("x", "") : (alice.token(), header)
            let new = ["new": AccountSite.newPassword, "again": AccountSite.newPassword]
            for (path, fields) in [
                ("/auth/password", new.merging(["password": "s3cret"]) { $1 }),
                ("/auth/sessions", ["others": "1"]),
                ("/auth/codes", ["change": "add", "seed": seed, "otp": try AccountSite.code(seed)]),
                ("/auth/link", new),
            ] {
                let form = fields.merging(["token": token]) { $1 }
                #expect(try alice.send(path, form, headers).status == 403, "\(path)")
            }
            #expect(try site.browser("other").logIn("alice").status == 303)
        }
    }

    /// Neither a name nor a notice of the address gets into the page.
    @Test func theAddressWritesNothingIntoThePage() throws {
        try AccountSite.with { site in
            let alice = try site.browser(of: "alice")
            for path in ["/auth/login", "/auth/account", "/auth/codes", "/auth/sessions", "/auth/password"] {
                let page = try alice.open("\(path)?done=%3Cb%3Ehello")
                #expect(page.status == 200)
                #expect(!page.body.contains("hello") && alice.notice(of: page) == nil)
            }
        }
    }

    @Test func withoutTheOptionThereAreNoPages() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let site = try PasskeySite(shell)
        let alice = try site.browser(of: "alice")
        for path in ["/auth/account", "/auth/password", "/auth/sessions", "/auth/codes", "/auth/link"] {
            #expect(try alice.open(path).status == 404)
        }
        #expect(try !alice.open("/auth/login").body.contains("/auth/account"))
    }
}

extension PasskeySite {
    /// The token of a browser's session.
    fileprivate func session(of browser: String) throws -> String {
        try shell.run("awk '$6 == \"__Host-credkit\" { printf \"%s\", $7 }' \(browser).jar").text
    }
}
