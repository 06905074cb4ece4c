// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitServer

final class SCRAMMechanismTests: SCRAMTestCase {
    func testEachStateLogsInByItsMechanisms() async throws {
        let service = try service()
        for (user, old, new) in [
            ("zero", true, false), ("one", true, true), ("two", false, true), ("three", false, true),
            ("hash", false, false), ("sha512", false, false), ("none", false, false), ("nemo", false, false),
        ] {
            let byTime = try await logInWithTime(service, user)
            XCTAssertEqual(byTime, old ? .accepted(user: user) : .rejected, user)
            let byEquivalent = try await logIn(service, user)
            XCTAssertEqual(byEquivalent, new ? .accepted(user: user) : .rejected, user)
            let wrong = try await logIn(service, user, password: "wrong")
            XCTAssertEqual(wrong, .rejected, user)
        }
        // The other form of the same password is another password.
        let layered = try await logIn(service, "two", password: Self.password)
        XCTAssertEqual(layered, .rejected)
        let plain = try await logIn(service, "three", password: Self.equivalent.hex)
        XCTAssertEqual(plain, .rejected)
    }

    func testOneClientFinalCountsOnce() async throws {
        // Two processes with one key and one store of replays.
        let mechanism = try mechanism(key: SecretBytes(randomByteCount: 32))
        let storage = LoginStorage.memory(isFirstStart: true, clock: clock)
        let services = [try service(mechanism, storage: storage), try service(mechanism, storage: storage)]
        let second = try await Self.begin(services[0], "one")
        let outcomes = try await withThrowingTaskGroup(of: LoginResult.self) { group in
            for index in 0..<64 {
                group.addTask { try await Self.finish(services[index % 2], second) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let accepted = outcomes.filter { $0.decision == .accepted(user: "one") }
        XCTAssertEqual(accepted.count, 1)
        XCTAssertNoThrow(try second.final.check(accepted[0].answer ?? ""))
        // A replay says what a wrong password says, and the server's signature is not in it.
        for outcome in outcomes where outcome != accepted[0] {
            XCTAssertEqual(outcome, LoginResult(.rejected, answer: "e=invalid-proof"))
        }
    }

    /// One process accepts a login in its last second. When the clock of another one is 5 s behind, that second comes again.
    func testLoginCountsOnceAmongClocksThatDiffer() async throws {
        let mechanism = try mechanism(key: SecretBytes(randomByteCount: 32))
        let storage = LoginStorage.memory(isFirstStart: true, clock: clock)
        let services = [try service(mechanism, storage: storage), try service(mechanism, storage: storage)]
        let second = try await Self.begin(services[0], "one")
        let first = try await Self.finish(services[0], second, at: now + .seconds(59))
        XCTAssertEqual(first.decision, .accepted(user: "one"))
        for elapsed in 1...6 {
            clock.advance(by: .seconds(1))
            let time = now + .seconds(59 + elapsed - 5)
            let again = try await Self.finish(services[1], second, at: time)
            XCTAssertEqual(again.decision, .rejected, "\(elapsed)")
        }
    }

    func testLoginIsFinishedInTime() async throws {
        let service = try service()
        for (seconds, isRight) in [(-6, false), (-5, true), (59, true), (60, false), (1 << 20, false)] {
            let second = try await Self.begin(service, "one")
            let outcome = try await Self.finish(service, second, at: now + .seconds(seconds))
            XCTAssertEqual(outcome.decision, isRight ? .accepted(user: "one") : .rejected, "\(seconds)")
            // A login that was begun too long ago says nothing of the password.
            XCTAssertEqual(outcome.answer == nil, !isRight)
        }
    }

    /// A table that takes seconds, in which the time to finish a login ends.
    private struct SlowAccounts: LoginAccounts {
        let users: InMemoryAccounts
        let clock: ManualClock

        func account(named name: String) async throws -> LoginAccount? {
            clock.advance(by: .seconds(5))
            return users.account(named: name)
        }

        func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) {}
    }

    func testLoginThatExpiresMeanwhileSaysNothingOfThePassword() async throws {
        let service = try service(accounts: SlowAccounts(users: users, clock: clock))
        let second = try await Self.begin(service, "one")
        let outcome = try await Self.finish(service, second, at: now + .seconds(58))
        XCTAssertEqual(outcome, LoginResult(.rejected))
        let wrong = try await Self.begin(service, "one", password: "wrong")
        let rejected = try await Self.finish(service, wrong, at: now + .seconds(1))
        XCTAssertEqual(rejected, LoginResult(.rejected, answer: "e=invalid-proof"))
    }

    func testForeignSidIsRejected() async throws {
        let key = try SecretBytes(randomByteCount: 32)
        let mechanism = try mechanism(key: key)
        let service = try service(mechanism)
        let second = try await Self.begin(service, "one")
        let other = try await Self.begin(service, "one")
        let foreign = try await Self.begin(self.service(), "one")
        let sha512 = try self.mechanism(key: key, kinds: [.init(hashFunction: .sha512, iterations: 4096)]) {
            $0.hashFunction = .sha512
        }
        guard
            case .challenge(let otherFunction, _) = try await sha512.begin(
                "n,,n=one,r=abc",
                as: .sha512,
                at: now,
                lookup: { [users] in users.account(named: $0) }
            )
        else { return XCTFail("no challenge") }
        let ticket = try self.mechanism(key: key) {
            $0.statesSubject = true
            $0.replacesLayeredVerifiers = true
        }
        .ticket(for: XCTUnwrap(users.account(named: "two")), at: now)
        let texts = [
            "", "A", "=", foreign.sid, otherFunction, try XCTUnwrap(ticket), second.sid + "A",
            second.sid + "=", "é",
            String(repeating: "A", count: 1 << 20),
        ]
        for text in texts {
            let outcome = try await service.finishSCRAM(
                sid: text,
                clientFinal: second.final.message,
                clientAddress: "home",
                at: now
            )
            XCTAssertEqual(outcome, LoginResult(.rejected), text)
        }
        // The sid of another login of the same user has another nonce.
        let mixed = try await service.finishSCRAM(
            sid: other.sid,
            clientFinal: second.final.message,
            clientAddress: "home",
            at: now
        )
        XCTAssertEqual(mixed.decision, .rejected)
        // Under another name than that of the first message, even if that user has the same verifier.
        let twin = try await Self.begin(service, "twin")
        let renamed = try await service.logIn(
            with: SCRAMMechanism.name,
            LoginAttempt(
                username: "two",
                response: twin.final.message,
                clientAddress: "home",
                challenge: twin.sid
            ),
            at: now
        )
        XCTAssertEqual(renamed, .rejected)
        let right = try await service.logIn(
            with: SCRAMMechanism.name,
            LoginAttempt(
                username: "one",
                response: second.final.message,
                clientAddress: "home",
                challenge: second.sid
            ),
            at: now
        )
        XCTAssertEqual(right, .accepted(user: "one"))
    }

    func testEveryCutAndEveryChangeIsRejected() async throws {
        let service = try service(attempts: 100_000)
        let second = try await Self.begin(service, "one")
        let sid = Array(second.sid.utf8)
        let final = Array(second.final.message.utf8)
        for index in sid.indices {
            var changed = sid
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            for bytes in [Array(sid[..<index]), changed] {
                let outcome = try await service.finishSCRAM(
                    sid: String(decoding: bytes, as: UTF8.self),
                    clientFinal: second.final.message,
                    clientAddress: "home",
                    at: now
                )
                XCTAssertEqual(outcome, LoginResult(.rejected), "\(index)")
            }
        }
        for index in final.indices {
            var changed = final
            changed[index] ^= 1
            for bytes in [Array(final[..<index]), changed] {
                let outcome = try await service.finishSCRAM(
                    sid: second.sid,
                    clientFinal: String(decoding: bytes, as: UTF8.self),
                    clientAddress: "home",
                    at: now
                )
                XCTAssertEqual(outcome.decision, .rejected, "\(index)")
                XCTAssertEqual(outcome.answer?.hasPrefix("e="), true)
            }
        }
        let first = Array("n,,n=one,r=abcdef".utf8)
        for count in 0..<first.count {
            let text = String(decoding: first[..<count], as: UTF8.self)
            guard case .challenge = try await service.beginSCRAM(text, as: .sha256, at: now) else { continue }
            // The nonce was cut, which only the client can tell.
            XCTAssertTrue(text.hasPrefix("n,,n=one,r=a"), text)
        }
        // Nothing of this has used up the login.
        let right = try await Self.finish(service, second)
        XCTAssertEqual(right.decision, .accepted(user: "one"))
    }

    func testFirstMessagesAreBounded() async throws {
        let service = try service()
        for text in [
            String(repeating: "n", count: 1 << 20), "n,,n=\(String(repeating: "a", count: 4096)),r=b",
            "n,a=two,n=one,r=b",
            "n,,n=one,r=b,m=c", "p=tls-unique,,n=one,r=b", "n,,n=,r=b", "n,,n=one,r=", "n,,r=b,n=one", "",
        ] {
            guard case .rejected = try await service.beginSCRAM(text, as: .sha256, at: now) else {
                XCTFail(text)
                continue
            }
        }
        let long = "n,,n=\(String(repeating: "a", count: 3000)),r=\(String(repeating: "b", count: 500))"
        guard case .challenge(let sid, _) = try await service.beginSCRAM(long, as: .sha256, at: now) else {
            return XCTFail("a long name was rejected")
        }
        XCTAssertLessThan(sid.utf8.count, SCRAMMechanism.maximumTokenByteCount)
        let outcome = try await service.finishSCRAM(sid: sid, clientFinal: "", clientAddress: "home", at: now)
        XCTAssertEqual(outcome.answer, "e=invalid-encoding")
        let unknown = try await service.beginSCRAM("n,,n=one,r=b", as: .sha512, at: now)
        XCTAssertEqual(unknown, .rejected(.unsupported))
        let none = try await service.beginSCRAM("n,,n=one,r=b", as: .sha256, mechanism: "x", at: now)
        XCTAssertEqual(none, .unknownMechanism)
    }

    func testAttemptsAreLimitedByTheNameOfTheFirstMessage() async throws {
        let service = try service(attempts: 3)
        for _ in 0..<3 { try await logIn(service, "one", password: "wrong") }
        // Beginning counts nothing; finishing does, also for names that do not exist.
        let second = try await Self.begin(service, "one")
        guard case .limited = try await Self.finish(service, second).decision else {
            return XCTFail("not limited")
        }
        let other = try await logIn(service, "two")
        XCTAssertEqual(other, .accepted(user: "two"))
        for _ in 0..<3 { try await logIn(service, "nemo", password: "wrong") }
        guard case .limited = try await Self.finish(service, Self.begin(service, "nemo")).decision else {
            return XCTFail("not limited")
        }
    }

    func testRejectionsAreDelayedAlike() async throws {
        let mechanism = try mechanism()
        let service = try service(mechanism, rejectionInterval: .milliseconds(50))
        let second = try await Self.begin(self.service(mechanism), "one", password: "wrong")
        let (clock, now) = (clock, now)
        for user in ["one", "nemo"] {
            async let answer = service.beginSCRAM("n,,n=\(user),r=abc", as: .sha256, at: now)
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .milliseconds(5))
            guard case .challenge = try await answer else { return XCTFail("no challenge") }
        }
        for sid in [second.sid, "no sid"] {
            async let outcome = service.finishSCRAM(
                sid: sid,
                clientFinal: second.final.message,
                clientAddress: "home",
                at: now
            )
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .milliseconds(50))
            let decision = try await outcome.decision
            XCTAssertEqual(decision, .rejected)
        }
    }

    func testInvalidConfigurationsAreRefused() throws {
        func assertRefused(
            kinds: [SCRAM.MockVerifiers.Kind] = SCRAMTestCase.kinds,
            line: UInt = #line,
            _ change: (inout SCRAMConfiguration) -> Void
        ) {
            XCTAssertThrowsError(try mechanism(kinds: kinds, change), line: line) {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration, line: line)
            }
        }
        assertRefused { $0.lifetime = .zero }
        assertRefused { $0.lifetime = .seconds(601) }
        assertRefused { $0.hashFunction = .sha1 }
        assertRefused { $0.hashFunction = .sha512 }
        assertRefused { $0.replacesLayeredVerifiers = true }
        assertRefused { $0.replacementIterations = 1...600_000 }
        assertRefused { $0.replacementSaltByteCounts = 8...64 }
        assertRefused { $0.binding = .init([], isRequired: true) }
        assertRefused(kinds: []) { _ in }
        assertRefused(kinds: [.init(iterations: 0)]) { _ in }
        XCTAssertThrowsError(try mechanism(key: SecretBytes(randomByteCount: 31)))
    }
}
