// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// What was accepted once is never accepted again, although Redis loses what it has acknowledged.
final class RedisFailoverTests: XCTestCase {
    private static let key = [UInt8](repeating: 7, count: 32)

    /// One of the servers, whose clock may be behind.
    private struct Server {
        let isBehind: Duration
        let store: any ReplayStore

        var now: Duration { .microseconds(SystemClock.microseconds()) - isBehind }

        /// Marks a proof, as ``ReplayGuard`` does.
        func mark(_ proof: Proof) async throws -> ReplayDecision {
            try await store.markUsed(
                proof.key,
                account: proof.key,
                lifetime: proof.validFrom + .seconds(120) - now,
                challengeAge: max(now - proof.validFrom, .zero) + .seconds(1)
            )
        }
    }

    private struct Proof {
        let key: StoreKey
        let validFrom: Duration

        /// A proof whose challenge is half a second old, by a clock that is right.
        init() {
            key = StoreKey("proof", "\(UInt64.random(in: 0 ... .max))")
            validFrom = .microseconds(SystemClock.microseconds()) - .milliseconds(500)
        }
    }

    /// A store that lacks one of the two safeguards.
    private struct PlantedStore: ReplayStore {
        let engine: RedisEngine
        let script: RedisScript

        func markUsed(
            _ key: StoreKey,
            account: StoreKey,
            lifetime: Duration,
            challengeAge: Duration
        ) async throws -> ReplayDecision {
            let use = LoginCompletion.Use(
                key: key,
                account: account,
                lifetime: lifetime,
                challengeAge: challengeAge
            )
            let marks = RedisMarks(engine, perAccountLimit: 64)
            let reply = try await engine.run(
                script,
                keys: marks.keys(of: use),
                marks.arguments(of: use)
            )
            return reply.word == "accepted" ? .accepted : .replayed
        }
    }

    private func engine(
        _ redis: RedisServer,
        permitting difference: Duration = .seconds(5),
        isBehind: Duration = .zero
    ) throws -> RedisEngine {
        RedisEngine(
            BlockingRedisClient(port: redis.port),
            try SharedStateConfiguration(
                key: Self.key,
                permittedClockDifference: difference,
                timeLimit: .seconds(10)
            ),
            clock: EngineClock(permittedDifference: difference) {
                .microseconds(SystemClock.microseconds()) - isBehind
            }
        )
    }

    /// Makes the present history begin long ago, as if the server had run since then.
    private func age(_ redis: RedisServer) async throws {
        let engine = try engine(redis)
        _ = try await Server(isBehind: .zero, store: RedisReplayStore(engine)).mark(Proof())
        try redis.command("HSET", "\(engine.prefix)epoch", "since", "1")
    }

    /// Accepts proofs, of which the replica lacks the last ones: it loses its connection at a random moment.
    private func acceptProofs(_ server: Server, without replica: RedisServer) async throws -> [Proof] {
        var accepted: [Proof] = []
        let moment = Int.random(in: 1...30)
        for count in 0..<60 {
            if count == moment { try disconnect(replica) }
            let proof = Proof()
            let decision = try await server.mark(proof)
            XCTAssertEqual(decision, .accepted)
            accepted.append(proof)
        }
        return accepted
    }

    /// Lets a replica follow a server that does not answer. It keeps what it has.
    private func disconnect(_ replica: RedisServer) throws {
        try replica.command("REPLICAOF", "127.0.0.1", "1")
    }

    /// Waits until a replica has all that its server has.
    private func wait(for replica: RedisServer, of primary: RedisServer) throws {
        func offset(_ redis: RedisServer) throws -> Substring? {
            try redis.command("INFO", "replication").split(whereSeparator: \.isNewline)
                .first { $0.hasPrefix("master_repl_offset:") }
        }
        let end = Date(timeIntervalSinceNow: 20)
        while try offset(replica) != offset(primary) {
            guard Date() < end else { return XCTFail("the replica lags behind") }
        }
    }

