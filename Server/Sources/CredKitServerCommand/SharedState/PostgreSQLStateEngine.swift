// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer

/// A shared state in PostgreSQL.
struct PostgreSQLStateEngine: StateEngine {
    private let client: PostgreSQLClient

    /// Loads libpq. A connection is made by the first statement.
    init(_ settings: PostgreSQLSettings) throws(SharedStateError) {
        client = try PostgreSQLClient(settings)
    }

    var name: String { "PostgreSQL" }

    func storage(_ configuration: SharedStateConfiguration, serverCount: Int) throws(LoginServerError)
        -> LoginStorage
    {
        try .postgreSQL(client, configuration: configuration, serverCount: serverCount)
    }

    func passkeys(_ configuration: SharedStateConfiguration) -> (any PasskeyStore)? {
        PostgreSQLPasskeyStore(client, configuration: configuration)
    }

    func problems(_ configuration: SharedStateConfiguration, checksRights: Bool) async
        -> [SharedStateProblem]
    {
        let check = PostgreSQLStartCheck(client, configuration: configuration)
        do {
            return try await check.problems(isStart: checksRights)
        } catch {
            return [SharedStateProblem(error)]
        }
    }

    func purge(_ configuration: SharedStateConfiguration) async throws {
        try await PostgreSQLPurge(client, configuration: configuration).purge()
    }

    // The connections end with the client.
    func stop() {}
}
