// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitTestSupport
import Testing

/// New passkeys, and what permits them.
@Suite
struct PasskeyEnrolmentTests {
    private let start = PasskeyServer.start

    private func finish(
        _ server: PasskeyServer,
        _ permission: PasskeyPermission,
        _ options: PasskeyOptions,
        _ response: [UInt8],
        browser: String = PasskeyServer.browser,
        at time: UnixTime = PasskeyServer.start
    ) async throws -> PasskeyEnrolment {
        try await server.service.finishPasskeyEnrolment(
            with: permission,
            ceremony: options.ceremony,
            response: response,
            named: " My\u{202E}\u{0} phone\n",
            browser: browser,
            at: time
        )
    }

    @Test func recentLoginPermitsPasskeys() async throws {
        let server = try PasskeyServer()
        let permission = try server.permission(try await server.sendPassword())
        var first = try VirtualAuthenticator()
        let options = try await server.enrolmentOptions(permission)
        #expect(try BrowserOptions(options).identifiers.isEmpty)
        let answer = try first.create(options)
        guard case .enrolled(let credential) = try await finish(server, permission, options, answer) else {
            Issue.record("not enrolled")
            return
        }
        #expect(credential.account == "alice" && credential.name == "My phone")
        #expect(credential.created == start && credential.lastUse == nil)
        // Other texts than words are dropped.
        #expect(credential.transports == ["internal"])
        #expect(try await server.service.passkeys(ofAccountNamed: "alice") == [credential])
        var second = try VirtualAuthenticator(seed: 8)
        second.credentialID = [8]
        let more = try await server.enrolmentOptions(permission)
        let asked = try BrowserOptions(more)
        #expect(asked.identifiers == [first.credentialID] && asked.userHandle == first.userHandle)
        try await server.enrol(&second, with: permission)
        #expect(try await server.logIn(first).decision == .accepted(user: "alice"))
        #expect(try await server.logIn(second).decision == .accepted(user: "alice"))
    }

    @Test func enrolmentIsFinishedOnce() async throws {
        let server = try PasskeyServer()
        let permission = try server.permission(try await server.sendPassword())
        let options = try await server.enrolmentOptions(permission)
        var authenticator = try VirtualAuthenticator()
        let answer = try authenticator.create(options)
        _ = try await finish(server, permission, options, answer)
        #expect(try await finish(server, permission, options, answer) == .refused(.credentialExists))
        // Also if the passkey is gone.
        _ = try await server.store.removeAll(ofAccountNamed: "alice")
        #expect(try await finish(server, permission, options, answer) == .invalidCeremony)
    }

    @Test func oldEndedAndForeignLoginsPermitNothing() async throws {
        let server = try PasskeyServer()
        let login = try await server.sendPassword()
        let ticket = try #require(try server.service.recentLogin(of: login, at: start))
        let session = try #require(login.session).text
        let other = try #require(try await server.sendPassword().session).text
        let bob = try #require(try await server.sendPassword(of: "bob").session).text
        func begin(
            _ ticket: String,
            _ session: String,
            after time: Duration = .zero
        ) async throws -> PasskeyEnrolmentStart {
            try await server.service.beginPasskeyEnrolment(
                with: .recentLogin(ticket: ticket, session: session),
                browser: PasskeyServer.browser,
                at: start + time
            )
        }
        #expect(try await begin(ticket, session, after: .seconds(300)) == .notPermitted)
        for text in [other, bob, ""] { #expect(try await begin(ticket, text) == .notPermitted) }
        for text in ["", ticket + "A", session] { #expect(try await begin(text, session) == .notPermitted) }
        #expect(try await begin(ticket, session, after: .seconds(299)) != .notPermitted)
        try await server.service.sessions.revoke(session)
        #expect(try await begin(ticket, session) == .notPermitted)
    }

    @Test func loginsThatAreNotAcceptedGetNoTicket() async throws {
        let server = try PasskeyServer()
        #expect(try server.service.recentLogin(of: LoginResult(.rejected), at: start) == nil)
        #expect(try server.service.recentLogin(of: LoginResult(.accepted(user: "alice")), at: start) == nil)
    }

    @Test func linkAddsOnePasskey() async throws {
        let server = try PasskeyServer()
        let link = try #require(try await server.service.makePasskeyLink(forAccountNamed: "alice", at: start))
        // Begun twice, in two tabs.
        let first = try await server.enrolmentOptions(.link(link))
        let second = try await server.enrolmentOptions(.link(link))
        var authenticator = try VirtualAuthenticator()
        let answer = try authenticator.create(first)
        guard case .enrolled = try await finish(server, .link(link), first, answer) else {
            Issue.record("not enrolled")
            return
        }
        var other = try VirtualAuthenticator(seed: 8)
        other.credentialID = [8]
        let late = try other.create(second)
        #expect(try await finish(server, .link(link), second, late) == .notPermitted)
        #expect(try await server.service.passkeys(ofAccountNamed: "alice").count == 1)
    }

    @Test func linksExpireAndPermitNothingElse() async throws {
        let server = try PasskeyServer()
        let service = server.service
        #expect(try await service.makePasskeyLink(forAccountNamed: "nemo", at: start) == nil)
        await #expect(throws: LoginServerError.invalidConfiguration) {
            try await service.makePasskeyLink(forAccountNamed: "alice", lifetime: .seconds(86_401))
        }
        let link = try #require(try await service.makePasskeyLink(forAccountNamed: "alice", at: start))
        for (text, time) in [(link, Duration.seconds(3_600)), (link + "A", .zero), ("", .zero)] {
            let answer = try await service.beginPasskeyEnrolment(
                with: .link(text),
                browser: PasskeyServer.browser,
                at: start + time
            )
            #expect(answer == .notPermitted)
        }
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator, with: .link(link), at: start + .seconds(3_599))
        let another = try #require(try await service.makePasskeyLink(forAccountNamed: "alice", at: start))
        let id = authenticator.credentialID
        #expect(try await service.removePasskey(id, with: .link(another), at: start) == .notPermitted)
        #expect(try await service.setPasskeyRequired(true, with: .link(another), at: start) == .notPermitted)
    }