    /// Two servers, new ones and a replica that takes over judge as many codes as one server does.
    func testGuessesOfCodesAreCountedAcrossFailovers() async throws {
        var (primary, replica) = (try RedisServer(), try RedisServer())
        try replica.follow(primary)
        var codes = try GuessedCodes()
        for round in 1...4 {
            let servers = try (0..<2).map { _ in RedisRateStore(try engine(primary)) }
            try await codes.guess(2, at: servers)
            XCTAssertEqual(codes.judged, min(4 * round, GuessedCodes.limit))
            try wait(for: replica, of: primary)
            primary.kill()
            try replica.command("REPLICAOF", "NO", "ONE")
            try primary.start()
            try primary.follow(replica)
            swap(&primary, &replica)
        }
    }

    func testNothingIsAcceptedAgainAfterFailovers() async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds =
            environment["CREDKIT_FAILOVER_ROUNDS"].flatMap(Int.init)
            ?? (environment["CREDKIT_DEEP"] == nil ? 4 : 40)
        var (primary, replica) = (try RedisServer(), try RedisServer())
        try replica.follow(primary)
        try await age(primary)
        var all: [Proof] = []
        var lost = 0
        for round in 0..<rounds {
            let usual = Server(isBehind: .zero, store: RedisReplayStore(try engine(primary)))
            let proofs = try await acceptProofs(usual, without: replica)
            all += proofs
            if round.isMultiple(of: 2) { primary.kill() } else { primary.signal(SIGSTOP) }
            try replica.command("REPLICAOF", "NO", "ONE")
            let slow = Server(
                isBehind: .seconds(4),
                store: RedisReplayStore(try engine(replica, isBehind: .seconds(4)))
            )
            for server in [slow, Server(isBehind: .zero, store: RedisReplayStore(try engine(replica)))] {
                for proof in proofs {
                    let decision = try await server.mark(proof)
                    XCTAssertNotEqual(decision, .accepted, "round \(round)")
                    if case .unavailable = decision { lost += 1 }
                }
            }
            if !round.isMultiple(of: 2) {
                primary.signal(SIGCONT)
                primary.kill()
            }
            try primary.start()
            try primary.follow(replica)
            swap(&primary, &replica)
            if round < rounds - 1 { try await age(primary) }
        }
        XCTAssertGreaterThan(lost, rounds, "no proof was lost, so that nothing was shown")
        // Some seconds later, the challenges of the last round are older than the last promotion by the bare clocks.
        let slow = Server(
            isBehind: .seconds(4),
            store: RedisReplayStore(try engine(primary, isBehind: .seconds(4)))
        )
        try await Task.sleep(for: .seconds(6))
        for proof in all.suffix(60) {
            let decision = try await slow.mark(proof)
            XCTAssertNotEqual(decision, .accepted)
        }
        // A new challenge is accepted as soon as it is younger than the history by what clocks may differ.
        let end = ContinuousClock.now + .seconds(20)
        var decision = ReplayDecision.replayed
        while decision != .accepted, ContinuousClock.now < end { decision = try await slow.mark(Proof()) }
        XCTAssertEqual(decision, .accepted)
    }

    /// Without the beginning of the history, the first lost proof is accepted again.
    func testWithoutTheEpochAReplayIsAccepted() async throws {
        let text = RedisReplayStore.script.text
        let planted = text.replacing("if now - age <= since then return 'early', since end", with: "")
        XCTAssertNotEqual(planted, text)
        let repeated = try await repeatsLostProof(after: .zero, permitting: .seconds(5)) {
            PlantedStore(engine: $0, script: RedisScript(name: "planted", text: planted))
        }
        XCTAssertTrue(repeated)
        let again = try await repeatsLostProof(after: .zero, permitting: .seconds(5)) { RedisReplayStore($0) }
        XCTAssertFalse(again)
    }

    /// Without the measured offset, a server whose clock is behind accepts a lost proof again, once it is late enough.
    func testWithoutTheOffsetAReplayIsAccepted() async throws {
        let repeated = try await repeatsLostProof(after: .milliseconds(2700), permitting: .seconds(1)) {
            PlantedStore(
                engine: RedisEngine(
                    $0.runner,
                    try SharedStateConfiguration(
                        key: Self.key,
                        permittedClockDifference: .seconds(1),
                        timeLimit: .seconds(10)
                    )
                ),
                script: RedisReplayStore.script
            )
        }
        XCTAssertTrue(repeated)
        // With it, the clock is found to be wrong, or the challenge to be too old.
        do {
            _ = try await repeatsLostProof(after: .milliseconds(2700), permitting: .seconds(1)) {
                RedisReplayStore($0)
            }
            XCTFail("no error")
        } catch {
            XCTAssertEqual(error as? SharedStateError, SharedStateError(.clocksDiffer))
        }
        let again = try await repeatsLostProof(after: .milliseconds(2700), permitting: .seconds(5)) {
            RedisReplayStore($0)
        }
        XCTAssertFalse(again)
    }

    /// Returns whether a server that is 4 seconds behind accepts a proof again that the promoted replica lacks.
    private func repeatsLostProof(
        after wait: Duration,
        permitting difference: Duration,
        _ store: (RedisEngine) throws -> any ReplayStore
    ) async throws -> Bool {
        let (primary, replica) = (try RedisServer(), try RedisServer())
        // The first replica of a server begins a new history as well.
        try replica.follow(primary)
        try await age(primary)
        try disconnect(replica)
        let proof = Proof()
        let first = try await Server(isBehind: .zero, store: RedisReplayStore(try engine(primary))).mark(
            proof
        )
        XCTAssertEqual(first, .accepted)
        primary.kill()
        try replica.command("REPLICAOF", "NO", "ONE")
        // The first use after the promotion begins the new history.
        let usual = RedisReplayStore(try engine(replica))
        _ = try await Server(isBehind: .zero, store: usual).mark(Proof())
        try await Task.sleep(for: wait)
        let slow = try engine(replica, permitting: difference, isBehind: .seconds(4))
        return try await Server(isBehind: .seconds(4), store: store(slow)).mark(proof) == .accepted
    }

    /// A server whose clock, or whose Redis's clock, is wrong must not begin a history: it would begin too early once the clock is
    /// right.
    func testNoHistoryBeginsByAWrongClock() async throws {
        let redis = try RedisServer()
        for isBehind in [60, -60] {
            let store = RedisReplayStore(try engine(redis, isBehind: .seconds(isBehind)))
            do {
                _ = try await Server(isBehind: .seconds(isBehind), store: store).mark(Proof())
                XCTFail("no error")
            } catch {
                XCTAssertEqual(error as? SharedStateError, SharedStateError(.clocksDiffer))
            }
            XCTAssertEqual(try redis.command("KEYS", "*"), "")
        }
        // By a clock that may be right, it begins when the later one says.
        let ahead = RedisReplayStore(try engine(redis, isBehind: .seconds(-4)))
        _ = try await Server(isBehind: .seconds(-4), store: ahead).mark(Proof())
        let since = try XCTUnwrap(Int64(redis.command("HGET", "{credkit}:epoch", "since")))
        XCTAssertGreaterThan(since, SystemClock.microseconds() + 3_000_000)
    }

    /// A server that is emptied or restarted without its data accepts nothing that was used before.
    func testAnEmptyServerAcceptsNothingOld() async throws {
        let redis = try RedisServer()
        for loss in ["FLUSHALL", "restart"] {
            try await age(redis)
            let server = Server(isBehind: .zero, store: RedisReplayStore(try engine(redis)))
            let proof = Proof()
            let first = try await server.mark(proof)
            XCTAssertEqual(first, .accepted)
            if loss == "restart" {
                redis.kill()
                try redis.start()
            } else {
                try redis.command(loss)
            }
            let other = Server(isBehind: .zero, store: RedisReplayStore(try engine(redis)))
            let second = try await other.mark(proof)
            guard case .unavailable(let wait) = second else { return XCTFail("\(loss): \(second)") }
            XCTAssertTrue((.seconds(5)...(.seconds(8))).contains(wait), "\(wait)")
        }
    }
}
