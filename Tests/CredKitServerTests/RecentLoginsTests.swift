// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import Testing

/// Tickets that say that a session began with a login a short time ago.
@Suite struct RecentLoginsTests {
    private let start = UnixTime(1_800_000_000)
    private let recent: RecentLogins

    init() throws { recent = try RecentLogins() }

    private func login(of user: String) -> LoginResult {
        LoginResult(.accepted(user: user), session: .random())
    }

    @Test func aTicketIsValidForFiveMinutesWithItsSession() throws {
        let result = login(of: "Zoë")
        let session = try #require(result.session).text
        let ticket = try #require(try recent.ticket(of: result, at: start))
        #expect(try recent.user(of: ticket, session: session, at: start) == "Zoë")
        #expect(try recent.user(of: ticket, session: session, at: start + .seconds(299)) == "Zoë")
        #expect(try recent.user(of: ticket, session: session, at: start + .seconds(300)) == nil)
        // A process whose clock is behind by more than servers' clocks may differ.
        #expect(try recent.user(of: ticket, session: session, at: start - .seconds(60)) == nil)
        let other = try #require(login(of: "Zoë").session).text
        for text in [other, "", ticket] {
            #expect(try recent.user(of: ticket, session: text, at: start) == nil)
        }
        for text in ["", ticket + "A", String(ticket.dropLast()), session] {
            #expect(try recent.user(of: text, session: session, at: start) == nil)
        }
    }

    @Test func onlyLoginsWithASessionGetATicket() throws {
        #expect(try recent.ticket(of: LoginResult(.rejected), at: start) == nil)
        #expect(try recent.ticket(of: LoginResult(.codeRequired), at: start) == nil)
        #expect(try recent.ticket(of: LoginResult(.accepted(user: "alice")), at: start) == nil)
    }

    @Test func processesWithTheSameKeyAgree() throws {
        let result = login(of: "alice")
        let session = try #require(result.session).text
        let key = try SecretBytes(randomByteCount: RecentLogins.keyByteCount)
        let ticket = try #require(try RecentLogins(key: key).ticket(of: result, at: start))
        #expect(try RecentLogins(key: key).user(of: ticket, session: session, at: start) == "alice")
        #expect(try recent.user(of: ticket, session: session, at: start) == nil)
        #expect(throws: LoginServerError.self) { try RecentLogins(key: SecretBytes(randomByteCount: 31)) }
    }
}
