// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitSystem
import CredKitTestSupport
import Testing

/// Changes of a password by the old one.
@Suite
struct PasswordChangeTests {
    /// A second step with one code, which can be used any number of times.
    private struct Code: LoginSecondStep {
        static let right = "123456"
        let used = Lock(0)

        func isRequired(for account: LoginAccount) -> Bool { account.name == "alice" }
        func verify(_ code: String, of account: LoginAccount, at now: UnixTime) -> MechanismVerdict {
            used.withLock { $0 += 1 }
            return code == Self.right ? .accepted() : .rejected
        }
    }

    @Test func changeEndsAllOtherSessions() async throws {
        let server = try AccountServer()
        let (mine, other) = (try await server.session(), try await server.session())
        let answer = try await server.change(mine)
        guard case .changed(let token?) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(try await server.user(of: mine) == nil)
        #expect(try await server.user(of: other) == nil)
        #expect(try await server.user(of: token.text) == "alice")
        #expect(try await server.logIn().decision == .rejected)
        #expect(try await server.logIn(AccountServer.new).decision == .accepted(user: "alice"))
        let stored = try #require(try await server.accounts.account(named: "alice")).credential
        #expect(stored.text.hasPrefix("$argon2id$v=19$m=1024,t=1,p=1$"))
        let event = AccountEvent(
            .passwordChanged(by: .oldPassword),
            account: "alice",
            clientAddress: AccountServer.address
        )
        #expect(server.events == ([event] as [AccountEvent]))
        // Nothing prints a secret.
        var printed = ""
        dump(answer, to: &printed)
        #expect(!printed.contains(token.text) && !"\(answer)".contains(token.text))
        #expect("\(event)" == "account passwordChanged")
    }

