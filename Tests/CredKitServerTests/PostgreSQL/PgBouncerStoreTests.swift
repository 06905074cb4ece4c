// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import CredKitTestSupport
import XCTest

/// The same behind pgbouncer, which gives each statement any of its connections.
final class PgBouncerStoreTests: PostgreSQLStoreTests {
    private var pgbouncers: [PgBouncer] = []

    override func client(_ server: PostgreSQLServer, role: String = "app") throws -> PostgreSQLClient {
        let pgbouncer = try PgBouncer(server, roles: [role], password: PostgreSQLClient.password)
        pgbouncers.append(pgbouncer)
        return try PostgreSQLClient(folder: pgbouncer.folder, port: server.port, role: role)
    }

    /// It waits for a server for longer than a statement may take.
    override var codesOfAServerThatIsGone: Set<SharedStateError.Code> { [.disconnected, .timedOut] }

    override func tearDown() {
        pgbouncers = []
        super.tearDown()
    }

    // The tests of a class that has none of its own are not found.
    override func testStoresPassTheirSuites() async throws { try await super.testStoresPassTheirSuites() }
}
