// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Passkeys at the login page of `credkit-server`, over HTTP.
@Suite struct PasskeyServerTests {
    private func withSite(_ body: (PasskeySite) throws -> Void) throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        try body(PasskeySite(shell))
    }

    @Test func aPasskeyIsEnrolledAndLogsInAlone() throws {
        try withSite { site in
            let alice = try site.browser(of: "alice")
            var authenticator = try PasskeySite.authenticator()
            let enrolled = try alice.enrol(&authenticator, named: "Work \"laptop\"")
            #expect(enrolled.status == 201, "\(enrolled.body)")
            let other = site.browser("other")
            let login = try other.logIn(with: authenticator)
            #expect(login.status == 200, "\(login.body)")
            #expect(login.json["location"] as? String == "/")
            #expect(try other.user() == "alice")
            let list = try other.send("/auth/passkeys")
            #expect(list.body.contains(#""name":"Work \"laptop\"""#), "\(list.body)")
            let page = try other.send("/auth/passkeys", nil, "-H 'Accept: text/html'")
            #expect(page.body.contains("> Work &quot;laptop&quot;, last used at "))
            // Who, and with which passkey, is not in the log, but a reference of it is.
            let log = site.server.errors
            let reference = try #require(page.field("passkey"))
            #expect(log.contains("credkit-server: passkey enrolled: \(reference)\n"), "\(log)")
            #expect(log.contains("credkit-server: passkey used: \(reference)\n"), "\(log)")
            #expect(!log.contains("alice") && !log.contains("laptop"), "\(log)")
        }
    }

    @Test func anAnswerIsAcceptedOnceAndInItsBrowser() throws {
        try withSite { site in
            var authenticator = try PasskeySite.authenticator()
            let enrolment1 = try site.browser(of: "alice").enrol(&authenticator)
            #expect(enrolment1.status == 201, "\(enrolment1.body)")
            let (here, there) = (site.browser("here"), site.browser("there"))
            let (options, ceremony) = try here.options("/auth/passkey/options")
            let form = ["ceremony": ceremony, "response": try authenticator.answering(options)]
            #expect(try there.post("/auth/passkey", form).status == 401)
            #expect(try here.post("/auth/passkey", form).status == 200)
            #expect(try here.post("/auth/passkey", form).status == 401)
            #expect(try there.user() == nil)
        }
    }

    @Test func unknownPasskeysAndWrongSignaturesAreToldInTheSameBytes() throws {
        try withSite { site in
            var known = try PasskeySite.authenticator()
            let enrolment2 = try site.browser(of: "alice").enrol(&known)
            #expect(enrolment2.status == 201, "\(enrolment2.body)")
            var wrong = known
            wrong.signsWrongly = true
            var unverified = known
            unverified.flags = 0x01
            var foreign = known
            foreign.origin = "http://localhost:8081"
            var unknown = try PasskeySite.authenticator(9)
            unknown.userHandle = known.userHandle
            let browser = site.browser("browser")
            let answers = try [wrong, unverified, foreign, unknown].map { try browser.logIn(with: $0) }
            #expect(answers.map(\.status) == ([401, 401, 401, 401] as [Int]))
            #expect(Set(answers.map(\.body)).count == 1, "\(answers)")
            #expect(try browser.user() == nil)
        }
    }

    @Test func aPasskeyFollowsThePassword() throws {
        try withSite { site in
            var authenticator = try PasskeySite.authenticator()
            let enrolment3 = try site.browser(of: "alice").enrol(&authenticator)
            #expect(enrolment3.status == 201, "\(enrolment3.body)")
            let browser = site.browser("browser")
            let page = try browser.logIn("alice")
            #expect(page.status == 200)
            #expect(page.body.contains("data-begin=\"/auth/second/options\""))
            #expect(!page.body.contains("name=\"otp\""))
            let ticket = try #require(page.field("ticket"))
            let (options, ceremony) = try browser.options("/auth/second/options", ["ticket": ticket])
            var wrong = authenticator
            wrong.signsWrongly = true
            let refused = try browser.post(
                "/auth/second",
                ["ticket": ticket, "ceremony": ceremony, "response": wrong.answering(options)]
            )
            #expect(refused.status == 401)
            let next = try #require(refused.json["ticket"] as? String)
            let (again, second) = try browser.options("/auth/second/options", ["ticket": next])
            let form = ["ticket": next, "ceremony": second, "response": try authenticator.answering(again)]
            #expect(try browser.post("/auth/second", form).status == 200)
            #expect(try browser.user() == "alice")
            #expect(try browser.post("/auth/second", form).status == 401)
        }
    }

    @Test func aCodeTakesThePlaceOfAPasskeyUnlessOneIsRequired() throws {
        try withSite { site in
            let bob = site.browser("bob")
            func code() throws -> String {
                try site.shell.run("credkit otp code phone bob").text.trimmingCharacters(in: .newlines)
            }
            var page = try bob.logIn("bob")
            #expect(!page.body.contains("id=\"passkey\""))
            let login = try bob.post(
                "/auth/login",
                ["ticket": try #require(page.field("ticket")), "otp": code()]
            )
            #expect(login.status == 303)
            var authenticator = try PasskeySite.authenticator()
            let enrolment4 = try bob.enrol(&authenticator)
            #expect(enrolment4.status == 201, "\(enrolment4.body)")
            let other = site.browser("other")
            page = try other.logIn("bob")
            #expect(page.body.contains("id=\"passkey\"") && page.body.contains("name=\"otp\""))
            #expect(try bob.post("/auth/passkeys/required", ["required": "1"]).status == 200)
            page = try other.logIn("bob")
            #expect(page.body.contains("id=\"passkey\"") && !page.body.contains("name=\"otp\""))
            let refused = try other.post(
                "/auth/login",
                ["ticket": try #require(page.field("ticket")), "otp": "123456"]
            )
            #expect(refused.status == 401)
        }
    }

    @Test func removalEndsAllSessions() throws {
        try withSite { site in
            let alice = try site.browser(of: "alice")
            var (first, second) = (try PasskeySite.authenticator(1), try PasskeySite.authenticator(2))
            let enrolment5 = try alice.enrol(&first, named: "first")
            #expect(enrolment5.status == 201, "\(enrolment5.body)")
            let enrolment6 = try alice.enrol(&second, named: "second")
            #expect(enrolment6.status == 201, "\(enrolment6.body)")
            let other = site.browser("other")
            #expect(try other.logIn(with: second).status == 200)
            let page = try alice.send("/auth/passkeys", nil, "-H 'Accept: text/html'")
            let reference = try #require(page.field("passkey"))
            #expect(try alice.post("/auth/passkeys/remove", ["passkey": "0123456789abcdef"]).status == 404)
            let renamed = try alice.post("/auth/passkeys/rename", ["passkey": reference, "label": "Phone"])
            #expect(renamed.status == 200)
            #expect(try alice.send("/auth/passkeys").body.contains(#""name":"Phone""#))
            let removed = try alice.post("/auth/passkeys/remove", ["passkey": reference])
            #expect(removed.status == 200)
            #expect(removed.json["rpId"] as? String == "localhost")
            #expect((removed.json["credentialId"] as? String)?.isEmpty == false)
            #expect(try alice.user() == nil)
            #expect(try other.user() == nil)
            #expect(try other.logIn(with: first).status == 401)
            #expect(try other.logIn(with: second).status == 200)
        }
    }

    @Test func aDamagedFileIsNamedInTheLogAlone() throws {
        try withSite { site in
            let carol = try site.browser(of: "carol")
            let damage = try site.shell.run("umask 077; echo '{' > passkeys.json")
            #expect(damage.status == 0, "\(damage.errors)")
            let list = try carol.send("/auth/passkeys")
            #expect(list.status == 503)
            #expect(list.body.contains("the store of passkeys failed\""), "\(list.body)")
            let page = try carol.logIn("carol")
            #expect(page.status == 503)
            #expect(!page.body.contains("passkeys.json"), "\(page.body)")
            let log = site.server.errors
            let line =
                "credkit-server: the store of passkeys failed: passkeys.json is no file of passkeys"
            #expect(log.components(separatedBy: line).count == 3, "\(log)")
        }
    }

    @Test func changesNeedARecentLoginOfTheSameSession() throws {
        try withSite { site in
            let alice = try site.browser(of: "alice")
            // The session is there, and what says that the login was recent is that of another one.
            _ = try site.browser(of: "carol")
            _ = try site.shell.run(
                """
                recent() { awk '$6 == "__Secure-credkit-recent"' $1; }
                (grep -v __Secure-credkit-recent alice.jar; recent carol.jar) > mixed.jar
                grep -v __Secure-credkit-recent alice.jar > late.jar
                """
            )
            for name in ["mixed", "late"] {
                let refused = try site.browser(name).post("/auth/passkeys/options")
                #expect(refused.status == 403)
                #expect(refused.body.contains("Log in again"))
            }
            #expect(try site.browser("stranger").post("/auth/passkeys/options").status == 403)
            #expect(try alice.post("/auth/passkeys/options").status == 200)
            // Others' passkeys are not found.
            var authenticator = try PasskeySite.authenticator()
            let enrolment7 = try alice.enrol(&authenticator)
            #expect(enrolment7.status == 201, "\(enrolment7.body)")
            let page = try alice.send("/auth/passkeys", nil, "-H 'Accept: text/html'")
            let reference = try #require(page.field("passkey"))
            let carol = try site.browser(of: "carol")
            #expect(try carol.post("/auth/passkeys/remove", ["passkey": reference]).status == 404)
            #expect(
                try carol.post("/auth/passkeys/rename", ["passkey": reference, "label": "x"]).status == 404
            )
            let enrolment8 = try carol.enrol(&authenticator)
            #expect(enrolment8.status == 409, "\(enrolment8.body)")
        }
    }

    @Test(arguments: [
        "-H 'Sec-Fetch-Site: cross-site'", "-H 'Sec-Fetch-Site: same-site'", "-H 'Origin: http://localhost'",
        "-H 'Origin: null'", "TOKEN",
    ])
    func formsOfOtherSitesAreRefused(_ header: String) throws {
        try withSite { site in
            let alice = try site.browser(of: "alice")
            let (token, headers) = try header == "TOKEN" ? ("x", "") : (alice.token(), header)
            for path in [
                "/auth/passkey/options", "/auth/passkey", "/auth/second/options", "/auth/second",
                "/auth/passkeys", "/auth/passkeys/options", "/auth/passkeys/rename", "/auth/passkeys/remove",
                "/auth/passkeys/required",
            ] {
                #expect(try alice.send(path, ["token": token], headers).status == 403, "\(path)")
            }
        }
    }
}
