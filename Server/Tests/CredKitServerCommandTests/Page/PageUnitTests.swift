// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitServerCommand
import ArgumentParser
import CredKit
import CredKitServer
import HTTPTypes
import Testing

/// The parts of the login page that need no server.
@Suite
struct PageUnitTests {
    @Test(arguments: [
        ("https://wiki.example.org", "https://wiki.example.org"),
        ("https://Wiki.Example.org/", "https://wiki.example.org"),
        ("https://wiki.example.org:8443", "https://wiki.example.org:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1", "http://127.0.0.1"),
    ])
    func originsAreThoseOfBrowsers(_ argument: String, _ text: String) {
        #expect(SiteOrigin(argument: argument)?.text == text)
    }

    @Test(arguments: [
        "", "https://", "wiki.example.org", "http://wiki.example.org", "https://wiki.example.org/a",
        "https://a..b", "https://a.",
        "https://-a.b", "https://user@a.b", "https://a.b:443", "http://localhost:80", "https://a.b:0",
        "https://a.b:08", "https://a.b:",
        "https://a.b:70000", "https://a.b//", "https://ä.b", "https://a b", "https://a.b\\", "ftp://a.b",
        "https://[::1]",
    ])
    func otherTextsAreNoOrigins(_ argument: String) { #expect(SiteOrigin(argument: argument) == nil) }

    private let sites = [
        SiteOrigin(argument: "https://wiki.example.org"),
        SiteOrigin(argument: "https://shop.example.org:8443"),
    ].compactMap { $0 }

    @Test func returnAddressesStayOnTheSites() {
        for text in [
            "https://wiki.example.org", "https://wiki.example.org/", "https://wiki.example.org//a?b=%2F#c",
            "https://shop.example.org:8443/a",
        ] {
            #expect(ReturnAddress(text, within: sites)?.text == text)
        }
        let long = "https://wiki.example.org/" + String(repeating: "a", count: 2048)
        for text in [
            "", "/", "//wiki.example.org/", "https://wiki.example.org.evil.example/",
            "https://wiki.example.org@evil.example/",
            "https://wiki.example.org:8443/", "https://shop.example.org/", "https://shop.example.org:84430/",
            "https://wiki.example.org\\@evil.example/", "https://wiki.example.org/\\evil.example",
            "https://wiki.example.org/a b",
            " https://wiki.example.org/", "https://wiki.example.org/\t", "https://wiki.example.org/\u{0}",
            "https://wiki.example.org/é",
            "https://wiki.example.org/\u{7F}", "HTTPS://wiki.example.org/", "https://wiki.example.org?a",
            "javascript:alert(1)", long,
            "https://wiki.example.org/" + String(repeating: "&", count: 1000),
            "https://wiki.example.org/" + String(repeating: "\"", count: 500),
        ] {
            #expect(ReturnAddress(text, within: sites) == nil, "\(text)")
        }
    }

    /// A page of many sites would have a header that nginx does not take, and tell everyone of all of them.
    @Test func onlyTheSiteOfTheAddressIsNamed() throws {
        for (text, action) in [
            (nil, "form-action 'self';"),
            ("https://shop.example.org:8443/a", "form-action 'self' https://shop.example.org:8443;"),
        ] as [(String?, String)] {
            let page = LoginPage(
                settings: PageSettings(sites: sites),
                content: .password(username: ""),
                notice: nil,
                address: text.flatMap { ReturnAddress($0, within: sites) },
                token: "t"
            )
            let policy = try #require(page.answer(status: .ok).headers[.contentSecurityPolicy])
            #expect(policy.contains(action), "\(policy)")
            #expect(!policy.contains("wiki.example.org"))
        }
    }

    /// The first packets of a connection carry 14 kilobytes.
    @Test(arguments: [String(repeating: "\"", count: 64), String(repeating: "🔑", count: 64)])
    func manyPasskeysWithLongNamesFitIntoAPage(_ name: String) {
        let passkeys = (UInt8(0)..<20).map { number in
            let record = WebAuthn.CredentialRecord(
                id: [UInt8](repeating: number, count: 32),
                publicKey: [],
                userHandle: [],
                signCount: 0,
                isUserVerificationInitialized: true,
                isBackupEligible: false,
                isBackedUp: false,
                transports: [],
                aaguid: [UInt8](repeating: 0, count: 16)
            )
            return PasskeyCredential(
                account: "alice",
                record: record,
                name: name,
                created: .now,
                lastUse: .now
            )
        }
        var settings = PageSettings(sites: sites)
        settings.hasPasskeys = true
        let page = LoginPage(
            settings: settings,
            content: .passkeys(
                user: String(repeating: "u", count: 64),
                passkeys,
                isRequired: false,
                page: ReturnAddress("https://wiki.example.org/auth/passkeys", within: sites)
            ),
            notice: PageText.notPermitted,
            address: nil,
            token: String(repeating: "t", count: 43)
        )
        // The headers have room as well.
        #expect(page.answer(status: .ok).body.count < 13_000)
    }

    @Test func loginPageIsOnTheSiteOrOnTheFirstOfADomain() {
        let address = ReturnAddress("https://shop.example.org:8443/a?b=1&c", within: sites)
        var settings = PageSettings(sites: sites)
        #expect(
            settings.loginURL(returningTo: address)
                == "https://shop.example.org:8443/auth/login?rd=https%3A%2F%2Fshop.example.org%3A8443%2Fa%3Fb%3D1%26c"
        )
        #expect(settings.loginURL(returningTo: nil) == "https://wiki.example.org/auth/login")
        #expect(
            settings.sessionCookie("t", lifetime: .seconds(60)).hasPrefix(
                "__Host-credkit=t; Path=/; Max-Age=60; Secure"
            )
        )
        settings.cookieDomain = "example.org"
        #expect(
            settings.loginURL(returningTo: address).hasPrefix(
                "https://wiki.example.org/auth/login?rd=https%3A%2F%2Fshop"
            )
        )
        #expect(
            settings.sessionCookie("t", lifetime: .seconds(60)).hasPrefix(
                "__Secure-credkit=t; Path=/; Domain=example.org; "
            )
        )
    }

    @Test func escapingWorksOnBytes() {
        #expect(HTMLText.escape("a\"\u{301}<b>&'é") == "a&quot;\u{301}&lt;b&gt;&amp;&#39;é")
    }

    @Test(arguments: [
        (Duration.zero, "1 second"), (Duration.seconds(59), "59 seconds"), (Duration.seconds(60), "1 minute"),
        (Duration.seconds(61), "2 minutes"),
        (Duration.seconds(3600), "1 hour"), (Duration.seconds(3601), "2 hours"),
        (Duration.milliseconds(1500), "2 seconds"),
    ])
    func timesAreRoundedUp(_ time: Duration, _ words: String) { #expect(PageText.words(time) == words) }

    @Test(arguments: [
        (Duration.zero, "1"), (Duration.seconds(59), "59"), (Duration.milliseconds(59_001), "60"),
    ])
    func retryAfterIsRoundedUpAsWell(_ time: Duration, _ seconds: String) {
        let answer = ServerAnswer.empty(.tooManyRequests).retrying(after: time)
        #expect(answer.headers[.retryAfter] == seconds)
    }

    static let valid = [
        "--users", "users", "--site", "https://wiki.example.org", "--trusted-proxy", "127.0.0.1",
    ]

    @Test func domainsOfCookiesAreChecked() throws {
        _ = try CredKitServerCommand.parse(Self.valid + ["--cookie-domain", "example.org"])
        _ = try CredKitServerCommand.parse(Self.valid + ["--cookie-domain", "WIKI.example.org"])
        for domain in [
            "org", "co.uk", "github.io", "localhost", "127.0.0.1", ".example.org", "example.org.",
            "example.org:443", "example.com",
            "ki.example.org", "", "*.org",
        ] {
            #expect(throws: (any Error).self, "\(domain)") {
                try CredKitServerCommand.parse(Self.valid + ["--cookie-domain", domain])
            }
        }
    }

    @Test(arguments: [
        ["--users", "users", "--site", "https://wiki.example.org"],
        ["--users", "users", "--mechanism", "page"],
        ["--users", "users", "--page-title", "x"], ["--users", "users", "--cookie-domain", "example.org"],
        PageUnitTests.valid + ["--listen", "192.0.2.1:80", "--allow-insecure-http"],
        PageUnitTests.valid + ["--page-color", "red"],
        PageUnitTests.valid + ["--page-color", "#12345g"], PageUnitTests.valid + ["--page-title", ""],
        PageUnitTests.valid + ["--page-title", "a\nb"],
        PageUnitTests.valid + ["--mock-key-file", "mocks"],
    ])
    func optionsThatDoNotFitAreRefused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try CredKitServerCommand.parse(arguments) }
    }
}
