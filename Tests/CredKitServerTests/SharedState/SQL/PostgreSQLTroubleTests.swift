// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitServer

/// A store whose database cannot do what it must: named errors within the time limit.
final class PostgreSQLTroubleTests: XCTestCase {
    private static let limit = Duration.seconds(5)

    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: Self.limit)
    }

    /// A server whose database can be used, and its store.
    private func server(
        _ settings: [String: String] = [:]
    ) async throws -> (server: PostgreSQLServer, store: PostgreSQLReplayStore) {
        let server = try PostgreSQLServer(settings: ["fsync": "on"].merging(settings) { $1 })
        try server.createRole()
        try server.run(SQLSchema(configuration()).script(role: "app"))
        let store = try store(server)
        try await age(server, store)
        return (server, store)
    }

    /// Makes the present history begin long ago, as if the server had run since then.
    private func age(_ server: PostgreSQLServer, _ store: PostgreSQLReplayStore) async throws {
        _ = try await mark("first", in: store)
        try server.run("UPDATE credkit.epoch SET since = 1")
    }

    private func store(_ server: PostgreSQLServer) throws -> PostgreSQLReplayStore {
        PostgreSQLReplayStore(SQLEngine(try PostgreSQLClient(server), try configuration()))
    }

    private func mark(_ name: String, in store: PostgreSQLReplayStore) async throws -> ReplayDecision {
        try await store.markUsed(
            StoreKey(name),
            account: StoreKey("account", name),
            lifetime: .seconds(60),
            challengeAge: .zero
        )
    }

    private func assertFails(
        _ code: SharedStateError.Code,
        _ store: PostgreSQLReplayStore,
        line: UInt = #line
    ) async {
        let started = ContinuousClock.now
        do {
            let decision = try await mark("another", in: store)
            XCTFail("\(decision)", line: line)
        } catch {
            XCTAssertEqual(error as? SharedStateError, SharedStateError(code), "\(error)", line: line)
        }
        XCTAssertLessThan(ContinuousClock.now - started, Self.limit, line: line)
    }

    private func assertAccepted(_ name: String, _ store: PostgreSQLReplayStore, line: UInt = #line)
        async throws
    {
        let decision = try await mark(name, in: store)
        XCTAssertEqual(decision, .accepted, line: line)
    }

    func testAReadOnlyServer() async throws {
        let (server, store) = try await server()
        try await assertAccepted("a", store)
        try server.run("ALTER ROLE app SET default_transaction_read_only = on")
        // New connections are for standbys at most.
        await assertFails(.readOnly, try self.store(server))
        try server.run("ALTER ROLE app RESET default_transaction_read_only")
        try await assertAccepted("b", try self.store(server))
        // Connections that exist learn it from the file, at the latest when the postmaster has told them.
        try server.run("ALTER SYSTEM SET default_transaction_read_only = on; SELECT pg_reload_conf()")
        var codes: Set<SharedStateError.Code> = []
        for index in 0..<2000 where codes.isEmpty {
            do { _ = try await mark("c \(index)", in: store) } catch let error as SharedStateError {
                codes.insert(error.code)
            }
        }
        XCTAssertEqual(codes, [.readOnly])
    }

    func testARoleWithoutRights() async throws {
        let (server, store) = try await server()
        for (right, object) in [
            ("USAGE", "SCHEMA credkit"), ("EXECUTE", "ALL FUNCTIONS IN SCHEMA credkit"),
        ] {
            try server.run("REVOKE \(right) ON \(object) FROM app")
            await assertFails(.notPermitted, store)
            try server.run("GRANT \(right) ON \(object) TO app")
            try await assertAccepted(right, store)
        }
        try server.run("ALTER ROLE app NOLOGIN")
        await assertFails(.loginFailed, try self.store(server))
        try server.run("ALTER ROLE app LOGIN; REVOKE CONNECT ON DATABASE postgres FROM PUBLIC")
        await assertFails(.notPermitted, try self.store(server))
    }

    func testAnotherSchema() async throws {
        let (server, store) = try await server()
        try server.run("ALTER SCHEMA credkit RENAME TO other")
        await assertFails(.wrongContent, store)
        try server.run("ALTER SCHEMA other RENAME TO credkit")
        try await assertAccepted("a", store)
        try server.run("ALTER TABLE credkit.replays RENAME TO other")
        await assertFails(.wrongContent, store)
        try server.run("ALTER TABLE credkit.other RENAME TO replays")
        try await assertAccepted("b", store)
        // Another version of the schema keeps a server from starting.
        try server.run("UPDATE credkit.version SET version = 2")
        let engine = SQLEngine(try PostgreSQLClient(server), try configuration())
        let problems = try await PostgreSQLStartCheck(engine).problems()
        XCTAssertEqual(problems.map(\.code), ["schemaNewer"])
    }

    func testNoMoreConnections() async throws {
        let (server, _) = try await server(["max_connections": "5", "superuser_reserved_connections": "2"])
        try server.run("ALTER ROLE app CONNECTION LIMIT 0")
        await assertFails(.overloaded, try store(server))
        try server.run("ALTER ROLE app CONNECTION LIMIT -1")
        try await assertAccepted("a", try store(server))
    }

    /// The tables are on a small file system, which is full.
    func testAFullDisk() async throws {
        guard getuid() == 0 else { throw XCTSkip("only root can mount a small file system") }
        let (server, store) = try await server(["autovacuum": "off"])
        let small = server.folder.appending(component: "small").path
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: false)
        guard run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small) == 0 else {
            throw XCTSkip("this process may not mount a file system")
        }
        defer {
            server.end()
            XCTAssertEqual(run("umount", small), 0)
        }
        XCTAssertEqual(run("chown", "postgres:", small), 0)
        try server.run("CREATE TABLESPACE small LOCATION '\(small)'")
        try server.run("ALTER TABLE credkit.replays SET TABLESPACE small")
        // A table in another file has another history.
        try await age(server, store)
        try await assertAccepted("a", store)
        // The pages of the failed statement remain.
        let fill =
            "CREATE TABLE filler TABLESPACE small AS SELECT 1 AS n; INSERT INTO filler SELECT generate_series(1, 1000000)"
        XCTAssertThrowsError(try server.run(fill)) {
            XCTAssertTrue("\($0)".contains("No space left"), "\($0)")
        }
        var codes: Set<SharedStateError.Code> = []
        for index in 0..<2000 where codes.isEmpty {
            do { _ = try await mark("b \(index)", in: store) } catch let error as SharedStateError {
                codes.insert(error.code)
            }
        }
        XCTAssertEqual(codes, [.outOfSpace])
        // With space, it works again.
        try server.run("DROP TABLE filler")
        try await assertAccepted("c", store)
    }

    private func run(_ words: String...) -> Int32 {
        (try? Program.run(words).status) ?? -1
    }
}
