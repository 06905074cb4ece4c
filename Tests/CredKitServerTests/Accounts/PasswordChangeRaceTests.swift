// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitSystem
import CredKitTestSupport
import Dispatch
import Testing

/// Changes of a password beside logins, other changes, and computations.
@Suite
struct PasswordChangeRaceTests {
    private struct Failure: Error {}

    /// A hash that a login renews at the same time stays, and so does a password that was changed.
    @Test func otherChangeIsAConflict() async throws {
        let accounts = InterruptedAccounts(try AccountServer.users())
        let server = try AccountServer(accounts: accounts)
        let session = try await server.session()
        let third = try StoredCredential(AccountServer.context().hash("a third password"))
        let old = try #require(accounts.account(named: "alice")).credential
        accounts.beforeChange {
            let isChanged = try await accounts.set(third, inPlaceOf: old, ofAccountNamed: "alice")
            #expect(isChanged)
        }
        #expect(try await server.change(session) == .conflict)
        #expect(try await server.logIn("a third password").decision == .accepted(user: "alice"))
        #expect(server.events.isEmpty)
        accounts.beforeChange { _ = accounts.remove(accountNamed: "alice") }
        let next = try await server.session("a third password")
        #expect(try await server.change(next, from: "a third password") == .conflict)
        #expect(accounts.account(named: "alice") == nil)
    }

    /// What the table has stored ends the sessions, also if its answer is lost.
    @Test func failingTableEndsTheSessionsNevertheless() async throws {
        let accounts = InterruptedAccounts(try AccountServer.users())
        let server = try AccountServer(accounts: accounts)
        let session = try await server.session()
        accounts.failAfterChanges(with: Failure())
        await #expect(throws: LoginServerError.storeFailed) { try await server.change(session) }
        #expect(try await server.user(of: session) == nil)
        #expect(try await server.logIn(AccountServer.new).decision == .accepted(user: "alice"))
    }

    /// A login with the old password is decided while the password changes: no session of it is left.
    @Test func loginWithTheOldPasswordLeavesNoSession() async throws {
        let accounts = InterruptedAccounts(try AccountServer.users())
        let server = try AccountServer(accounts: accounts)
        let rounds = TestForm.isDeep ? 200 : 20
        var (old, new) = (AccountServer.old, AccountServer.new)
        for round in 0..<rounds {
            let session = try await server.session(old)
            let (password, other) = (old, new)
            let (answer, tokens) = try await withThrowingTaskGroup(of: (PasswordChange?, SessionToken?).self)
            {
                group in
                for _ in 0..<4 { group.addTask { (nil, try await server.logIn(password).session) } }
                group.addTask { (try await server.change(session, from: password, to: other), nil) }
                return try await group.reduce(into: (PasswordChange?.none, [SessionToken]())) {
                    result,
                    next in
                    result.0 = result.0 ?? next.0
                    if let token = next.1 { result.1.append(token) }
                }
            }
            guard case .changed(let token?) = answer else {
                Issue.record("round \(round): \(String(describing: answer))")
                return
            }
            #expect(try await server.user(of: token.text) == "alice")
            for token in tokens { #expect(try await server.user(of: token.text) == nil, "round \(round)") }
            let left = try await server.service.sessions.sessions(of: "alice", current: token.text)
            #expect(left.map(\.isCurrent) == ([true] as [Bool]), "round \(round)")
            swap(&old, &new)
        }
    }

    /// Two changes with the same old password: one is stored, and only its session is left.
    @Test func oneOfManyChangesIsStored() async throws {
        let server = try AccountServer()
        var sessions: [String] = []
        for _ in 0..<8 { sessions.append(try await server.session()) }
        let all = sessions
        let answers = try await withThrowingTaskGroup(of: (String, PasswordChange).self) { group in
            for (index, session) in all.enumerated() {
                let new = "new password number \(index)"
                group.addTask { (new, try await server.change(session, to: new)) }
            }
            return try await group.reduce(into: [(String, PasswordChange)]()) { $0.append($1) }
        }
        var changed: [String] = []
        for (new, answer) in answers {
            switch answer {
            case .changed: changed.append(new)
            case .conflict, .wrongPassword, .notPermitted: break
            default: Issue.record("\(answer)")
            }
        }
        #expect(changed.count == 1)
        let left = try await server.service.sessions.sessions(of: "alice", current: nil)
        #expect(left.count == 1)
        #expect(try await server.logIn(try #require(changed.first)).decision == .accepted(user: "alice"))
    }

    /// Hashes are computed in the queue of the service, and what has no place there is refused.
    @Test func busyServiceComputesNothing() async throws {
        var configuration = PasswordService.Configuration()
        configuration.concurrency = 1
        configuration.queueLimit = 0
        let passwords = try PasswordService(
            context: AccountServer.context(),
            configuration: configuration
        )
        let server = try AccountServer(passwords: passwords)
        let session = try await server.session()
        let link = try await server.link()
        let (entered, started) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let blocker = Task {
            try await passwords.run(ComputationQueue.Job(memory: 0, seconds: 0.001, client: nil)) { _ in
                started.finish()
                gate.wait()
            }
        }
        for await _ in entered {}
        #expect(try await server.change(session) == .unavailable(.seconds(2)))
        #expect(try await server.set(link) == .unavailable(.seconds(2)))
        gate.signal()
        try await blocker.value
        // Nothing was used up.
        #expect(try await server.set(link) == .changed(nil))
    }
}