    @Test func wrongPasswordChangesNothing() async throws {
        let server = try AccountServer()
        let session = try await server.session()
        for wrong in ["wrong password", "", AccountServer.old + "\0", String(repeating: "x", count: 1 << 20)]
        {
            #expect(try await server.change(session, from: wrong) == .wrongPassword)
        }
        #expect(try await server.user(of: session) == "alice")
        #expect(try await server.logIn().decision == .accepted(user: "alice"))
        #expect(
            server.events.map(\.kind) == (Array(repeating: .wrongPassword, count: 4) as [AccountEvent.Kind])
        )
    }

    /// Sessions of others, ended ones, and texts that are none.
    @Test func sessionMustBeOneOfTheAccount() async throws {
        let users = try ["alice", "\u{E9}", "e\u{301}"].map {
            LoginAccount(
                name: $0,
                credential: try StoredCredential(AccountServer.context().hash(AccountServer.old))
            )
        }
        let server = try AccountServer(accounts: InMemoryAccounts(users))
        let session = try await server.session()
        #expect(try await server.change(session, of: "\u{E9}") == .notPermitted)
        #expect(try await server.change("", of: "alice") == .notPermitted)
        #expect(try await server.change(String(repeating: "A", count: 43)) == .notPermitted)
        let composed = try #require(try await server.logIn(as: "\u{E9}").session).text
        // The names are equal as strings of Swift.
        #expect(try await server.change(composed, of: "e\u{301}") == .notPermitted)
        try await server.service.sessions.revoke(session)
        #expect(try await server.change(session) == .notPermitted)
        #expect(server.events.isEmpty)
    }

    /// A thief of a session has no more guesses than one without it, and a refused choice costs the owner none.
    @Test func guessesCountAsLogins() async throws {
        let server = try AccountServer(attempts: 5)
        let session = try await server.session()
        for _ in 0..<20 {
            let answer = try await server.change(session, to: "short")
            #expect(answer == .refused(["the password is shorter than 8 characters"]))
        }
        for _ in 0..<3 { #expect(try await server.change(session, from: "a guess") == .wrongPassword) }
        #expect(try await server.logIn("a guess").decision == .rejected)
        #expect(try await server.logIn("a guess").decision == .rejected)
        guard case .limited(let wait) = try await server.change(session) else {
            Issue.record("the right password was accepted beyond the limit")
            return
        }
        #expect(wait > .zero && wait <= .seconds(3600))
        guard case .limited = try await server.logIn().decision else {
            Issue.record("guesses at a password change did not count for logins")
            return
        }
        // The session is still good for everything else.
        #expect(try await server.user(of: session) == "alice")
    }

    @Test func successForgetsTheAttempts() async throws {
        let server = try AccountServer(attempts: 3)
        let session = try await server.session()
        for _ in 0..<2 { _ = try await server.change(session, from: "a guess") }
        guard case .changed(let token?) = try await server.change(session) else {
            Issue.record("the last attempt was refused")
            return
        }
        for _ in 0..<3 {
            #expect(try await server.change(token.text, from: "a guess") == .wrongPassword)
        }
    }

    @Test(arguments: [
        ("short", "the password is shorter than 8 characters"),
        ("alice-2027", "the password contains the user name and little else"),
        ("Ex4mple!!!", "the password contains the name of the service and little else"),
        ("correct horse", "the password is on a list of common or leaked passwords"),
        (AccountServer.old, "the new password is the old one"),
    ])
    func unsuitablePasswordIsRefused(_ password: String, _ reason: String) async throws {
        let lists = [
            PasswordBlocklist(words: ["correct horse"]), PasswordBlocklist(words: ["correct horse"]),
        ]
        let requirements = PasswordRequirements(minimumLength: 8, blocklists: lists)
        let server = try AccountServer(requirements: requirements)
        let session = try await server.session()
        #expect(try await server.change(session, to: password) == .refused([reason]))
        #expect(try await server.user(of: session) == "alice")
        #expect(server.events.isEmpty)
    }

    @Test func secondStepIsAskedAsAtALogin() async throws {
        let codes = Code()
        let server = try AccountServer(codes: codes)
        let session = try await server.session(code: Code.right)
        #expect(try await server.change(session) == .codeRequired)
        #expect(try await server.change(session, code: "") == .codeRequired)
        let asked = codes.used.withLock { $0 }
        // Without the password, nothing is said about codes.
        #expect(try await server.change(session, from: "a guess") == .wrongPassword)
        #expect(try await server.change(session, from: "a guess", code: Code.right) == .wrongPassword)
        #expect(codes.used.withLock { $0 } == asked)
        #expect(try await server.change(session, code: "000000") == .wrongPassword)
        guard case .changed(let token?) = try await server.change(session, code: Code.right) else {
            Issue.record("the right code was refused")
            return
        }
        let back = try await server.change(
            token.text,
            from: AccountServer.new,
            to: AccountServer.old,
            hasTakenSecondStep: true
        )
        guard case .changed = back else {
            Issue.record("the second step was asked again: \(back)")
            return
        }
    }

    /// No form can send a passkey.
    @Test func userWithPasskeysAloneLogsInAgain() async throws {
        let store = InMemoryPasskeyStore()
        let server = try AccountServer(passkeys: store)
        let session = try await server.session()
        let enrolling = try PasskeyServer(store: store)
        var authenticator = try VirtualAuthenticator()
        try await enrolling.enrol(&authenticator)
        #expect(try await server.change(session, from: "a guess") == .wrongPassword)
        #expect(try await server.change(session) == .notPermitted)
        #expect(try await server.change(session, code: "123456") == .wrongPassword)
        guard case .changed = try await server.change(session, hasTakenSecondStep: true) else {
            Issue.record("a user with a recent login could not change the password")
            return
        }
    }

    @Test func serviceWithoutChangesPermitsNone() async throws {
        let passwords = try PasswordService(context: AccountServer.context())
        let service = try LoginService(
            accounts: InMemoryAccounts(AccountServer.users()),
            mechanisms: [.password(passwords)],
            storage: .memory(isFirstStart: true)
        )
        let token = try #require(try await service.sessions.issue(for: "alice")).text
        let answer = try await service.changePassword(
            ofAccountNamed: "alice",
            from: AccountServer.old,
            to: SecretBytes(AccountServer.new),
            session: token,
            clientAddress: AccountServer.address
        )
        #expect(answer == .notPermitted)
        #expect(try await service.setPassword(withLink: "", to: SecretBytes("")) == .notPermitted)
        let link = try await service.accountLink(.reset, forAccountNamed: "alice", lifetime: .seconds(60))
        #expect(link == nil)
        #expect(try await service.accountLink(reading: "") == nil)
    }

    @Test func configurationMustSuitTheService() throws {
        struct ReadOnly: LoginAccounts {
            func account(named name: String) -> LoginAccount? { nil }
            func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) {}
        }
        let passwords = try PasswordService(context: AccountServer.context())
        let changes = try AccountConfiguration(passwords: passwords)
        #expect(throws: LoginServerError.invalidConfiguration) {
            try LoginService(
                accounts: ReadOnly(),
                mechanisms: [.password(passwords)],
                storage: .memory(),
                accountChanges: changes
            )
        }
        #expect(throws: LoginServerError.invalidConfiguration) {
            try LoginService(
                accounts: InMemoryAccounts([]),
                mechanisms: [.password(passwords), .timestamped(keyPhrase: "itheima")],
                storage: .memory(),
                accountChanges: changes
            )
        }
        #expect(throws: LoginServerError.invalidConfiguration) {
            try AccountConfiguration(key: SecretBytes("short"), passwords: passwords)
        }
    }
}
