// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitSystem
import CredKitTestSupport
import CredKitTesting
import Testing

/// Logins with a passkey alone.
@Suite
struct PasskeyLoginTests {
    private let start = PasskeyServer.start

    @Test func passkeyLogsInWithoutAUserName() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        authenticator.signCount = 7
        let result = try await server.logIn(authenticator, at: start + .seconds(9))
        #expect(result.decision == .accepted(user: "alice"))
        let session = try #require(result.session)
        #expect(try await server.service.sessions.user(of: session.text) == "alice")
        let stored = try #require(try await server.store.credential(id: authenticator.credentialID))
        #expect(stored.record.signCount == 7)
        #expect(stored.lastUse == start + .seconds(9))
        #expect(server.events.map(\.kind) == ([.enrolled, .used] as [PasskeyEvent.Kind]))
        #expect(server.events.allSatisfy { $0.account == "alice" && $0.passkey == stored.reference })
    }

    @Test func optionsNameNoUserAndDemandVerification() throws {
        let options = try PasskeyServer().loginOptions()
        let asked = try BrowserOptions(options)
        #expect(asked.identifiers.isEmpty)
        #expect(asked.userVerification == "required")
    }

    @Test func answerIsAcceptedOnce() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let options = try server.loginOptions()
        let answer = try authenticator.answer(options)
        #expect(try await server.finish(options.ceremony, answer).decision == .accepted(user: "alice"))
        for _ in 0..<2 {
            let again = try await server.finish(options.ceremony, answer)
            #expect(again.decision == .rejected && again.session == nil)
        }
        #expect(server.events.last?.kind == .refused(reason: "replayed"))
    }

    @Test func ceremoniesOfOthersAreInvalid() async throws {
        let server = try PasskeyServer()
        let foreign = try PasskeyServer(store: server.store, key: [UInt8](repeating: 8, count: 32))
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let options = try server.loginOptions()
        let answer = try authenticator.answer(options)
        let link = try #require(try await server.service.makePasskeyLink(forAccountNamed: "alice", at: start))
        let enrolment = try await server.enrolmentOptions(.link(link))
        let elsewhere = try foreign.loginOptions()
        let cases: [(String, [UInt8], String, Duration)] = [
            (options.ceremony, answer, "other browser", .zero),
            (options.ceremony, answer, "", .zero),
            (options.ceremony, answer, PasskeyServer.browser, .seconds(300)),
            (options.ceremony + "A", answer, PasskeyServer.browser, .zero),
            ("", answer, PasskeyServer.browser, .zero),
            (enrolment.ceremony, try authenticator.answer(enrolment), PasskeyServer.browser, .zero),
            (elsewhere.ceremony, try authenticator.answer(elsewhere), PasskeyServer.browser, .zero),
        ]
        for (ceremony, response, browser, time) in cases {
            let result = try await server.finish(ceremony, response, browser: browser, at: start + time)
            #expect(result.decision == .rejected)
            #expect(server.events.last?.kind == .refused(reason: "invalidCeremony"))
        }
        // The answer to another ceremony of the same kind.
        let other = try server.loginOptions()
        #expect(try await server.finish(other.ceremony, answer).decision == .rejected)
        #expect(server.events.last?.kind == .refused(reason: "wrongChallenge"))
        // Another site of the same servers.
        let site = try WebAuthn.RelyingParty(
            id: "login.example.org",
            name: "Example",
            origins: ["https://login.example.org"]
        )
        let key = try SecretBytes([UInt8](repeating: 7, count: 32))
        let others = try PasskeyMechanism(site, store: server.store, key: key)
        let browser = PasskeyServer.browser
        #expect(try others.ceremony(options.ceremony, .login, browser: browser, at: start) == nil)
        #expect(try server.passkeys.ceremony(options.ceremony, .login, browser: browser, at: start) != nil)
        // Nothing of this has used it up.
        let last = try await server.finish(options.ceremony, answer, at: start + .seconds(299))
        #expect(last.decision == .accepted(user: "alice"))
    }

    @Test(arguments: PasskeyLoginTests.faults)
    func wrongAnswersLookAlike(_ fault: Fault) async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        var other = try VirtualAuthenticator(seed: 8)
        other.credentialID = Array(2...33)
        try await server.enrol(&other, for: "bob")
        fault.change(&authenticator)
        let result = try await server.logIn(authenticator)
        #expect(result == LoginResult(.rejected))
        let event = try #require(server.events.last)
        #expect(event.kind == .refused(reason: fault.reason))
        #expect(event.account == nil && event.passkey == nil)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let change: @Sendable (inout VirtualAuthenticator) -> Void

        init(
            _ name: String,
            _ reason: String,
            _ change: @escaping @Sendable (inout VirtualAuthenticator) -> Void
        ) {
            testDescription = name
            self.reason = reason
            self.change = change
        }
    }

    static let faults: [Fault] = [
        Fault("unknown passkey", "unknownPasskey") { $0.credentialID = Array(3...34) },
        Fault("unknown passkey and handle", "unknownPasskey") {
            $0.credentialID = Array(3...34)
            $0.userHandle = [1]
        },
        Fault("passkey of another user, with its handle", "wrongUser") { $0.credentialID = Array(2...33) },
        Fault("own passkey, with another handle", "wrongUser") { $0.userHandle = [1] },
        Fault("wrong signature", "invalidSignature") { $0.signsWrongly = true },
        Fault("no handle", "missingUserHandle") { $0.userHandle = nil },
        Fault("user not verified", "userNotVerified") { $0.flags = 0x01 },
        Fault("other origin", "wrongOrigin") { $0.origin = "https://example.com" },
        Fault("other site", "wrongRelyingParty") { $0.relyingPartyID = "example.com" },
    ]

    /// All that a rejection needs is done before its delay.
    @Test func rejectionsAreReportedAndThenDelayed() async throws {
        let clock = ManualClock()
        let server = try PasskeyServer(clock: clock, rejectionInterval: .milliseconds(50))
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        authenticator.signsWrongly = true
        let options = try server.loginOptions()
        let answer = try authenticator.answer(options)
        for (ceremony, response) in [
            ("", answer), (options.ceremony, Array("{".utf8)), (options.ceremony, answer),
        ] {
            let count = server.events.count
            async let result = server.finish(ceremony, response)
            for wait in [45, 5] {
                while clock.sleeperCount < 1 { await Task.yield() }
                #expect(server.events.count == count + 1)
                clock.advance(by: .milliseconds(wait))
            }
            #expect(try await result.decision == .rejected)
        }
    }

    /// The stand-ins take the road of a real key to the end, and together with the stored key it is one of each kind.
    @Test func standInsAreKeys() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        authenticator.userHandle = [1, 2, 3]
        let options = try server.loginOptions()
        let ceremony = try #require(
            try server.passkeys.ceremony(
                options.ceremony,
                .login,
                browser: PasskeyServer.browser,
                at: start
            )
        )
        let response = try PasskeyAssertion.Response(json: authenticator.answer(options))
        let answer = PasskeyAnswer(
            server.passkeys,
            ceremony,
            response,
            ReplayGuard(store: InMemoryReplayStore(standardOn: ContinuousClock(), isFirstStart: true))
        )
        let assertion = PasskeyAssertion(
            relyingParty: try PasskeyServer.site(),
            challenge: ceremony.challenge
        )
        let first = answer.standIn.record
        let others = answer.standIn.records(besides: first)
        for record in [first] + others {
            #expect(throws: WebAuthn.Error.invalidSignature) {
                try assertion.verify(response, of: record, at: start)
            }
            let besides = answer.standIn.records(besides: record) + [record]
            #expect(Set(besides.map(\.algorithm)) == Set(WebAuthn.Algorithm.offered.map(Optional.some)))
            #expect(besides.count == WebAuthn.Algorithm.offered.count)
        }
    }

    @Test func malformedAnswersAreAttempts() async throws {
        let server = try PasskeyServer(clientAttempts: 2)
        for _ in 0..<2 {
            let options = try server.loginOptions()
            let result = try await server.finish(options.ceremony, Array("{}".utf8))
            #expect(result.decision == .rejected)
        }
        let options = try server.loginOptions()
        guard case .limited = try await server.finish(options.ceremony, Array("{}".utf8)).decision else {
            Issue.record("the third attempt is not limited")
            return
        }
    }

    @Test func attemptsCountForTheAddressOnly() async throws {
        let server = try PasskeyServer(clientAttempts: 3)
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        var wrong = authenticator
        wrong.signsWrongly = true
        for _ in 0..<3 { #expect(try await server.logIn(wrong).decision == .rejected) }
        guard case .limited = try await server.logIn(authenticator).decision else {
            Issue.record("the address is not limited")
            return
        }
        let options = try server.loginOptions()
        let answer = try authenticator.answer(options)
        let elsewhere = try await server.finish(options.ceremony, answer, address: "192.0.2.2")
        #expect(elsewhere.decision == .accepted(user: "alice"))
    }

    @Test func counterThatWentBackIsReported() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        authenticator.signCount = 5
        try await server.enrol(&authenticator)
        #expect(try await server.logIn(authenticator).decision == .rejected)
        let kinds: [PasskeyEvent.Kind] = [.enrolled, .counterWentBack, .refused(reason: "counterWentBack")]
        #expect(server.events.map(\.kind) == kinds)
        #expect(server.events[1].account == "alice")
        // A copied key may say that it can be synced.
        authenticator.flags = 0x0D
        #expect(try await server.logIn(authenticator).decision == .rejected)
        // This one could be synced from the first, and devices may count apart.
        var synced = try VirtualAuthenticator()
        (synced.signCount, synced.flags, synced.credentialID) = (5, 0x0D, Array(2...33))
        try await server.enrol(&synced, for: "bob")
        #expect(try await server.logIn(synced).decision == .accepted(user: "bob"))
        let later: [PasskeyEvent.Kind] = [.enrolled, .counterWentBack, .used]
        #expect(server.events.suffix(3).map(\.kind) == later)
    }

    @Test func accountWithoutPasswordLogsInOnlyIfThatIsAccepted() async throws {
        for isAccepted in [false, true] {
            let server = try PasskeyServer { $0.acceptsAccountsWithoutPassword = isAccepted }
            var authenticator = try VirtualAuthenticator()
            try await server.enrol(&authenticator, for: "carol")
            let result = try await server.logIn(authenticator)
            let expected: LoginDecision = isAccepted ? .accepted(user: "carol") : .rejected
            #expect(result.decision == expected)
        }
    }

    @Test func passkeyOfAnAccountThatIsGoneIsUnknown() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        try await server.enrol(&authenticator)
        let later = try PasskeyServer(store: server.store, accounts: InMemoryAccounts([]))
        #expect(try await later.logIn(authenticator) == LoginResult(.rejected))
        let kinds: [PasskeyEvent.Kind] = [.refused(reason: "unknownPasskey")]
        #expect(later.events.map(\.kind) == kinds)
        #expect(try await server.store.credential(id: authenticator.credentialID)?.lastUse == nil)
    }

    /// Simultaneous logins with different counters: the highest one is stored, and none is accepted that went back.
    @Test func simultaneousLoginsKeepTheHighestCounter() async throws {
        let server = try PasskeyServer()
        var authenticator = try VirtualAuthenticator()
        authenticator.signCount = 1
        try await server.enrol(&authenticator)
        let answers = try (2...17).map { count in
            authenticator.signCount = UInt32(count)
            let options = try server.loginOptions()
            return (UInt32(count), options.ceremony, try authenticator.answer(options))
        }
        let accepted = try await withThrowingTaskGroup(of: UInt32?.self) { group in
            for (count, ceremony, answer) in answers {
                group.addTask {
                    let result = try await server.finish(ceremony, answer)
                    return result.decision == .accepted(user: "alice") ? count : nil
                }
            }
            return try await group.reduce(into: [UInt32]()) { counts, count in
                if let count { counts.append(count) }
            }
        }
        let stored = try await server.store.credential(id: authenticator.credentialID)?.record.signCount
        #expect(stored == accepted.max())
        #expect(accepted.contains(17))
    }

    @Test func genericLoginIsRejected() async throws {
        let server = try PasskeyServer()
        let attempt = LoginAttempt(
            username: "alice",
            response: "s3cret",
            clientAddress: PasskeyServer.address
        )
        let decision = try await server.service.logIn(with: PasskeyMechanism.name, attempt, at: start)
        #expect(decision == .rejected)
    }

    @Test func serviceWithoutPasskeysKnowsNone() async throws {
        let service = try LoginService(
            accounts: InMemoryAccounts([]),
            mechanisms: [],
            storage: .memory(isFirstStart: true)
        )
        #expect(try service.beginPasskeyLogin(browser: "") == nil)
        let result = try await service.finishPasskeyLogin(
            ceremony: "",
            response: [] as [UInt8],
            browser: "",
            clientAddress: ""
        )
        #expect(result.decision == .unknownMechanism)
        let start = try await service.beginPasskeyEnrolment(with: .link(""), browser: "")
        #expect(start == .unknownMechanism)
    }
}
