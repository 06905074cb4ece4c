// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The schema whose functions servers call. Each call asks whether the name still is that of this schema: once it is dropped, to be
/// made anew, another role could make one with functions of its own.
struct BoundSchema: Sendable {
    private struct Schema: Sendable {
        let objectID: Int64
        let owner: Int64
    }

    let namespace: String
    private let found = Lock<Schema?>(nil)

    init(namespace: String) {
        self.namespace = namespace
    }

    /// Runs a statement that uses the schema.
    func run(
        _ statement: SQLStatement,
        parameters: [SQLValue],
        by runner: any SQLStatementRunner,
        within limit: Duration
    ) async throws -> [[SQLValue]] {
        let end = ContinuousClock.now + limit
        func attempt(_ schema: Schema) async throws -> [[SQLValue]] {
            var statement = statement
            statement.conditions = [condition(schema)]
            return try await runner.run(statement, parameters: parameters, within: end - .now)
        }
        let found = found.withLock { $0 }
        guard let found else { return try await attempt(find(by: runner, within: limit)) }
        do {
            return try await attempt(found)
        } catch let error as SharedStateError where error.sqlState == "22012" {
            return try await attempt(find(by: runner, within: end - .now))
        }
    }

    /// Fails with a division by zero.
    private func condition(_ schema: Schema) -> SQLStatement.Condition {
        SQLStatement.Condition(
            """
            SELECT 1 / count(*) FROM pg_catalog.pg_namespace \
            WHERE nspname = $1::text AND oid = $2::bigint::oid AND nspowner = $3::bigint::oid
            """,
            [.text(namespace), .integer(schema.objectID), .integer(schema.owner)]
        )
    }

    /// Finds the schema of the name, whose owner must be this role or one who could also change its rights: the first one is not
    /// always that of ``PostgreSQLStartCheck``.
    private func find(by runner: any SQLStatementRunner, within limit: Duration)
        async throws -> Schema
    {
        let rows = try await runner.run(
            Self.search,
            parameters: [.text(namespace)],
            within: limit
        )
        guard let row = rows.first else {
            throw SharedStateError(
                .wrongContent,
                message: "the schema \(namespace) is missing in this database"
            )
        }
        guard row.count == 3, case .integer(let objectID) = row[0], case .integer(let owner) = row[1],
            row[2] == .integer(1)
        else {
            throw SharedStateError(
                .wrongContent,
                message:
                    "the schema \(namespace) belongs to a role that could run its own code in it: stop all servers, drop it, and run the script"
            )
        }
        let schema = Schema(objectID: objectID, owner: owner)
        found.withLock { $0 = schema }
        return schema
    }

    private static let search = SQLStatement(
        "schema",
        """
        SELECT n.oid::bigint, n.nspowner::bigint,
          (\(TrustedOwner.isTrusted("n.nspowner", ofTable: "0::oid")))::int::bigint
        FROM pg_namespace n WHERE n.nspname = $1::text
        """
    )
}
