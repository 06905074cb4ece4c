// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitTestSupport
import CredKitTesting
import Testing

/// Passkeys as the second step after a password, beside codes.
@Suite
struct PasskeySecondStepTests {
    /// Codes that are all `123456`, of some users.
    private struct Codes: LoginSecondStep {
        let users: Set<String>

        func isRequired(for account: LoginAccount) -> Bool { users.contains(account.name) }

        func verify(_ code: String, of account: LoginAccount, at now: UnixTime) -> MechanismVerdict {
            code == "123456" ? .accepted() : .rejected
        }
    }

    private let start = PasskeyServer.start

    /// Sends the password, and returns the ticket.
    private func ticket(_ server: PasskeyServer, of user: String = "alice") async throws -> String {
        let result = try await server.sendPassword(of: user)
        #expect(result.decision == .codeRequired && result.session == nil)
        return try #require(result.answer)
    }

    private func options(_ server: PasskeyServer, _ ticket: String) async throws -> PasskeyOptions {
        try #require(
            try await server.service.beginPasskeySecondStep(
                ticket: ticket,
                browser: PasskeyServer.browser,
                at: start
            )
        )
    }

    private func finish(
        _ server: PasskeyServer,
        _ ticket: String,
        _ ceremony: String,
        _ response: [UInt8],
        browser: String = PasskeyServer.browser
    ) async throws -> LoginResult {
        try await server.service.finishPasskeySecondStep(
            ticket: ticket,
            ceremony: ceremony,
            response: response,
            browser: browser,
            clientAddress: PasskeyServer.address,
            issuingSession: true,
            at: start
        )
    }

    private func sendCode(_ server: PasskeyServer, _ ticket: String) async throws -> LoginResult {
        let attempt = LoginAttempt(
            username: "alice",
            response: ticket,
            clientAddress: PasskeyServer.address,
            challenge: PasskeyServer.browser,
            code: "123456"
        )
        return try await server.service.logInReturningAnswer(
            with: TicketMechanism.name,
            attempt,
            issuingSession: true,
            at: start
        )
    }

    private func acceptsCode(_ server: PasskeyServer, _ ticket: String) async throws -> Bool {
        try await server.service.acceptsCode(ticket: ticket, browser: PasskeyServer.browser, at: start)
    }

    @Test func passkeyFollowsThePassword() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        // The device need not verify the user: the password is the other factor.
        authenticator.flags = 0x01
        authenticator.userHandle = nil
        let ticket = try await ticket(server)
        let options = try await options(server, ticket)
        let asked = try BrowserOptions(options)
        #expect(asked.identifiers == [authenticator.credentialID])
        #expect(asked.userVerification == "preferred")
        let answer = try authenticator.answer(options)
        let result = try await finish(server, ticket, options.ceremony, answer)
        #expect(result.decision == .accepted(user: "alice"))
        let session = try #require(result.session)
        #expect(try await server.service.sessions.user(of: session.text) == "alice")
        #expect(server.events.map(\.kind) == ([.enrolled, .used] as [PasskeyEvent.Kind]))
        // Both are used up.
        let again = try await finish(server, ticket, options.ceremony, answer)
        #expect(again.decision == .rejected && again.answer == TicketMechanism.invalidTicket)
        let second = try await self.ticket(server)
        let replay = try await finish(server, second, options.ceremony, answer)
        #expect(replay.decision == .rejected && replay.answer == nil)
        #expect(server.events.last?.kind == .refused(reason: "replayed"))
    }

    @Test func usersWithoutPasskeysNeedNone() async throws {
        let server = try PasskeyServer()
        #expect(try await server.sendPassword().decision == .accepted(user: "alice"))
    }

    @Test func askingUsersWithPasskeysCanBeTurnedOff() async throws {
        let server = try PasskeyServer { $0.asksUsersWithPasskeys = false }
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        #expect(try await server.sendPassword().decision == .accepted(user: "alice"))
    }

    @Test func codeTakesThePlaceOfAPasskey() async throws {
        let server = try PasskeyServer(codes: Codes(users: ["alice"]))
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let ticket = try await ticket(server)
        #expect(try await acceptsCode(server, ticket))
        #expect(try await sendCode(server, ticket).decision == .accepted(user: "alice"))
        let second = try await self.ticket(server)
        let options = try await options(server, second)
        let result = try await finish(server, second, options.ceremony, authenticator.answer(options))
        #expect(result.decision == .accepted(user: "alice"))
        // A passkey alone needs no code.
        #expect(try await server.logIn(authenticator).decision == .accepted(user: "alice"))
    }

    @Test func codesOfUsersWithoutCodesAreRefused() async throws {
        let server = try PasskeyServer(codes: Codes(users: ["bob"]))
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let ticket = try await ticket(server)
        #expect(try await !acceptsCode(server, ticket))
        #expect(try await sendCode(server, ticket).decision == .rejected)
    }

    @Test func requiredPasskeyMakesCodesUseless() async throws {
        for asks in [true, false] {
            let server = try PasskeyServer(codes: Codes(users: ["alice"])) { $0.asksUsersWithPasskeys = asks }
            var authenticator = try VirtualAuthenticator()
            try await server.enrol(&authenticator)
            let login = try await server.logIn(authenticator)
            let permission = try server.permission(login)
            let change = try await server.service.setPasskeyRequired(true, with: permission, at: start)
            #expect(change == .done)
            let ticket = try await ticket(server)
            #expect(try await !acceptsCode(server, ticket))
            #expect(try await sendCode(server, ticket).decision == .rejected)
            let second = try await self.ticket(server)
            let options = try await options(server, second)
            let result = try await finish(server, second, options.ceremony, authenticator.answer(options))
            #expect(result.decision == .accepted(user: "alice"))
            // Other ways with a password are closed as well.
            let attempt = LoginAttempt(
                username: "alice",
                response: "s3cret",
                clientAddress: PasskeyServer.address,
                code: "123456"
            )
            let decision = try await server.service.logIn(with: PasswordMechanism.name, attempt, at: start)
            #expect(decision == .rejected)
        }
    }

    @Test func requiredPasskeyIsAskedForWhereOthersAreNot() async throws {
        let server = try PasskeyServer { $0.asksUsersWithPasskeys = false }
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let permission = try server.permission(try await server.sendPassword())
        #expect(try await server.service.setPasskeyRequired(true, with: permission, at: start) == .done)
        let ticket = try await ticket(server)
        let options = try await options(server, ticket)
        let result = try await finish(server, ticket, options.ceremony, authenticator.answer(options))
        #expect(result.decision == .accepted(user: "alice"))
    }

    @Test func passkeyOfAnotherAccountIsRefused() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        var other = try VirtualAuthenticator(seed: 8)
        other.credentialID = [8]
        try await server.enrol(&other, for: "bob")
        let ticket = try await ticket(server)
        let options = try await options(server, ticket)
        let result = try await finish(server, ticket, options.ceremony, other.answer(options))
        #expect(result.decision == .rejected && result.answer == nil && result.session == nil)
        #expect(server.events.last?.kind == .refused(reason: "credentialNotAllowed"))
        // Nor can the ceremony of one account serve another.
        let (bobs, second) = (try await self.ticket(server, of: "bob"), try await self.ticket(server))
        let theirs = try await self.options(server, bobs)
        let mixed = try await finish(server, second, theirs.ceremony, authenticator.answer(theirs))
        #expect(mixed.decision == .rejected && mixed.answer == nil)
        #expect(server.events.last?.kind == .refused(reason: "invalidCeremony"))
    }

    /// A passkey that was one of another account when the ceremony began.
    @Test func ceremonyOfAnotherAccountIsRefusedForTheSamePasskey() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let options = try await options(server, ticket(server))
        _ = try await server.service.removeAllPasskeys(ofAccountNamed: "alice")
        try await server.enrol(&authenticator, for: "bob")
        let bobs = try await ticket(server, of: "bob")
        let result = try await finish(server, bobs, options.ceremony, authenticator.answer(options))
        #expect(result.decision == .rejected && result.answer == nil)
        #expect(server.events.last?.kind == .refused(reason: "invalidCeremony"))
    }

    @Test func otherCeremoniesAndBrowsersAreRefused() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let login = try server.loginOptions()
        let first = try await ticket(server)
        let mixed = try await finish(server, first, login.ceremony, authenticator.answer(login))
        #expect(mixed.decision == .rejected && mixed.answer == nil)
        let second = try await ticket(server)
        let options = try await options(server, second)
        let answer = try authenticator.answer(options)
        // The answer for a second step is none for a login alone.
        #expect(try await server.finish(options.ceremony, answer).decision == .rejected)
        let elsewhere = try await finish(server, second, options.ceremony, answer, browser: "other")
        #expect(elsewhere.answer == TicketMechanism.invalidTicket)
        #expect(
            try await finish(server, second, options.ceremony, answer).decision == .accepted(user: "alice")
        )
    }

    /// The store answers when the challenge has expired.
    @Test func timeOfASlowStoreCounts() async throws {
        let (store, clock) = (HookedPasskeyStore(), ManualClock())
        let server = try PasskeyServer(store: store, clock: clock)
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let ticket = try await ticket(server)
        let options = try await options(server, ticket)
        store.on(.afterReading) { _, _ in clock.advance(by: .seconds(300)) }
        let result = try await finish(server, ticket, options.ceremony, authenticator.answer(options))
        #expect(result.decision == .rejected)
        #expect(server.events.last?.kind == .refused(reason: "challengeExpired"))
    }

    /// All that a rejection needs is done before its delay.
    @Test func rejectionsAreReportedAndThenDelayed() async throws {
        let clock = ManualClock()
        let server = try PasskeyServer(clock: clock, rejectionInterval: .milliseconds(50))
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        authenticator.signsWrongly = true
        for isReadable in [false, true] {
            let ticket = try await ticket(server)
            let options = try await options(server, ticket)
            let response = isReadable ? try authenticator.answer(options) : Array("{".utf8)
            let count = server.events.count
            async let result = finish(server, ticket, options.ceremony, response)
            for wait in [45, 5] {
                while clock.sleeperCount < 1 { await Task.yield() }
                #expect(server.events.count == count + 1)
                clock.advance(by: .milliseconds(wait))
            }
            #expect(try await result.decision == .rejected)
        }
    }

    @Test func anotherSetOfPasskeysNeedsNewOptions() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let ticket = try await ticket(server)
        let options = try await options(server, ticket)
        var other = try VirtualAuthenticator(seed: 8)
        other.credentialID = [8]
        try await server.enrol(&other)
        let result = try await finish(server, ticket, options.ceremony, authenticator.answer(options))
        #expect(result.decision == .rejected)
        #expect(server.events.last?.kind == .refused(reason: "invalidCeremony"))
    }

    @Test func invalidTicketsGetNoOptions() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let ticket = try await ticket(server)
        for (text, browser, time) in [
            ("", PasskeyServer.browser, .zero), (ticket, "other", .zero),
            (ticket, PasskeyServer.browser, .seconds(300)),
        ] as [(String, String, Duration)] {
            let options = try await server.service.beginPasskeySecondStep(
                ticket: text,
                browser: browser,
                at: start + time
            )
            #expect(options == nil)
        }
        let result = try await finish(server, "", "", Array("{}".utf8))
        #expect(result.decision == .rejected && result.answer == TicketMechanism.invalidTicket)
    }
}
