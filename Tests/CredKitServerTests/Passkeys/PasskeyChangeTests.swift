// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitTestSupport
import Testing

/// Renaming and removing passkeys, and requiring them.
@Suite
struct PasskeyChangeTests {
    private let start = PasskeyServer.start

    /// A server whose user `alice` has two passkeys.
    private func server(
        accounts: (any LoginAccounts)? = nil,
        user: String = "alice",
        store: any PasskeyStore = InMemoryPasskeyStore(),
        _ change: (inout PasskeyConfiguration) -> Void = { _ in }
    ) async throws -> (PasskeyServer, VirtualAuthenticator, VirtualAuthenticator) {
        let server = try PasskeyServer(store: store, accounts: accounts, change)
        var first = try VirtualAuthenticator()
        var second = try VirtualAuthenticator(seed: 8)
        second.credentialID = [8]
        try await server.enrol(&first, for: user)
        try await server.enrol(&second, for: user)
        return (server, first, second)
    }

    @Test func removalEndsAllSessions() async throws {
        let (server, first, second) = try await server()
        let (one, two) = (try await server.logIn(first), try await server.logIn(second))
        let permission = try server.permission(one)
        #expect(try await server.service.removePasskey([8], with: permission, at: start) == .done)
        for session in [one.session, two.session] {
            let text = try #require(session).text
            #expect(try await server.service.sessions.user(of: text) == nil)
        }
        #expect(try await server.logIn(second).decision == .rejected)
        #expect(try await server.logIn(first).decision == .accepted(user: "alice"))
        let removed = try #require(server.events.first { $0.kind == .removed })
        #expect(removed.account == "alice" && removed.passkey == PasskeyCredential.reference(of: [8]))
        // The session of the permission has ended, too.
        let again = try await server.service.removePasskey([8], with: permission, at: start)
        #expect(again == .notPermitted)
    }

    @Test func passkeysOfOthersAreNotFound() async throws {
        let (server, first, _) = try await server()
        var bobs = try VirtualAuthenticator(seed: 9)
        bobs.credentialID = [9]
        try await server.enrol(&bobs, for: "bob")
        let login = try await server.logIn(first)
        let permission = try server.permission(login)
        for id in [[9], [], [1]] as [[UInt8]] {
            let service = server.service
            #expect(try await service.removePasskey(id, with: permission, at: start) == .unknownPasskey)
            #expect(try await service.renamePasskey(id, ofAccountNamed: "alice", to: "") == .unknownPasskey)
        }
        let session = try #require(login.session).text
        #expect(try await server.service.sessions.user(of: session) == "alice")
        #expect(try await server.logIn(bobs).decision == .accepted(user: "bob"))
    }

    @Test func passkeysAreRenamed() async throws {
        let (server, _, _) = try await server()
        let answer = try await server.service.renamePasskey([8], ofAccountNamed: "alice", to: "Work\n")
        #expect(answer == .done)
        let names = try await server.service.passkeys(ofAccountNamed: "alice").map(\.name)
        #expect(names == ["Phone", "Work"])
    }

    @Test func lastPasskeyOfAUserWithAPasswordCanGo() async throws {
        let (server, first, _) = try await server()
        for id in [[8], first.credentialID] {
            let permission = try server.permission(try await server.logIn(first))
            #expect(try await server.service.removePasskey(id, with: permission, at: start) == .done)
        }
        #expect(try await server.sendPassword().decision == .accepted(user: "alice"))
    }

    @Test func lastWayInStays() async throws {
        let (server, first, _) = try await server(user: "carol") { $0.acceptsAccountsWithoutPassword = true }
        let service = server.service
        let before = try server.permission(try await server.logIn(first))
        #expect(try await service.removePasskey([8], with: before, at: start) == .done)
        let permission = try server.permission(try await server.logIn(first))
        let id = first.credentialID
        #expect(try await service.removePasskey(id, with: permission, at: start) == .lastWayIn)
        #expect(try await server.logIn(first).decision == .accepted(user: "carol"))
        #expect(try await service.removeAllPasskeys(ofAccountNamed: "carol") == 1)
        #expect(try await server.logIn(first).decision == .rejected)
    }

