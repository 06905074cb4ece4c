// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitSystem
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// A primary that dies or freezes before its standby has everything.
final class PostgreSQLFailoverTests: XCTestCase {
    /// What was used, and when its challenge was issued, by the true time.
    private struct Proof: Sendable {
        let name: String
        let issued: Duration

        var key: StoreKey { StoreKey(name) }

        /// The use as a server sees it.
        func use(by clock: EngineClock) -> LoginCompletion.Use {
            .init(
                key: key,
                account: StoreKey("account", name),
                lifetime: .seconds(60),
                challengeAge: max(clock.now - issued, .zero) + .seconds(1)
            )
        }
    }

    private static func now() -> Duration { .microseconds(SystemClock.microseconds()) }

    private static func clock(behind: Duration) -> EngineClock {
        EngineClock(permittedDifference: .seconds(5)) { now() - behind }
    }

    private func mark(_ proof: Proof, in engine: SQLEngine) async throws -> ReplayDecision {
        try await Self.mark(proof, in: engine)
    }

    private static func mark(_ proof: Proof, in engine: SQLEngine) async throws -> ReplayDecision {
        let use = proof.use(by: engine.clock)
        return try await PostgreSQLReplayStore(engine).markUsed(
            use.key,
            account: use.account,
            lifetime: use.lifetime,
            challengeAge: use.challengeAge
        )
    }

    /// Marks a proof as a store would that does not increase the age.
    private func markWithoutOffset(_ proof: Proof, in engine: SQLEngine) async throws -> Bool {
        let use = proof.use(by: engine.clock)
        var parameters = SQLMarks(engine, perAccountLimit: 64).parameters(of: use)
        parameters[4] = .microseconds(use.challengeAge)
        return try await engine.call(.mark, returning: 2, parameters).row()[0] == .text("accepted")
    }

    /// By turns, the primary is killed and frozen, each at a random moment while four tasks log in.
    func testNothingIsAcceptedTwiceAfterAFailover() async throws {
        let rounds = ProcessInfo.processInfo.environment["CREDKIT_FAILOVER_ROUNDS"].flatMap { Int($0) }
        let cluster = try PostgreSQLServer(settings: ["fsync": "on"])
        try cluster.createRole()
        try cluster.run(SQLSchema(configuration(.seconds(10))).script(role: "app"))
        cluster.shutDown()
        for round in 0..<(rounds ?? 2) {
            try await runRound(cluster, freezing: round % 2 == 1, withControls: round < 2)
        }
    }

    /// Two servers, a primary that is killed at once and a standby that takes over judge as many codes as one server does.
    func testGuessesOfCodesAreCountedAcrossFailovers() async throws {
        let cluster = try PostgreSQLServer(settings: ["fsync": "on"])
        try cluster.createRole()
        try cluster.run(SQLSchema(configuration(.seconds(10))).script(role: "app"))
        cluster.shutDown()
        let primary = try PostgreSQLServer(copyOf: cluster, settings: ["fsync": "on"])
        let standby = try PostgreSQLStandby(of: primary, copyOf: cluster)
        // Of commits that need not last, it would have nothing within this time.
        try primary.run("ALTER SYSTEM SET wal_writer_delay = '10s'")
        try primary.run("ALTER SYSTEM SET synchronous_standby_names = 'walreceiver'")
        try primary.run("SELECT pg_reload_conf()")
        var codes = try GuessedCodes()
        func servers(_ folder: URL) throws -> [any RateStore] {
            try engines(folder, primary.port, .seconds(10)).map { PostgreSQLRateStore($0) }
        }
        try await codes.guess(4, at: servers(primary.folder))
        XCTAssertEqual(codes.judged, 8)
        try standby.failOver(freezing: false)
        try await codes.guess(4, at: servers(standby.folder))
        XCTAssertEqual(codes.judged, GuessedCodes.limit)
    }

    private func configuration(_ limit: Duration) throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: limit)
    }

    private func engines(_ folder: URL, _ port: Int, _ limit: Duration) throws -> [SQLEngine] {
        let configuration = try configuration(limit)
        return try [Duration.zero, .seconds(4)].map { behind in
            SQLEngine(
                try PostgreSQLClient(folder: folder, port: port),
                configuration,
                clock: Self.clock(behind: behind)
            )
        }
    }

    private func runRound(_ cluster: PostgreSQLServer, freezing: Bool, withControls: Bool) async throws {
        let primary = try PostgreSQLServer(copyOf: cluster, settings: ["fsync": "on"])
        let standby = try PostgreSQLStandby(of: primary, copyOf: cluster)
        // A frozen primary does not answer.
        let before = try engines(primary.folder, primary.port, .seconds(1))
        _ = try? await mark(Proof(name: "first", issued: Self.now()), in: before[0])
        try primary.run("UPDATE credkit.epoch SET since = 1")
        var known: [Proof] = []
        for index in 0..<Int.random(in: 1...10) {
            let proof = Proof(name: "known \(index)", issued: Self.now())
            let decision = try await mark(proof, in: before[index % 2])
            XCTAssertEqual(decision, .accepted)
            known.append(proof)
        }
        try standby.fallBehind()
        let lost = try await markUntilTheEnd(before, failOver: { try standby.failOver(freezing: freezing) })
        let after = try engines(standby.folder, primary.port, .seconds(10))
        for _ in 0..<2 {
            for proof in known + lost {
                for engine in after {
                    let decision = try await mark(proof, in: engine)
                    XCTAssertNotEqual(decision, .accepted, "proof \(proof.name)")
                }
            }
        }
        let decision = try await mark(known[0], in: after[0])
        XCTAssertEqual(decision, .replayed)
        if withControls { try await checkControls(lost, standby, after) }
    }

    /// Marks proofs in four tasks until the primary is gone, and returns those that were accepted.
    private func markUntilTheEnd(_ engines: [SQLEngine], failOver: () throws -> Void) async throws -> [Proof]
    {
        let accepted = Lock<[Proof]>([])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for index in 0... {
                        let proof = Proof(name: "lost \(task) \(index)", issued: Self.now())
                        guard let decision = try? await Self.mark(proof, in: engines[task % 2]) else {
                            return
                        }
                        XCTAssertEqual(decision, .accepted)
                        accepted.withLock { $0.append(proof) }
                    }
                }
            }
            let enough = Int.random(in: 2...60)
            while accepted.withLock({ $0.count }) < enough { await Task.yield() }
            try failOver()
            try await group.waitForAll()
            return accepted.withLock { $0 }
        }
    }

    /// Stores without these precautions accept proofs a second time.
    private func checkControls(_ lost: [Proof], _ standby: PostgreSQLStandby, _ engines: [SQLEngine])
        async throws
    {
        let (last, first) = (lost[lost.count - 1], lost[0])
        while Self.now() < last.issued + .seconds(2) { try await Task.sleep(for: .milliseconds(20)) }
        try standby.run("UPDATE credkit.epoch SET since = \(last.issued.microseconds + 50_000)")
        let decision = try await mark(last, in: engines[1])
        XCTAssertNotEqual(decision, .accepted)
        let withoutOffset = try await markWithoutOffset(last, in: engines[1])
        XCTAssertTrue(withoutOffset, "a slow server that does not increase the age")
        try standby.run("UPDATE credkit.epoch SET since = 1")
        let withoutEpoch = try await mark(first, in: engines[0])
        XCTAssertEqual(withoutEpoch, .accepted, "a store without an epoch")
    }
}
