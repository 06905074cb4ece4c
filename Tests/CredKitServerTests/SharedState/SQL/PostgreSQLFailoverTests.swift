// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitSystem
import CredKitTestServers
import XCTest

@testable import CredKitServer

/// A primary that dies before its standby has everything.
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

    func testNothingIsAcceptedTwiceAfterAFailover() async throws {
        let rounds = ProcessInfo.processInfo.environment["CREDKIT_FAILOVER_ROUNDS"].flatMap { Int($0) }
        for _ in 0..<(rounds ?? 1) { try await runRound() }
    }

    private func runRound() async throws {
        let configuration = try SharedStateConfiguration(
            key: [UInt8](repeating: 7, count: 32),
            timeLimit: .seconds(10)
        )
        let primary = try PostgreSQLServer(settings: ["fsync": "on"])
        try primary.createRole()
        try primary.run(SQLSchema(configuration).script(role: "app"))
        let standby = try PostgreSQLStandby(of: primary)
        func engines(_ folder: URL) throws -> [SQLEngine] {
            try [Duration.zero, .seconds(4)].map { behind in
                SQLEngine(
                    try PostgreSQLClient(folder: folder, port: primary.port),
                    configuration,
                    clock: Self.clock(behind: behind)
                )
            }
        }
        let before = try engines(primary.folder)
        _ = try await mark(Proof(name: "first", issued: Self.now()), in: before[0])
        try primary.run("UPDATE credkit.epoch SET since = 1")
        var accepted: [Proof] = []
        for index in 0..<20 {
            if index == 10 { try standby.fallBehind() }
            let proof = Proof(name: "\(index)", issued: Self.now())
            let decision = try await mark(proof, in: before[index % 2])
            XCTAssertEqual(decision, .accepted)
            accepted.append(proof)
        }
        try standby.failOver()
        let after = try engines(standby.folder)
        for _ in 0..<2 {
            for proof in accepted {
                for engine in after {
                    let decision = try await mark(proof, in: engine)
                    XCTAssertNotEqual(decision, .accepted, "proof \(proof.name)")
                }
            }
        }
        // The first half reached the standby.
        let known = try await mark(accepted[0], in: after[0])
        XCTAssertEqual(known, .replayed)
        // Stores without these precautions accept proofs a second time.
        let since = accepted[19].issued.microseconds + 50_000
        while Self.now() < accepted[19].issued + .seconds(2) { try await Task.sleep(for: .milliseconds(20)) }
        try standby.run("UPDATE credkit.epoch SET since = \(since)")
        let decision = try await mark(accepted[19], in: after[1])
        XCTAssertNotEqual(decision, .accepted)
        let withoutOffset = try await markWithoutOffset(accepted[19], in: after[1])
        XCTAssertTrue(withoutOffset, "a slow server that does not increase the age")
        try standby.run("UPDATE credkit.epoch SET since = 1")
        let withoutEpoch = try await mark(accepted[18], in: after[0])
        XCTAssertEqual(withoutEpoch, .accepted, "a store without an epoch")
    }
}
