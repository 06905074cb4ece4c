// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

/// Names that exist and names that do not look alike. Time is measured by the benchmarks.
final class SCRAMUnknownNameTests: SCRAMTestCase {
    private func challenge(_ service: LoginService, _ user: String) async throws -> (
        sid: String, SCRAM.Challenge, String
    ) {
        let client = try SCRAM.Client(username: user)
        guard
            case .challenge(let sid, let text) = try await service.beginSCRAM(
                client.firstMessage,
                as: .sha256,
                at: now
            )
        else { throw SCRAM.Error.rejected }
        return (sid, try client.challenge(from: text), text)
    }

    func testAnswersHaveOneForm() async throws {
        for statesSubject in [false, true] {
            let service = try service(mechanism { $0.statesSubject = statesSubject })
            // Names of one length, because a sid contains the name.
            var forms: Set<String> = []
            for user in ["zero", "hash", "none", "nemo", "oneX"] + ["thre", "twoX"] {
                let (sid, challenge, text) = try await challenge(service, user)
                let names = text.split(separator: ",").map { String($0.prefix(2)) }
                forms.insert("\(names) \(challenge.salt.count) \(text.utf8.count) \(sid.utf8.count)")
                XCTAssertEqual(challenge.subject != nil, statesSubject)
            }
            for user in ["one", "two"] {
                let (sid, challenge, text) = try await challenge(service, user)
                let names = text.split(separator: ",").map { String($0.prefix(2)) }
                let length = Int((Double(sid.utf8.count) * 3 / 4).rounded(.down)) + 1
                let padded = (length * 4 + 2) / 3
                forms.insert("\(names) \(challenge.salt.count) \(text.utf8.count) \(padded)")
            }
            XCTAssertEqual(forms.count, 1, "\(forms)")
        }
    }

    func testSaltsAreStable() async throws {
        // Two processes, one of them restarted, with the same key of mocks.
        let services = [try service(), try service()]
        for user in ["zero", "one", "two", "three", "hash", "sha512", "none", "nemo", "NEMO", ""]
        where !user.isEmpty {
            let first = try await challenge(services[0], user).1
            for service in services {
                let again = try await challenge(service, user).1
                XCTAssertEqual(again.salt, first.salt, user)
                XCTAssertEqual(again.iterations, first.iterations, user)
            }
        }
    }

    func testSpellingsOfOneNameHaveOneSalt() async throws {
        let service = try service(mechanism { $0.normalizingName = { $0.lowercased() } })
        for (left, right) in [("One", "one"), ("Nemo", "nEmO")] {
            let salts = (
                try await challenge(service, left).1.salt, try await challenge(service, right).1.salt
            )
            XCTAssertEqual(salts.0, salts.1)
        }
        let second = try await Self.begin(service, "ONE")
        let outcome = try await Self.finish(service, second)
        XCTAssertEqual(outcome.decision, .accepted(user: "one"))
    }

    func testIterationsAreDistributedAsInTheTable() async throws {
        let kinds: [SCRAM.MockVerifiers.Kind] = [
            .init(iterations: 4096, count: 10), .init(iterations: 15_000, count: 25),
            .init(iterations: 600_000, count: 60), .init(iterations: 600_000, saltByteCount: 32, count: 5),
        ]
        let service = try service(mechanism(kinds: kinds))
        var counts: [String: Int] = [:]
        for number in 0..<10_000 {
            let (_, challenge, _) = try await challenge(service, "user\(number)")
            counts["\(challenge.iterations) \(challenge.salt.count)", default: 0] += 1
        }
        let expected = [("4096 16", 1000.0), ("15000 16", 2500), ("600000 16", 6000), ("600000 32", 500)]
        let chiSquared = expected.reduce(0.0) { sum, entry in
            let difference = Double(counts[entry.0] ?? 0) - entry.1
            return sum + difference * difference / entry.1
        }
        // The 0.999 quantile with 3 degrees of freedom. The key is fixed, so the test does not fail by chance.
        XCTAssertLessThan(chiSquared, 16.27, "\(counts)")
        XCTAssertEqual(counts.count, 4)
    }

    func testKindsOfATableAreCounted() throws {
        let credentials = ["zero", "one", "two", "three", "hash", "sha512", "none"].compactMap {
            users.account(named: $0)?.credential
        }
        XCTAssertEqual(
            SCRAM.MockVerifiers.Kind.counted(in: credentials),
            [
                .init(iterations: 4096, subject: .passwordEquivalent, count: 2),
                .init(iterations: 4096, subject: .password, count: 1),
            ]
        )
        XCTAssertEqual(SCRAM.MockVerifiers.Kind.counted(in: [.unusable]), [])
    }

    func testWrongProofIsAnsweredAlikeForEveryone() async throws {
        let service = try service()
        var outcomes: [LoginResult] = []
        for user in ["zero", "one", "two", "three", "hash", "none", "nemo"] {
            for message in ["", "c=biws,r=x,p=AAAA", "c=eSws,r=x"] {
                let second = try await Self.begin(service, user, password: "wrong")
                outcomes.append(try await Self.finish(service, second))
                outcomes.append(
                    try await service.finishSCRAM(
                        sid: second.sid,
                        clientFinal: message,
                        clientAddress: "home",
                        at: now
                    )
                )
            }
        }
        let number = outcomes.count / 7
        for index in outcomes.indices { XCTAssertEqual(outcomes[index], outcomes[index % number]) }
    }
}
