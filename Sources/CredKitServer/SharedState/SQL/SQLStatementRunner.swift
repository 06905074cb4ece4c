// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A client of a PostgreSQL server: the only thing that the stores in PostgreSQL need of it.
///
/// The module CredKitPostgreSQL has one, over libpq. Any other client is suitable too.
///
/// An implementation must guarantee:
/// - It sends a statement once. Do not repeat one whose answer was lost: the server may have committed it.
/// - It does not read from standbys.
/// - It throws when there is no answer in time.
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
