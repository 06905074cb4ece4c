// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import Testing

/// Logins in two steps, between which a ticket stands for the password.
@Suite
struct LoginTicketTests {
    /// A step with the code 123456, which can be used again.
    private struct Step: LoginSecondStep {
        func isRequired(for account: LoginAccount) -> Bool { true }

        func verify(_ code: String, of account: LoginAccount, at now: UnixTime) -> MechanismVerdict {
            code == "123456" ? .accepted() : .rejected
        }
    }

    private let start = UnixTime(1_800_000_000)
    private let tickets: LoginTickets
    private let service: LoginService

    init() throws {
        tickets = try LoginTickets()
        service = try Self.service(tickets)
    }

    private static func service(_ tickets: LoginTickets, revision: StoreKey? = nil) throws -> LoginService {
        let credential = try StoredCredential("$1$abc$dPsF0HDVjaO430ypNfqhr.")
        let accounts = ["alice", "bob"].map {
            LoginAccount(name: $0, credential: credential, revision: revision)
        }
        var configuration = LoginConfiguration()
        configuration.rejectionInterval = .zero
        return try LoginService(
            accounts: InMemoryAccounts(accounts),
            mechanisms: [
                TicketIssuingMechanism(PasswordService(context: PasswordContext()), tickets: tickets),
                TicketMechanism(tickets),
            ],
            storage: .memory(isFirstStart: true),
            configuration: configuration,
            secondStep: Step(),
            startedAt: UnixTime(1_800_000_000)
        )
    }

    /// Sends the password, and returns the ticket.
    private func ticket(_ password: String = "s3cret") async throws -> String? {
        let attempt = LoginAttempt(
            username: "alice",
            response: password,
            clientAddress: "192.0.2.1",
            challenge: "browser"
        )
        let result = try await service.logInReturningAnswer(
            with: TicketIssuingMechanism.name,
            attempt,
            issuingSession: true,
            at: start
        )
        #expect(result.session == nil)
        return result.answer
    }

    private func result(
        _ ticket: String,
        code: String? = "123456",
        user: String = "alice",
        binding: String = "browser",
        after time: Duration = .zero,
        at service: LoginService? = nil
    ) async throws -> LoginResult {
        let attempt = LoginAttempt(
            username: user,
            response: ticket,
            clientAddress: "192.0.2.1",
            challenge: binding,
            code: code
        )
        return try await (service ?? self.service).logInReturningAnswer(
            with: TicketMechanism.name,
            attempt,
            issuingSession: true,
            at: start + time
        )
    }

    @Test func ticketAndCodeLogInOnce() async throws {
        let ticket = try #require(try await self.ticket())
        #expect(try tickets.username(of: ticket, at: start) == "alice")
        let first = try await self.result(ticket)
        #expect(first.decision == .accepted(user: "alice"))
        #expect(first.session != nil)
        let second = try await self.result(ticket)
        #expect(second.decision == .rejected)
        #expect(second.answer == TicketMechanism.invalidTicket)
    }

    @Test func wrongPasswordsGetNoTicket() async throws {
        #expect(try await self.ticket("wrong") == nil)
    }

    @Test func wrongAndMissingCodesUseATicketUp() async throws {
        for (code, decision) in [("000000", LoginDecision.rejected), (nil, .codeRequired)]
            as [(String?, LoginDecision)]
        {
            let ticket = try #require(try await self.ticket())
            let wrong = try await self.result(ticket, code: code)
            #expect(wrong.decision == decision)
            #expect(wrong.answer == nil)
            #expect(try await self.result(ticket).answer == TicketMechanism.invalidTicket)
            let renewed = try #require(try tickets.renewed(ticket, at: start))
            #expect(try await self.result(renewed).decision == .accepted(user: "alice"))
        }
    }

    @Test func ticketsExpireAlsoWhenRenewed() async throws {
        let ticket = try #require(try await self.ticket())
        let renewed = try #require(try tickets.renewed(ticket, at: start + .seconds(299)))
        #expect(try tickets.renewed(ticket, at: start + .seconds(300)) == nil)
        for text in [ticket, renewed] {
            #expect(try await self.result(text, after: .seconds(300)).answer == TicketMechanism.invalidTicket)
        }
        #expect(try await self.result(renewed, after: .seconds(299)).decision == .accepted(user: "alice"))
    }

    /// A process whose clock is 5 seconds behind accepts a ticket for as much longer.
    @Test func usedTicketsAreRememberedForClocksThatAreBehind() async throws {
        let ticket = try #require(try await self.ticket())
        let content = try #require(try tickets.open(ticket, at: start))
        let use = content.use(at: start + .seconds(299))
        #expect(use.validFrom == start.seconds - 5)
        #expect(use.lifetime == .seconds(7))
    }

    @Test func ticketsOfOtherUsersBrowsersServersAndCredentialsAreInvalid() async throws {
        let ticket = try #require(try await self.ticket())
        let changed = try Self.service(tickets, revision: StoreKey("a new key"))
        let foreign = try Self.service(LoginTickets())
        for result in [
            try await self.result(ticket, user: "bob"), try await self.result(ticket, user: "nemo"),
            try await self.result(ticket, binding: "other"), try await self.result(ticket, at: changed),
            try await self.result(ticket, at: foreign), try await self.result(""),
            try await self.result(ticket + "A"),
            try await self.result(String(ticket.dropLast())),
        ] {
            #expect(result.decision == .rejected)
            #expect(result.answer == TicketMechanism.invalidTicket)
            #expect(result.session == nil)
        }
        // None of them has used it up.
        #expect(try await self.result(ticket).decision == .accepted(user: "alice"))
    }

    @Test func keysHave32Bytes() throws {
        #expect(throws: LoginServerError.invalidConfiguration) {
            try LoginTickets(key: SecretBytes([1, 2, 3] as [UInt8]))
        }
    }
}
