// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A client of a PostgreSQL server: the only thing that the stores in PostgreSQL need of it.
///
/// `PostgreSQLClient` of the product `CredKitPostgreSQL` is one, over libpq. Or conform the client that your program uses: TLS, time
/// limits, the cancelling of statements and the refusal of standbys are its duty.
///
/// An implementation must guarantee:
/// - It runs the ``SQLStatement/conditions`` of a statement first, in the same transaction, and nothing else if one of them fails. Its
///   error is a ``SharedStateError`` with the SQLSTATE of the server.
/// - It runs a statement once. Do not repeat one whose answer was lost: the server may have committed it.
/// - It does not read from standbys.
/// - It runs statements with the search path `pg_catalog, pg_temp`, unless they run triggers: set it for each transaction, or with
///   `ALTER ROLE … SET search_path`. Functions and operators that other roles have created in another path could take part.
/// - It throws when there is no answer in time.
/// - It returns only after the transaction was committed. The rows come before: wait for `ReadyForQuery`, as clients do that
///   read a result to its end.
///
/// PostgresNIO needs about twenty lines; these, for a statement without conditions, are not compiled here:
///
/// ```swift
/// func run(_ statement: SQLStatement, parameters: [SQLValue], within limit: Duration) async throws -> [[SQLValue]] {
///     var binds = PostgresBindings(capacity: parameters.count)
///     for parameter in parameters {
///         switch parameter {
///         case .null: binds.appendNull()
///         case .integer(let number): binds.append(number)
///         case .text(let text): binds.append(text)
///         case .bytes(let bytes): binds.append(ByteBuffer(bytes: bytes))
///         }
///     }
///     let query = PostgresQuery(unsafeSQL: statement.text, binds: binds)
///     let rows = try await within(limit) { try await client.query(query).collect() }      // throws after the limit
///     return try rows.map { try $0.map { try SQLValue($0) } }        // by `cell.dataType`: .int8, .text, .bytea; nil is .null
/// }
/// ```
public protocol SQLStatementRunner: Sendable {
    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: The parameters, `$1` first.
    ///   - timeLimit: The time within which to return or to throw.
    /// - Returns: The rows, each with its columns in order; empty for a statement that returns none.
    /// - Throws: Any error. An error that the server answered should be ``SharedStateError/init(sqlState:message:)``, so that
    ///   logs can tell what it means.
    func run(
        _ statement: SQLStatement,
        parameters: [SQLValue],
        within timeLimit: Duration
    ) async throws -> [[SQLValue]]
}
