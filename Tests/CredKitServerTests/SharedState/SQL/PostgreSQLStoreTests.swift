// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitSystem
import CredKitTestSupport
import CredKitTesting
import XCTest

@testable import CredKitServer

/// The stores in a real PostgreSQL server.
class PostgreSQLStoreTests: XCTestCase {
    private static let key = [UInt8](repeating: 7, count: 32)
    private static let durable = ["fsync": "on"]

    /// A client of the servers' role, or of another one.
    func client(_ server: PostgreSQLServer, role: String = "app") throws -> PostgreSQLClient {
        try PostgreSQLClient(server, role: role)
    }

    /// What a client may say of a server that has ended.
    var codesOfAServerThatIsGone: Set<SharedStateError.Code> { [.disconnected] }

    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: Self.key, namespace: "Login_1", timeLimit: .seconds(10))
    }

    /// A server with the schema, whose servers have a role of their own.
    private func server(
        _ settings: [String: String] = durable
    ) throws -> (server: PostgreSQLServer, engine: SQLEngine) {
        let server = try PostgreSQLServer(settings: settings)
        try server.createRole()
        // It can run again.
        for _ in 0..<2 { try server.run(SQLSchema(configuration()).script(role: "app")) }
        return (server, SQLEngine(try client(server), try configuration()))
    }

    /// Makes the present history begin long ago, as if the server had run since then.
    private func age(_ server: PostgreSQLServer, _ engine: SQLEngine) async throws {
        let decision = try await Self.mark("first", in: engine)
        guard case .unavailable(let wait) = decision else { return XCTFail("\(decision)") }
        XCTAssertLessThanOrEqual(wait, .seconds(7))
        try server.run(#"UPDATE "Login_1".epoch SET since = 1"#)
    }

    private static func mark(
        _ name: String,
        in engine: SQLEngine,
        lifetime: Duration = .seconds(60),
        age: Duration = .zero
    ) async throws -> ReplayDecision {
        try await PostgreSQLReplayStore(engine).markUsed(
            StoreKey(name),
            account: StoreKey("account", name),
            lifetime: lifetime,
            challengeAge: age
        )
    }

    private func assertFails(
        _ code: SharedStateError.Code,
        line: UInt = #line,
        _ operation: () async throws -> Void
    ) async {
        do {
            try await operation()
            XCTFail("no error", line: line)
        } catch {
            XCTAssertEqual(error as? SharedStateError, SharedStateError(code), "\(error)", line: line)
        }
    }

    func testStoresPassTheirSuites() async throws {
        let (server, engine) = try server()
        try await age(server, engine)
        let configuration = try configuration()
        // All suites at once, since they wait for time to pass.
        try await withThrowingTaskGroup { group in
            group.addTask {
                var suite = ReplayStoreSuite { PostgreSQLReplayStore(engine, perAccountLimit: 8) }
                suite.perAccountLimit = 8
                try await suite.run()
            }
            group.addTask { try await RateStoreSuite { PostgreSQLRateStore(engine) }.run() }
            group.addTask { try await ChallengeStoreSuite { PostgreSQLChallengeStore(engine) }.run() }
            group.addTask { try await SessionStoreSuite { PostgreSQLSessionStore(engine) }.run() }
            group.addTask {
                try await OneTimeCodeCounterStoreSuite {
                    PostgreSQLCounterStore(engine.runner, configuration: configuration)
                }.run()
            }
            group.addTask {
                try await PasskeyStoreSuite {
                    PostgreSQLPasskeyStore(engine.runner, configuration: configuration)
                }.run()
            }
            group.addTask {
                try await LoginCompletionStoreSuite {
                    LoginStorage(
                        challenges: PostgreSQLChallengeStore(engine),
                        replays: PostgreSQLReplayStore(engine),
                        rates: PostgreSQLRateStore(engine),
                        sessions: PostgreSQLSessionStore(engine),
                        completions: PostgreSQLCompletionStore(engine)
                    )
                }.run()
            }
            try await group.waitForAll()
        }
        let count = try server.run(#"SELECT count(*) FROM "Login_1".replays"#)
        XCTAssertGreaterThan(Int(count[0][0]) ?? 0, 0)
        // What is still needed stays; what has expired goes.
        try server.run(#"UPDATE "Login_1".replays SET kept_until = 1 WHERE key < '\x80'"#)
        _ = try await PostgreSQLPurge(engine).purge()
        let rest = try server.run(
            #"SELECT count(*), count(*) FILTER (WHERE kept_until = 1) FROM "Login_1".replays"#
        )
        XCTAssertGreaterThan(Int(rest[0][0]) ?? 0, 0)
        XCTAssertEqual(rest[0][1], "0")
    }

    /// Several servers mark the same proofs at the same time, right after a history began.
    func testOneOfManyUsesIsAccepted() async throws {
        let (server, _) = try server()
        let configuration = try configuration()
        let engines = try (0..<4).map { _ in SQLEngine(try client(server), configuration) }
        try await age(server, engines[0])
        for round in 0..<4 {
            // The first of them have to begin a new history.
            try server.run(#"UPDATE "Login_1".epoch SET history = 'another', since = 1"#)
            let early = try await withThrowingTaskGroup(of: ReplayDecision.self) { group in
                for index in 0..<64 {
                    group.addTask { try await Self.mark("early \(round)", in: engines[index % 4]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            XCTAssertFalse(early.contains(.accepted), "\(early)")
            try server.run(#"UPDATE "Login_1".epoch SET since = 1"#)
            let decisions = try await withThrowingTaskGroup(of: ReplayDecision.self) { group in
                for index in 0..<64 {
                    group.addTask { try await Self.mark("\(round)", in: engines[index % 4]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            XCTAssertEqual(decisions.count { $0 == .accepted }, 1)
            XCTAssertEqual(decisions.count { $0 == .replayed }, 63)
        }
    }

    /// Pairs of keys in both orders: no call waits for another one for ever.
    func testRatesTakeTheirLocksInOneOrder() async throws {
        let (server, engine) = try server()
        let store = PostgreSQLRateStore(engine)
        let limit = try RateLimit(attempts: 100, per: .seconds(3600))
        let charges = ["a", "b"].map { RateCharge(StoreKey($0), limit: limit) }
        let results = try await withThrowingTaskGroup(of: RateLimitResult.self) { group in
            for index in 0..<256 {
                group.addTask {
                    try await store.charge(index.isMultiple(of: 2) ? charges : charges.reversed())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(results.count { $0 == .allowed }, 100)
        _ = server
    }

    /// Attempts with keys in common at once: each counts for both of its keys or for none.
    func testConcurrentAttemptsCountWhole() async throws {
        let (server, _) = try server()
        let configuration = try configuration()
        let stores = try (0..<4).map { _ in PostgreSQLRateStore(SQLEngine(try client(server), configuration))
        }
        let limit = try RateLimit(attempts: 3, per: .seconds(3600))
        for round in 0..<24 {
            let charges = ["a", "b", "c"].map { RateCharge(StoreKey("\(round)", $0), limit: limit) }
            let allowed = try await withThrowingTaskGroup(of: Int?.self) { group in
                for index in 0..<48 {
                    group.addTask {
                        let result = try await stores[index % 4].charge([
                            charges[index % 3], charges[(index + 1) % 3],
                        ])
                        return result == .allowed ? index % 3 : nil
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            for (index, charge) in charges.enumerated() {
                var uses = allowed.count { $0 == index || ($0 + 1) % 3 == index }
                while try await stores[0].charge([charge]) == .allowed { uses += 1 }
                XCTAssertEqual(uses, 3, "key \(index) in round \(round)")
            }
        }
        _ = server
    }

    /// The rates of the function are those of the table in memory, fed with the engine's times.
    func testRatesEqualThoseInMemory() async throws {
        let (server, engine) = try server()
        let store = PostgreSQLRateStore(engine)
        var table = RateTable(keyLimit: 1000)
        for round in 0..<300 {
            let charges = try ["a", "b", "c"].shuffled().prefix(.random(in: 1...3)).map { key in
                RateCharge(
                    StoreKey("account", key),
                    limit: try RateLimit(
                        attempts: .random(in: 1...20),
                        per: .seconds(.random(in: 1...3))
                    )
                )
            }
            let reply = try await engine.call(
                .charge,
                returning: 1,
                PostgreSQLRateStore.parameters(charges, engine)
            )
            guard case .integer(let wait) = try reply.row()[0] else { return XCTFail("no wait") }
            switch table.charge(charges, at: reply.time) {
            case .allowed: XCTAssertLessThanOrEqual(wait, 0, "round \(round)")
            case .limited(let expected): XCTAssertEqual(.microseconds(wait), expected, "round \(round)")
            }
            if round.isMultiple(of: 50) {
                try await store.reset(StoreKey("account", "a"))
                table.reset(StoreKey("account", "a"))
            }
        }
        _ = server
    }

    /// The function decides the cases of the rule as the other stores do. It takes the time from a table in place of the server.
    func testFunctionDecidesTheCasesOfTheRule() async throws {
        let (server, engine) = try server([:])
        try server.run(
            """
            CREATE TABLE public.clock (microseconds bigint NOT NULL);
            INSERT INTO public.clock VALUES (0);
            """
                + SQLSchema.rates.replacing("{s}", with: "\"Login_1\"")
                .replacing(SQLSchema.moment, with: "(SELECT c.microseconds FROM public.clock c)")
        )
        let superuser = try PostgreSQLClient(server, role: PostgreSQLServer.superuser)
        let update = SQLStatement("clock", "UPDATE public.clock SET microseconds = $1::bigint")
        let clock = RateClock()
        let timed = SQLEngine(
            engine.runner,
            try configuration(),
            clock: EngineClock(permittedDifference: .seconds(5)) { clock.now }
        )
        let store = PostgreSQLRateStore(timed)
        for rateCase in RateCases.all {
            try await rateCase.run(in: store) { time in
                clock.now = time
                _ = try await superuser.run(update, parameters: [.microseconds(time)], within: .seconds(10))
            }
        }
        _ = server
    }

    /// A counter may have more bits than a number of PostgreSQL.
    func testCountersAreExact() async throws {
        let (server, engine) = try server()
        let store = PostgreSQLCounterStore(engine)
        for (counter, isStored) in [
            (0, true), (1 << 63, true), (UInt64.max - 1, true), (UInt64.max - 1, false), (.max, true),
            (0, false),
        ] {
            let answer = try await store.advance(to: counter, of: "alice")
            XCTAssertEqual(answer, isStored, "\(counter)")
        }
        let stored = try await store.counter(of: "alice")
        XCTAssertEqual(stored, .max)
        _ = server
    }

    /// The servers' role can call functions and nothing else, and has the time limits.
    func testTheRoleHasFewRights() async throws {
        let (server, engine) = try server()
        for table in ["replays", "epoch", "sessions", "rates", "challenges", "counters"] {
            for action in ["SELECT * FROM", "DELETE FROM", "TRUNCATE"] {
                await assertFails(.notPermitted) {
                    _ = try await engine.runner.run(
                        SQLStatement("test", #"\#(action) "Login_1".\#(table)"#),
                        parameters: [],
                        within: .seconds(5)
                    )
                }
            }
        }
        let limits = try server.run("SELECT unnest(rolconfig) FROM pg_roles WHERE rolname = 'app'")
        XCTAssertEqual(
            Set(limits.map { $0[0] }),
            [
                "statement_timeout=10000ms", "lock_timeout=10000ms",
                "idle_in_transaction_session_timeout=10000ms",
            ]
        )
        try server.createRole("stranger")
        try server.run("GRANT USAGE ON SCHEMA \"Login_1\" TO stranger")
        let stranger = SQLEngine(try client(server, role: "stranger"), try configuration())
        await assertFails(.notPermitted) { _ = try await Self.mark("x", in: stranger) }
    }

    /// Nothing is accepted while a crash could lose it, or before the present history.
    func testNothingIsAcceptedThatCouldBeLost() async throws {
        let (server, engine) = try server()
        try await age(server, engine)
        let accepted = try await Self.mark("a", in: engine)
        XCTAssertEqual(accepted, .accepted)
        // A table without its rows, as from a dump, is another history.
        try server.run(#"TRUNCATE "Login_1".replays"#)
        let early = try await Self.mark("a", in: engine, age: .seconds(1))
        guard case .unavailable = early else { return XCTFail("\(early)") }
        try server.run("ALTER SYSTEM SET synchronous_commit = off; SELECT pg_reload_conf()")
        // Each connection reads the file before its next statement; the postmaster must have told it.
        var codes: Set<SharedStateError.Code> = []
        for _ in 0..<400 where codes.isEmpty {
            do { _ = try await Self.mark("b", in: engine) } catch let error as SharedStateError {
                codes.insert(error.code)
            }
        }
        XCTAssertEqual(codes, [.unsafeSettings])
        let (loose, other) = try self.server(["fsync": "off"])
        await assertFails(.unsafeSettings) { _ = try await Self.mark("x", in: other) }
        loose.stop()
        do {
            let decision = try await Self.mark("x", in: other)
            XCTFail("\(decision)")
        } catch let error as SharedStateError {
            XCTAssertTrue(codesOfAServerThatIsGone.contains(error.code), "\(error.code): \(error)")
        }
    }

    /// Rows of another form are errors.
    func testMalformedRowsAreErrors() async throws {
        struct Liar: SQLStatementRunner {
            let rows: [[SQLValue]]
            func run(_ statement: SQLStatement, parameters _: [SQLValue], within _: Duration) async throws
                -> [[SQLValue]]
            {
                statement.name == "schema" ? [[.integer(1), .integer(1), .integer(1)]] : rows
            }
        }
        let now = SQLValue.integer(SystemClock.microseconds())
        let bad: [[[SQLValue]]] = [
            [], [[]], [[.null]], [[.text("1")]], [[.integer(.min), .text("accepted"), .integer(1)]],
            [[now, .text("accepted")]], [[now, .text("other"), .integer(1)]], [[now, .null, .null]],
            [[now, .integer(2)]], [[now, .bytes([0xFF])]], [[now, .text("a")]], [[now], [now]],
            [[now, .integer(1)], [now, .integer(1)]], [[now, .integer(1), .null, .null]],
        ]
        for rows in bad {
            let engine = SQLEngine(Liar(rows: rows), try configuration())
            await assertFails(.malformedAnswer) { _ = try await Self.mark("x", in: engine) }
            await assertFails(.malformedAnswer) {
                _ = try await PostgreSQLCounterStore(engine).advance(to: 1, of: "a")
            }
            await assertFails(.malformedAnswer) {
                _ = try await PostgreSQLSessionStore(engine).user(of: StoreKey("x"))
            }
            await assertFails(.malformedAnswer) {
                _ = try await PostgreSQLSessionStore(engine).sessions(of: "alice")
            }
            await assertFails(.malformedAnswer) {
                try await PostgreSQLSessionStore(engine).revokeOthers(of: "alice", retaining: StoreKey("x"))
            }
        }
    }
}
