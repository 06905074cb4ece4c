// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitTestSupport
import CredKitTesting
import Testing

/// Links with which users choose a password.
@Suite
struct AccountLinkTests {
    private let start = AccountServer.start

    @Test(arguments: AccountLink.Purpose.allCases)
    func linkSetsAPasswordOnce(_ purpose: AccountLink.Purpose) async throws {
        let server = try AccountServer()
        let name = purpose == .invitation ? "carol" : "alice"
        let text = try await server.link(purpose, for: name)
        let read = try #require(try await server.service.accountLink(reading: text, at: start))
        #expect(read.accountName == name && read.purpose == purpose && read.expiry == start + .seconds(3600))
        #expect(try await server.set(text) == .changed(nil))
        #expect(try await server.logIn(AccountServer.new, as: name).decision == .accepted(user: name))
        #expect(try await server.set(text, to: "another new password") == .notPermitted)
        #expect(try await server.service.accountLink(reading: text, at: start) == nil)
        #expect(try await server.logIn(AccountServer.new, as: name).decision == .accepted(user: name))
        let expected = [
            AccountEvent(.linkMade(purpose), account: name),
            AccountEvent(.passwordChanged(by: .link), account: name, clientAddress: AccountServer.address),
        ]
        #expect(server.events == (expected as [AccountEvent]))
    }

    /// A mail scanner, which follows each link, and a user who types a password that is refused.
    @Test func readingAndRefusalsUseUpNothing() async throws {
        let server = try AccountServer()
        let text = try await server.link()
        for _ in 0..<20 { #expect(try await server.service.accountLink(reading: text, at: start) != nil) }
        #expect(
            try await server.set(text, to: "short") == .refused(["the password is shorter than 8 characters"])
        )
        #expect(try await server.set(text) == .changed(nil))
    }

    @Test func resetEndsAllSessionsAndForgetsAttempts() async throws {
        let server = try AccountServer(attempts: 3)
        let (one, two) = (try await server.session(), try await server.session())
        for _ in 0..<3 { _ = try await server.logIn("a guess") }
        guard case .limited = try await server.logIn().decision else {
            Issue.record("there is no limit")
            return
        }
        #expect(try await server.set(try await server.link()) == .changed(nil))
        for session in [one, two] { #expect(try await server.user(of: session) == nil) }
        #expect(try await server.logIn(AccountServer.new).decision == .accepted(user: "alice"))
    }

    /// Another link, a change by the user, a lock, and the removal of the account.
    @Test func anotherCredentialEndsTheLink() async throws {
        let server = try AccountServer()
        let (first, second) = (try await server.link(), try await server.link(.invitation))
        #expect(try await server.set(first) == .changed(nil))
        #expect(try await server.set(second) == .notPermitted)

        let third = try await server.link()
        let session = try await server.session(AccountServer.new)
        _ = try await server.change(session, from: AccountServer.new, to: AccountServer.old)
        #expect(try await server.set(third) == .notPermitted)

        let fourth = try await server.link()
        let stored = try #require(try await server.accounts.account(named: "alice")).credential
        #expect(try await server.accounts.set(.unusable, inPlaceOf: stored, ofAccountNamed: "alice"))
        #expect(try await server.set(fourth) == .notPermitted)
        #expect(try await server.logIn().decision == .rejected)
        // A link that an operator makes for the locked account opens it.
        let fifth = try await server.link()
        #expect(try await server.accounts.remove(accountNamed: "alice"))
        #expect(try await server.set(fifth) == .notPermitted)
        #expect(
            try await server.service.accountLink(.reset, forAccountNamed: "alice", lifetime: .seconds(60))
                == nil
        )
    }

    /// A used invitation does not open an account that is locked with the same mark.
    @Test func usedInvitationDoesNotOpenALockedAccount() async throws {
        let server = try AccountServer()
        let text = try await server.link(.invitation, for: "carol")
        #expect(try await server.set(text) == .changed(nil))
        let stored = try #require(try await server.accounts.account(named: "carol")).credential
        #expect(try await server.accounts.set(.unusable, inPlaceOf: stored, ofAccountNamed: "carol"))
        #expect(try await server.set(text) == .notPermitted)
        #expect(try await server.logIn(AccountServer.new, as: "carol").decision == .rejected)
    }