    @Test func requiredPasskeyStays() async throws {
        let (server, first, _) = try await server()
        let service = server.service
        let before = try server.permission(try await server.logIn(first))
        #expect(try await service.setPasskeyRequired(true, with: before, at: start) == .done)
        #expect(try await service.removePasskey([8], with: before, at: start) == .done)
        let permission = try server.permission(try await server.logIn(first))
        let id = first.credentialID
        #expect(try await service.removePasskey(id, with: permission, at: start) == .lastWayIn)
        #expect(try await service.setPasskeyRequired(false, with: permission, at: start) == .done)
        #expect(try await service.removePasskey(id, with: permission, at: start) == .done)
        let state = try await service.passkeyState(ofAccountNamed: "alice")
        #expect(state == PasskeyAccountState())
        let kinds = server.events.map(\.kind)
        #expect(kinds.contains(.required) && kinds.contains(.notRequired))
    }

    @Test func accountWithoutPasskeysRequiresNone() async throws {
        let server = try PasskeyServer()
        let permission = try server.permission(try await server.sendPassword())
        let answer = try await server.service.setPasskeyRequired(true, with: permission, at: start)
        #expect(answer == .unknownPasskey)
        #expect(try await server.sendPassword().decision == .accepted(user: "alice"))
    }

    @Test func eventsPrintWithoutNames() {
        let event = PasskeyEvent(.used, account: "alice", passkey: "0123")
        #expect("\(event)" == "passkey used: 0123")
        let refused = PasskeyEvent(.refused(reason: "wrongOrigin"), account: "alice")
        #expect("\(refused)" == "passkey refused (wrongOrigin)")
        #expect(refused.kind.word == "refused")
    }

    /// A passkey that is removed while a login with it is decided: no session of it is left.
    @Test(arguments: [false, true])
    func removalDuringALoginLeavesNoSession(_ isSecondStep: Bool) async throws {
        let store = HookedPasskeyStore()
        let (server, first, _) = try await server(store: store)
        // After the verification, and before the session.
        let removal: HookedPasskeyStore.Hook = { store, id in
            _ = store.remove(id, ofAccountNamed: "alice", retainingLast: false)
        }
        let result: LoginResult
        if isSecondStep {
            let ticket = try #require(try await server.sendPassword().answer)
            let options = try #require(
                try await server.service.beginPasskeySecondStep(
                    ticket: ticket,
                    browser: PasskeyServer.browser,
                    at: start
                )
            )
            store.on(.afterRecording, removal)
            result = try await server.service.finishPasskeySecondStep(
                ticket: ticket,
                ceremony: options.ceremony,
                response: first.answer(options),
                browser: PasskeyServer.browser,
                clientAddress: PasskeyServer.address,
                issuingSession: true,
                at: start
            )
        } else {
            store.on(.afterRecording, removal)
            result = try await server.logIn(first)
        }
        #expect(result.decision == .rejected && result.session == nil)
        #expect(store.credential(id: first.credentialID) == nil)
    }

    /// An administrator removes all passkeys while someone with a session adds one.
    @Test func removalOfAllDuringAnEnrolmentLeavesNoPasskey() async throws {
        let store = HookedPasskeyStore()
        let (server, first, _) = try await server(store: store)
        let service = server.service
        let permission = try server.permission(try await server.logIn(first))
        let options = try await server.enrolmentOptions(permission)
        var thief = try VirtualAuthenticator(seed: 9)
        thief.credentialID = [9]
        let response = try thief.create(options)
        store.on(.beforeAdding) { _, _ in
            _ = try await service.removeAllPasskeys(ofAccountNamed: "alice")
        }
        let answer = try await service.finishPasskeyEnrolment(
            with: permission,
            ceremony: options.ceremony,
            response: response,
            named: "",
            browser: PasskeyServer.browser,
            at: start
        )
        #expect(answer == .notPermitted)
        #expect(try await store.credentials(ofAccountNamed: "alice").isEmpty)
        #expect(server.events.last?.kind == .refused(reason: "notAccepted"))
    }
}
