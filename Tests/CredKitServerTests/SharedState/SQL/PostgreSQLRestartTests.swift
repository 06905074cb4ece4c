// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// A server that was stopped and is started again, as an old primary that another one had replaced.
final class PostgreSQLRestartTests: XCTestCase {
    func testWhatMayHaveBeenUsedElsewhereIsNotAccepted() async throws {
        let configuration = try SharedStateConfiguration(
            key: [UInt8](repeating: 7, count: 32),
            timeLimit: .seconds(10)
        )
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        try server.run(SQLSchema(configuration).script(role: "app"))
        func mark(_ name: String, age: Duration) async throws -> ReplayDecision {
            // A new client, because the old one has connections that ended.
            let store = PostgreSQLReplayStore(SQLEngine(try PostgreSQLClient(server), configuration))
            return try await store.markUsed(
                StoreKey(name),
                account: StoreKey("account"),
                lifetime: .seconds(60),
                challengeAge: age
            )
        }
        _ = try await mark("first", age: .zero)
        try server.run("UPDATE credkit.epoch SET since = 1")
        let accepted = try await mark("known", age: .seconds(20))
        XCTAssertEqual(accepted, .accepted)
        try server.restart()
        let known = try await mark("known", age: .seconds(20))
        XCTAssertEqual(known, .replayed)
        // Another primary may have accepted it in the meantime.
        let unknown = try await mark("unknown", age: .seconds(20))
        guard case .unavailable(let wait) = unknown else { return XCTFail("\(unknown)") }
        XCTAssertGreaterThan(wait, .seconds(15))
    }
}