    @Test func linkExpires() async throws {
        let server = try AccountServer()
        let text = try await server.link(lifetime: .seconds(60))
        #expect(try await server.service.accountLink(reading: text, at: start + .seconds(59)) != nil)
        #expect(try await server.service.accountLink(reading: text, at: start + .seconds(60)) == nil)
        #expect(try await server.set(text, at: start + .seconds(60)) == .notPermitted)
        // Made by a server whose clock is far ahead.
        #expect(try await server.set(text, at: start - .seconds(6)) == .notPermitted)
        #expect(try await server.set(text, at: start - .seconds(5)) == .changed(nil))
        for lifetime in [.zero, .seconds(59), .seconds(7 * 86_400 + 1), .seconds(Int64.max)] as [Duration] {
            await #expect(throws: LoginServerError.invalidConfiguration) {
                try await server.service.accountLink(.reset, forAccountNamed: "alice", lifetime: lifetime)
            }
        }
    }

    @Test func otherTextsAreNoLinks() async throws {
        let server = try AccountServer()
        let text = try await server.link()
        let other = try AccountConfiguration(
            key: SecretBytes([UInt8](repeating: 8, count: 32)),
            passwords: server.passwords
        )
        let foreign = try other.links.seal(
            TokenContent(time: start, texts: ["reset", "alice", "3600", "x"]).bytes
        )
        let passkeys = try PasskeyServer(key: [UInt8](repeating: 7, count: 32))
        let enrolling = try #require(
            try await passkeys.service.makePasskeyLink(forAccountNamed: "alice", at: start)
        )
        var changed = Array(text.utf8)
        changed[changed.count / 2] = changed[changed.count / 2] == 0x41 ? 0x42 : 0x41
        let others = [
            "", "alice", String(text.dropLast()), text + "A", text + "\0", String(text.reversed()),
            String(decoding: changed, as: UTF8.self), foreign, enrolling,
            String(repeating: "A", count: 1 << 20),
        ]
        for other in others {
            #expect(try await server.service.accountLink(reading: other, at: start) == nil)
            #expect(try await server.set(other) == .notPermitted)
        }
        #expect(try await server.set(text) == .changed(nil))
    }

    @Test func namesAreComparedAsBytes() async throws {
        let names = ["\u{E9}", "e\u{301}", "alice\0", "alice", "alice "]
        let users = names.map { LoginAccount(name: $0, credential: .unusable) }
        let server = try AccountServer(accounts: InMemoryAccounts(users))
        for (index, name) in names.enumerated() {
            let text = try await server.link(.invitation, for: name)
            #expect(try await server.set(text, to: "the password number \(index)") == .changed(nil))
        }
        for (index, name) in names.enumerated() {
            let login = try await server.logIn("the password number \(index)", as: name)
            guard case .accepted(let user) = login.decision else {
                Issue.record("\(name.debugDescription): \(login.decision)")
                continue
            }
            #expect(Array(user.utf8) == (Array(name.utf8) as [UInt8]))
        }
    }

    /// A table that answers with an account of another name, as one that ignores case does.
    @Test func accountMustHaveTheName() async throws {
        let server = try AccountServer()
        let link = try await server.service.accountLink(
            .reset,
            forAccountNamed: "Alice",
            lifetime: .seconds(60),
            at: start
        )
        #expect(link == nil)
    }

    /// One link at many requests at once, and many links of one state of the account.
    @Test(arguments: [false, true])
    func oneOfManyUsesSetsThePassword(_ hasManyLinks: Bool) async throws {
        let server = try AccountServer()
        let first = try await server.link()
        let answers = try await withThrowingTaskGroup(of: PasswordChange.self) { group in
            for index in 0..<8 {
                let link: String
                if hasManyLinks { link = try await server.link() } else { link = first }
                group.addTask { try await server.set(link, to: "new password number \(index)") }
            }
            return try await group.reduce(into: [PasswordChange]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == .changed(nil) } == 1)
        #expect(answers.count { $0 == .notPermitted } == 7)
    }

    /// A store that was started again cannot know whether the link was used: the credential shows that it was not.
    @Test func linkOutlivesItsStores() async throws {
        let accounts = InMemoryAccounts(try AccountServer.users())
        let server = try AccountServer(accounts: accounts)
        let text = try await server.link()
        let restarted = try AccountServer(
            accounts: accounts,
            storage: .memory(),
            at: start + .seconds(60)
        )
        let time = start + .seconds(60)
        let answers = try await withThrowingTaskGroup(of: PasswordChange.self) { group in
            for index in 0..<8 {
                let used = index % 2 == 0 ? server : restarted
                group.addTask { try await used.set(text, to: "new password number \(index)", at: time) }
            }
            return try await group.reduce(into: [PasswordChange]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == .changed(nil) } == 1)
        #expect(answers.count { $0 == .notPermitted } == 7)
        #expect(try await restarted.set(text, at: time) == .notPermitted)
        #expect(try await restarted.logIn(at: time).decision == .rejected)
    }

    /// A table that cannot be written for a while, such as a file that another program has locked.
    @Test func linkStaysValidWhenNothingIsStored() async throws {
        struct Locked: Error {}
        let accounts = InterruptedAccounts(try AccountServer.users())
        let server = try AccountServer(accounts: accounts)
        for name in ["alice", "carol"] {
            let text = try await server.link(for: name)
            for _ in 0..<2 {
                accounts.beforeChange { throw Locked() }
                await #expect(throws: LoginServerError.storeFailed) { try await server.set(text) }
            }
            #expect(try await server.set(text) == .changed(nil))
            #expect(try await server.set(text) == .notPermitted)
            // The credential from before does not revive it.
            let stored = try #require(accounts.account(named: name)).credential
            #expect(try await accounts.set(.unusable, inPlaceOf: stored, ofAccountNamed: name))
            #expect(try await server.set(text) == .notPermitted)
        }
    }

    /// A password that the policy cannot hash is refused before the link is used up.
    @Test func passwordThatCannotBeHashedIsRefused() async throws {
        let policy = PasswordPolicy(preferred: try .bcrypt(cost: 4))
        let passwords = try PasswordService(context: PasswordContext(policy: policy))
        let server = try AccountServer(passwords: passwords)
        let text = try await server.link(.invitation, for: "carol")
        guard case .refused(let reasons) = try await server.set(text, to: "a password with \0 in it") else {
            Issue.record("a password with NUL was accepted")
            return
        }
        #expect(reasons.count == 1)
        #expect(try await server.set(text) == .changed(nil))
    }
}
