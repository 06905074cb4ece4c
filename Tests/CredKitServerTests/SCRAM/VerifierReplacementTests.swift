// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitServer

final class VerifierReplacementTests: SCRAMTestCase {
    private func replacing(
        key: SecretBytes? = nil,
        _ change: (inout SCRAMConfiguration) -> Void = { _ in }
    ) throws -> SCRAMMechanism {
        try mechanism(key: key) {
            $0.statesSubject = true
            $0.replacesLayeredVerifiers = true
            change(&$0)
        }
    }

    private func ticket(_ service: LoginService, _ user: String = "two") async throws -> String? {
        let outcome = try await Self.finish(service, Self.begin(service, user))
        XCTAssertEqual(outcome.decision, .accepted(user: user))
        return outcome.verifierTicket
    }

    private func verifier(_ password: String = "s3cret", iterations: Int = 5000, salt: Int = 16) throws
        -> String
    {
        try SCRAM.Verifier(
            password: password,
            iterations: .fewer(iterations),
            salt: [UInt8](repeating: 3, count: salt)
        )
        .text()
    }

    func testLayeredVerifierIsReplacedOnce() async throws {
        let service = try service(replacing())
        let ticket = try await ticket(service)
        let text = try verifier()
        let now = now
        let decisions = try await withThrowingTaskGroup(of: VerifierReplacement.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    try await service.replaceVerifier(
                        ticket: ticket ?? "",
                        verifier: text,
                        user: "two",
                        at: now
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(decisions.count { $0 == .replaced }, 1)
        XCTAssertEqual(decisions.count { $0 == .invalidTicket }, 63)
        XCTAssertEqual(users.account(named: "two")?.credential.text, text)
        let second = try await Self.begin(service, "two", password: Self.password)
        XCTAssertEqual(second.challenge.subject, .password)
        let outcome = try await Self.finish(service, second)
        XCTAssertEqual(outcome.decision, .accepted(user: "two"))
        XCTAssertNil(outcome.verifierTicket)
        let old = try await logIn(service, "two")
        XCTAssertEqual(old, .rejected)
    }

    func testTicketIsOnlyForUsersWithALayeredVerifierAlone() async throws {
        let service = try service(replacing())
        for user in ["one", "three"] {
            let none = try await ticket(service, user)
            XCTAssertNil(none, user)
        }
        let off = try await ticket(self.service(mechanism { $0.statesSubject = true }))
        XCTAssertNil(off)
    }

    func testTicketIsOfOneUserServiceAndTime() async throws {
        let key = try SecretBytes(randomByteCount: 32)
        let service = try service(replacing(key: key))
        let issued = try await ticket(service)
        let ticket = try XCTUnwrap(issued)
        let text = try verifier()
        let stored = users.account(named: "two")
        let sid = try await Self.begin(service, "two").sid
        let foreign = try await self.ticket(self.service(replacing()))
        var cases = [
            (ticket, "one", 0), (ticket, "twin", 0), (ticket, "", 0), (ticket, "two", 60),
            (ticket, "two", -6),
        ]
        cases += [sid, foreign ?? "", "", "A", ticket + "A"].map { ($0, "two", 0) }
        cases += (0..<ticket.utf8.count).map { (String(ticket.prefix($0)), "two", 0) }
        for (ticket, user, seconds) in cases {
            let decision = try await service.replaceVerifier(
                ticket: ticket,
                verifier: text,
                user: user,
                at: now + .seconds(seconds)
            )
            XCTAssertEqual(decision, .invalidTicket, "\(ticket) \(user) \(seconds)")
        }
        // A service that does not replace refuses the ticket of one that does.
        let off = try await self.service(mechanism(key: key) { $0.statesSubject = true })
            .replaceVerifier(ticket: ticket, verifier: text, user: "two", at: now)
        XCTAssertEqual(off, .invalidTicket)
        XCTAssertEqual(users.account(named: "two"), stored)
        let right = try await service.replaceVerifier(
            ticket: ticket,
            verifier: text,
            user: "two",
            at: now + .seconds(59)
        )
        XCTAssertEqual(right, .replaced)
    }

    func testNewVerifierIsWithinTheLimits() async throws {
        let service = try service(replacing { $0.replacementIterations = 4096...10_000 })
        let issued = try await ticket(service)
        let ticket = try XCTUnwrap(issued)
        let right = try verifier()
        let sha512 = try SCRAM.Verifier(password: "a", hashFunction: .sha512, iterations: .fewer(5000)).text()
        let texts =
            [
                "", "!", Self.equivalent.hex, try verifier(iterations: 10_001), try verifier(salt: 65),
                sha512,
                right.replacingOccurrences(of: "$5000:", with: "$4095:"),
                right.replacingOccurrences(of: "$5000:", with: "$0:"),
                try SCRAM.Verifier(right).text(.dovecot), "$layered-scram$keyid=timestamped-login$" + right,
                right + String(repeating: "A", count: 2000),
                right.replacingOccurrences(of: "AwMDAwMDAwMDAwMDAwMDAw==", with: "AwMD"),
            ] + (0..<right.utf8.count).map { String(right.prefix($0)) }
        for text in texts {
            guard
                case .invalidVerifier = try await service.replaceVerifier(
                    ticket: ticket,
                    verifier: text,
                    user: "two",
                    at: now
                )
            else {
                XCTFail(text)
                continue
            }
        }
        // Nothing of this has used up the ticket.
        let decision = try await service.replaceVerifier(
            ticket: ticket,
            verifier: right,
            user: "two",
            at: now
        )
        XCTAssertEqual(decision, .replaced)
    }

    func testTicketOfACredentialThatHasChangedIsRefused() async throws {
        let service = try service(replacing())
        let ticket = try await ticket(service) ?? ""
        let old = try XCTUnwrap(users.account(named: "two")).credential
        let changed = StoredCredential(SCRAM.Record(try Self.layered(), of: .passwordEquivalent))
        users.replace(old, with: changed, ofAccountNamed: "two")
        let decision = try await service.replaceVerifier(
            ticket: ticket,
            verifier: verifier(),
            user: "two",
            at: now
        )
        XCTAssertEqual(decision, .invalidTicket)
        XCTAssertEqual(users.account(named: "two")?.credential, changed)
    }

    func testFormOfTheRecordStays() async throws {
        let old = try XCTUnwrap(users.account(named: "two")).credential
        let record = SCRAM.Record(try XCTUnwrap(old.verifier), of: .passwordEquivalent, form: .dovecot)
        users.replace(old, with: StoredCredential(record), ofAccountNamed: "two")
        let service = try service(replacing())
        let ticket = try await ticket(service) ?? ""
        let decision = try await service.replaceVerifier(
            ticket: ticket,
            verifier: verifier(),
            user: "two",
            at: now
        )
        XCTAssertEqual(decision, .replaced)
        XCTAssertEqual(users.account(named: "two")?.credential.text.hasPrefix("{SCRAM-SHA-256}5000,"), true)
    }
}
