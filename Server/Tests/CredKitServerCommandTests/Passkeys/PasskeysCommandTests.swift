// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// `credkit-server passkeys`, beside a server that runs.
@Suite struct PasskeysCommandTests {
    /// Adds a passkey by a link, as the page does that it opens.
    private func enrol(
        _ site: PasskeySite,
        by link: String,
        _ authenticator: inout VirtualAuthenticator
    ) throws -> PasskeyBrowser.Answer {
        try site.browser("linked").enrol(&authenticator, named: "By link", ["link": link])
    }

    private func check(_ shell: Shell, _ options: String) throws {
        let site = try PasskeySite(shell, options)
        func run(_ action: String, _ user: String = "carol") throws -> Shell.Outcome {
            try shell.run("credkit-server passkeys \(action) \(user) \(PasskeySite.options) \(options)")
        }
        #expect(try run("list").status == 1)
        #expect(try run("link", "nemo").status == 1)
        let made = try run("link")
        #expect(made.status == 0, "\(made.errors)")
        let beginning = "\(PasskeySite.origin)/auth/passkeys/link#"
        #expect(made.text.hasPrefix(beginning))
        let link = String(made.text.dropFirst(beginning.count).dropLast())
        #expect(try site.browser("page").send("/auth/passkeys/link").body.contains("data-link"))
        var authenticator = try PasskeySite.authenticator()
        let enrolled = try enrol(site, by: link, &authenticator)
        #expect(enrolled.status == 201, "\(enrolled.body)")
        // The link is used up, and permits nothing else.
        var second = try PasskeySite.authenticator(8)
        let enrolment1 = try enrol(site, by: link, &second)
        #expect(enrolment1.status == 403, "\(enrolment1.body)")
        let browser = site.browser("browser")
        #expect(try browser.logIn(with: authenticator).status == 200)
        #expect(try browser.user() == "carol")
        let list = try run("list")
        #expect(list.status == 0, "\(list.errors)")
        let fields = list.text.dropLast().split(separator: "\t")
        #expect(fields.count == 4)
        #expect(fields.first?.utf8.count == 16)
        #expect(fields.last == "By link")
        let removed = try run("remove")
        #expect(removed.text == "removed 1\n", "\(removed.errors)")
        #expect(try browser.logIn(with: authenticator).status == 401)
        #expect(try run("remove").status == 1)
    }

    @Test func aServerWithAFile() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        try check(shell, "--passkeys passkeys.json")
        let modes = try shell.run("stat -c '%a %n' passkeys.json passkeys.json.key")
        #expect(modes.text == "600 passkeys.json\n600 passkeys.json.key\n")
    }

    @Test func linksEndWithTheServer() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let link = "credkit-server passkeys link carol \(PasskeySite.options) --passkeys passkeys.json"
        let early = try shell.run(link)
        #expect(early.status == 69)
        #expect(early.errors.contains("passkeys.json.key: there is none"), "\(early.errors)")
        let first = try PasskeySite(shell)
        let made = try shell.run("\(link) | sed 's/.*#//'").text.trimmingCharacters(in: .newlines)
        #expect(!made.isEmpty)
        #expect(first.server.stop() == 0)
        let late = try shell.run(link)
        #expect(late.status == 69)
        #expect(late.text.isEmpty && late.errors.contains("no server runs"), "\(late.errors)")
        #expect(!first.server.errors.contains("there is none"), "\(first.server.errors)")
        let second = try PasskeySite(shell)
        // The file may have been lost.
        let warning = "passkeys.json: a server has run with this file of passkeys, and there is none"
        #expect(second.server.errors.contains(warning), "\(second.server.errors)")
        let answer = try second.browser("browser").post("/auth/passkeys/options", ["link": made])
        #expect(answer.status == 403)
    }

    @Test func aUserWithoutPasswordGetsNoLink() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        _ = try shell.run("echo 'dora:!' >> users")
        let site = try PasskeySite(shell)
        let made = try shell.run(
            "credkit-server passkeys link dora \(PasskeySite.options) --passkeys passkeys.json"
        )
        #expect(made.status == 1)
        #expect(made.text.isEmpty)
        #expect(made.errors.contains("'dora' has no password"), "\(made.errors)")
        #expect(site.server.stop() == 0)
    }

    @Test func theCertificateOfTheServerDoesNotMatter() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            credkit-server passkeys list carol \(PasskeySite.options) --passkeys passkeys.json \
                --tls-cert none --tls-key none
            """
        )
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("'carol' has no passkeys"), "\(outcome.errors)")
    }

    @Test func serversWithPostgreSQL() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let state = try SharedStateServer("PostgreSQL", shell)
        try state.beginLongAgo()
        try check(shell, "--passkeys-in-state \(state.options)")
    }

    @Test func aDamagedFileIsFoundByTheCheck() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            umask 077
            credkit-server check \(PasskeySite.options) --passkeys passkeys.json; ls passkeys.json* 2> /dev/null
            echo '{' > passkeys.json
            credkit-server check \(PasskeySite.options) --passkeys passkeys.json
            """
        )
        #expect(outcome.status == 65, "\(outcome.errors)")
        #expect(outcome.text == "ok: 3 users\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("passkeys"), "\(outcome.errors)")
    }
}
