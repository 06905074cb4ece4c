// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CredKitServerCommand

/// The options of passkeys, and the script of the page.
@Suite struct PasskeyServerOptionsTests {
    private func parse(_ options: [String]) throws {
        _ = try CredKitServerCommand.parse(["--users", "users", "--trusted-proxy", "127.0.0.1"] + options)
    }

    /// What is refused, and what the message says.
    static let refused: [(options: [String], message: String)] = [
        (["--passkeys", "p"], "requires --site"),
        (["--passkeys-in-state"], "requires --site"),
        (["--mechanism", "passkey"], "requires --passkeys"),
        (["--site", "https://a.org", "--passkeys", "-"], "has a name"),
        (["--site", "https://a.org", "--passkeys", "p", "--passkeys-in-state"], "give one of them"),
        (["--site", "https://a.org", "--passkeys-in-state"], "requires --state in PostgreSQL"),
        (
            [
                "--site", "https://a.org", "--passkeys-in-state", "--state", "redis://localhost",
                "--state-key-file", "key",
            ],
            "Redis does not keep passkeys"
        ),
        (
            [
                "--site", "https://a.org", "--passkeys", "p", "--state", "redis://localhost",
                "--state-key-file", "key",
            ],
            "use PostgreSQL for --state"
        ),
        (
            [
                "--site", "https://a.org", "--passkeys", "p", "--state", "postgresql://u@localhost/d",
                "--state-key-file", "key",
            ],
            "give --passkeys-in-state"
        ),
        (["--site", "http://127.0.0.1:8080", "--passkeys", "p"], "'127.0.0.1' is none"),
        (["--site", "https://a.org", "--site", "https://b.org", "--passkeys", "p"], "--cookie-domain"),
    ]

    @Test(arguments: PasskeyServerOptionsTests.refused)
    func whereNoneFitsIsSaid(_ options: [String], _ message: String) {
        #expect {
            try parse(options)
        } throws: { error in
            CredKitServerCommand.message(for: error).contains(message)
        }
    }

    @Test(arguments: [
        ["--site", "https://a.org", "--passkeys", "p"],
        ["--site", "http://localhost:8080", "--passkeys", "p"],
        ["--site", "https://a.org", "--site", "https://b.a.org", "--passkeys", "p"],
        [
            "--site", "https://a.org", "--passkeys-in-state", "--state", "postgresql://u@localhost/d",
            "--state-key-file", "key",
        ],
    ])
    func whereOneFitsItIsTaken(_ options: [String]) throws { try parse(options) }

    @Test func theScriptIsTheOneOfThePolicy() throws {
        let shell = try Shell()
        defer { shell.remove() }
        try Data(PasskeyScript.text.utf8).write(to: shell.folder.appendingPathComponent("script"))
        let outcome = try shell.run("printf sha256-; openssl dgst -sha256 -binary script | base64")
        #expect(outcome.text == PasskeyScript.hash + "\n")
    }

    @Test func thePageHasTheScriptAndItsPolicyWithPasskeysAlone() throws {
        var settings = PageSettings(sites: [try #require(SiteOrigin(argument: "https://a.org"))])
        func answer(_ content: LoginPage.Content) -> ServerAnswer {
            LoginPage(settings: settings, content: content, notice: nil, address: nil, token: "token")
                .answer(status: .ok)
        }
        #expect(!String(decoding: answer(.password(username: "")).body, as: UTF8.self).contains("<script"))
        settings.hasPasskeys = true
        for content in [
            LoginPage.Content.password(username: ""),
            .passkey(username: "a", ticket: "b", acceptsCode: true),
            .passkeys(user: "a", [], isRequired: false, page: nil), .link,
        ] {
            let page = answer(content)
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(text.contains("<script>\(PasskeyScript.text)</script>"))
            #expect(page.body.count < 14_336)
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.contains("script-src '\(PasskeyScript.hash)'; connect-src 'self';"))
        }
        let text = String(decoding: answer(.password(username: "")).body, as: UTF8.self)
        #expect(text.contains("autocomplete=\"username webauthn\""))
    }
}
