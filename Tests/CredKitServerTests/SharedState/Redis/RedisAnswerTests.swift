// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitServer

/// Answers that no script gives are errors, and never a decision.
final class RedisAnswerTests: XCTestCase {
    /// A client whose server answers as a test tells it.
    private struct Scripted: RedisScriptRunner {
        let answer: RedisValue

        func run(
            _ script: RedisScript,
            keys: [String],
            arguments: [[UInt8]],
            within timeLimit: Duration
        ) async throws -> RedisValue { answer }
    }

    private static let now = RedisValue.integer(SystemClock.microseconds())

    private func storage(_ answer: RedisValue) throws -> (LoginStorage, RedisCounterStore) {
        let configuration = try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32))
        let engine = RedisEngine(Scripted(answer: answer), configuration)
        let storage = LoginStorage(
            challenges: RedisChallengeStore(engine),
            replays: RedisReplayStore(engine),
            rates: RedisRateStore(engine),
            sessions: RedisSessionStore(engine),
            completions: RedisCompletionStore(engine)
        )
        return (storage, RedisCounterStore(engine.runner, configuration: configuration))
    }

    /// Calls everything, and returns what was answered in place of an error.
    private func answers(to answer: RedisValue) async throws -> [String] {
        let (storage, counters) = try storage(answer)
        let key = StoreKey("k")
        let limits = SessionLimits()
        let completion = LoginCompletion(
            use: .init(key: key, account: key, lifetime: .seconds(60), challengeAge: .zero),
            attempts: key,
            session: .init(key: key, user: "alice", limits: limits)
        )
        let calls: [(String, () async throws -> Any?)] = [
            (
                "mark",
                {
                    try await storage.replays.markUsed(
                        key,
                        account: key,
                        lifetime: .seconds(60),
                        challengeAge: .zero
                    )
                }
            ),
            ("complete", { try await storage.completions?.complete(completion) }),
            (
                "finish",
                {
                    try await storage.completions?.complete(.init(use: nil, attempts: key, session: nil))
                }
            ),
            ("charge", { try await storage.rates.charge([RateCharge(key, limit: .standardPerAccount)]) }),
            ("reset", { try await storage.rates.reset(key) }),
            ("create", { try await storage.sessions.create(key, of: "alice", limits: limits) }),
            ("use", { try await storage.sessions.user(of: key) }),
            ("revoke", { try await storage.sessions.revoke(key) }),
            ("revoke all", { try await storage.sessions.revokeAll(of: "alice") }),
            ("revoke others", { try await storage.sessions.revokeOthers(of: "alice", retaining: key) }),
            ("list sessions", { try await storage.sessions.sessions(of: "alice") }),
            (
                "remember",
                {
                    try await storage.challenges.remember(
                        "c",
                        of: key,
                        lifetime: .seconds(1),
                        perClientLimit: 1
                    )
                }
            ),
            ("list", { try await storage.challenges.challenges(of: key) }),
            ("consume", { try await storage.challenges.consume("c", of: key) }),
            ("counter", { try await counters.counter(of: "alice") }),
            ("advance", { try await counters.advance(to: 1, of: "alice") }),
        ]
        var answered: [String] = []
        for (name, call) in calls {
            do {
                _ = try await call()
                answered.append(name)
            } catch let error as SharedStateError {
                XCTAssertTrue([.malformedAnswer, .clocksDiffer].contains(error.code), "\(name): \(error)")
            }
        }
        return answered
    }

    private func list(_ word: String, _ rest: RedisValue...) -> RedisValue {
        .array([Self.now, .bytes(Array(word.utf8))] + rest)
    }

    func testMalformedAnswersAreErrors() async throws {
        for answer in [
            .null, .integer(1), .bytes(Array("accepted".utf8)), .array([]), .array([Self.now]),
            .array([.bytes(Array("1".utf8)), .bytes(Array("accepted".utf8))]),
            .array([.null, .bytes(Array("accepted".utf8)), .integer(1)]),
            .array([.integer(0), .bytes(Array("accepted".utf8)), .integer(0)]),
            .array([.integer(.max), .bytes(Array("accepted".utf8)), .integer(0)]),
            .array([.integer(.min), .bytes(Array("accepted".utf8)), .integer(.min)]),
            .array([Self.now, .integer(1)]), .array([Self.now, .array([])]), list(""), list("Accepted"),
            list("accepted "), list("unknown", .integer(1)), .array([Self.now, .bytes([0xFF])]),
        ] as [RedisValue] {
            let answered = try await answers(to: answer)
            XCTAssertEqual(answered, [], "\(answer)")
        }
    }

    /// Each word is an answer to its own scripts alone, and only with what belongs to it.
    func testWordsAreBoundToTheirScripts() async throws {
        let old = RedisValue.integer(1)
        let sessionKey = RedisValue.bytes([UInt8](repeating: 7, count: 32))
        let longDigits = RedisValue.bytes(Array(repeating: UInt8(ascii: "9"), count: 20))
        for (answer, expected) in [
            (list("accepted", old), ["mark", "complete", "finish"]), (list("accepted"), ["finish"]),
            (list("accepted", .null), ["finish"]), (list("accepted", .bytes([0x31])), ["finish"]),
            (list("replayed", old), ["mark", "complete"]), (list("early", old), ["mark", "complete"]),
            (list("full", old), ["mark", "complete"]), (list("full"), []), (list("allowed"), ["charge"]),
            (list("limited", .integer(5)), ["charge"]), (list("limited"), []), (list("reset"), ["reset"]),
            (list("created"), ["create"]), (list("none"), ["use", "consume", "counter"]),
            (list("user", .bytes(Array("alice".utf8))), ["use"]), (list("user"), []),
            (list("user", .bytes([0xFF])), []), (list("revoked"), ["revoke", "revoke all", "revoke others"]),
            (list("sessions"), ["list sessions"]),
            (list("sessions", sessionKey, old, old), ["list sessions"]),
            (list("sessions", sessionKey, old), []), (list("sessions", old, old, old), []),
            (list("sessions", .bytes([1]), old, old), []), (list("sessions", .null, old, old), []),
            (list("sessions", sessionKey, old, sessionKey), []),
            (list("remembered"), ["remember"]), (list("challenges"), ["list"]),
            (list("challenges", .bytes([0xFF])), []), (list("challenges", .integer(1)), []),
            (list("consumed"), ["consume"]), (list("counter", longDigits), []),
            (list("counter", .bytes(Array("00000000000000000007".utf8))), ["counter"]),
            (list("counter", .bytes(Array("7".utf8))), []),
            (list("counter", .bytes(Array("+0000000000000000007".utf8))), []),
            (list("advanced"), ["advance"]), (list("kept"), ["advance"]),
        ] as [(RedisValue, [String])] {
            let answered = try await answers(to: answer)
            XCTAssertEqual(answered, expected, "\(answer)")
        }
    }

    /// An answer that accepts a proof is not believed if its own time shows that the challenge is too old.
    func testAnAcceptedProofIsCheckedAgainstTheAnswer() async throws {
        let now = Duration.microseconds(SystemClock.microseconds())
        for (begin, isAccepted) in [(60, true), (6, true), (4, false), (0, false), (-60, false)]
            as [(Int, Bool)]
        {
            let since = RedisValue.integer((now - .seconds(begin)).microseconds)
            let (storage, _) = try storage(list("accepted", since))
            let decision = try await storage.replays.markUsed(
                StoreKey("k"),
                account: StoreKey("k"),
                lifetime: .seconds(60),
                challengeAge: .zero
            )
            XCTAssertEqual(decision == .accepted, isAccepted, "\(begin): \(decision)")
        }
    }
}