    @Test func linkOfAnAccountThatIsLockedMeanwhilePermitsNothing() async throws {
        let server = try PasskeyServer()
        let locked = try PasskeyServer(
            store: server.store,
            accounts: InMemoryAccounts([LoginAccount(name: "alice", credential: .unusable)])
        ) { $0.acceptsAccountsWithoutPassword = true }
        for (maker, isPermitted) in [(server, false), (locked, true)] {
            let link = try #require(
                try await maker.service.makePasskeyLink(forAccountNamed: "alice", at: start)
            )
            let answer = try await locked.service.beginPasskeyEnrolment(
                with: .link(link),
                browser: PasskeyServer.browser,
                at: start
            )
            #expect((answer != .notPermitted) == isPermitted)
        }
    }

    @Test func identifierOfAnotherAccountIsRefused() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        var thief = try VirtualAuthenticator(seed: 8)
        let permission = try server.permission(try await server.sendPassword(of: "bob"))
        let options = try await server.enrolmentOptions(permission)
        let answer = try await finish(server, permission, options, thief.create(options))
        #expect(answer == .refused(.credentialExists))
        #expect(try await server.logIn(authenticator).decision == .accepted(user: "alice"))
    }

    @Test func otherCeremoniesAreInvalid() async throws {
        let server = try PasskeyServer()
        let alice = try server.permission(try await server.sendPassword())
        let bob = try server.permission(try await server.sendPassword(of: "bob"))
        let options = try await server.enrolmentOptions(alice)
        var authenticator = try VirtualAuthenticator()
        let answer = try authenticator.create(options)
        #expect(try await finish(server, bob, options, answer) == .invalidCeremony)
        #expect(try await finish(server, alice, options, answer, browser: "other") == .invalidCeremony)
        let login = try server.loginOptions()
        #expect(try await finish(server, alice, login, answer) == .invalidCeremony)
        let wrong = try await server.enrolmentOptions(alice)
        #expect(try await finish(server, alice, wrong, answer) == .refused(.wrongChallenge))
        #expect(try await finish(server, alice, options, Array("{}".utf8)) == .refused(.malformedResponse))
        guard case .enrolled = try await finish(server, alice, options, answer) else {
            Issue.record("not enrolled")
            return
        }
    }

    @Test func authenticatorMustVerifyTheUser() async throws {
        let server = try PasskeyServer()
        let permission = try server.permission(try await server.sendPassword())
        let options = try await server.enrolmentOptions(permission)
        var authenticator = try VirtualAuthenticator()
        authenticator.flags = 0x01
        let answer = try await finish(server, permission, options, authenticator.create(options))
        #expect(answer == .refused(.userNotVerified))
    }

    @Test func numberOfPasskeysIsLimited() async throws {
        let server = try PasskeyServer { $0.perAccountLimit = 1 }
        let permission = try server.permission(try await server.sendPassword())
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator, with: permission)
        let answer = try await server.service.beginPasskeyEnrolment(
            with: permission,
            browser: PasskeyServer.browser,
            at: start
        )
        #expect(answer == .tooManyPasskeys)
    }

    @Test func linkForAFullAccountIsNotUsedUp() async throws {
        let server = try PasskeyServer { $0.perAccountLimit = 1 }
        let link = try #require(try await server.service.makePasskeyLink(forAccountNamed: "alice", at: start))
        let options = try await server.enrolmentOptions(.link(link))
        var authenticator = try VirtualAuthenticator(seed: 8)
        authenticator.credentialID = [8]
        let answer = try authenticator.create(options)
        var faster = try VirtualAuthenticator()
        try await server.enrol(&faster)
        #expect(try await finish(server, .link(link), options, answer) == .tooManyPasskeys)
        _ = try await server.service.removeAllPasskeys(ofAccountNamed: "alice")
        guard case .enrolled = try await finish(server, .link(link), options, answer) else {
            Issue.record("the link or the ceremony is used up")
            return
        }
    }

    /// Each of two enrolments finds room for one more passkey.
    @Test func numberOfPasskeysIsLimitedForSimultaneousEnrolments() async throws {
        let store = HookedPasskeyStore()
        let server = try PasskeyServer(store: store) { $0.perAccountLimit = 1 }
        let permission = try server.permission(try await server.sendPassword())
        let options = try await server.enrolmentOptions(permission)
        var authenticator = try VirtualAuthenticator()
        let response = try authenticator.create(options)
        store.on(.beforeAdding) { _, _ in
            store.on(.beforeAdding, nil)
            var faster = try VirtualAuthenticator(seed: 8)
            faster.credentialID = [8]
            try await server.enrol(&faster, with: permission)
        }
        #expect(try await finish(server, permission, options, response) == .tooManyPasskeys)
        #expect(try await store.credentials(ofAccountNamed: "alice").map(\.id) == [[8]])
    }

    @Test(arguments: [
        ("", "Passkey"), (" \n\t", "Passkey"), ("Phone", "Phone"), ("\u{202E}enohP", "enohP"),
        (String(repeating: "x", count: 99), String(repeating: "x", count: 64)),
        ("e" + String(repeating: "\u{301}", count: 900), "Passkey"),
    ])
    func namesAreCleaned(_ text: String, _ name: String) {
        #expect(PasskeyCredential.name(from: text) == name)
    }
}
