// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Checks whether a PostgreSQL server can keep a shared state.
///
/// ```swift
/// let problems = try await PostgreSQLStartCheck(client, configuration: configuration).problems()
/// guard problems.isEmpty else { … }
/// ```
///
/// A split of the network cannot be detected here: see ``PostgreSQLReplayStore``.
public struct PostgreSQLStartCheck: Sendable {
    private let engine: SQLEngine

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server, with the role of the servers.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some SQLStatementRunner, configuration: SharedStateConfiguration) {
        self.init(SQLEngine(runner, configuration))
    }

    init(_ engine: SQLEngine) {
        self.engine = engine
    }

    /// Asks the server for its settings, the schema, the rights of the role and the time.
    ///
    /// - Parameter isStart: Whether no login waits: a statement and its connection may then take 5 seconds, and not only
    ///   ``SharedStateConfiguration/timeLimit``, which a probe that comes all the time needs.
    /// - Returns: The problems; empty if servers may start.
    /// - Throws: ``SharedStateError`` and what the client throws, if there is no answer.
    public func problems(isStart: Bool = true) async throws -> [SharedStateProblem] {
        let limit = isStart ? max(engine.timeLimit, .seconds(5)) : engine.timeLimit
        let sent = engine.clock.now
        let row = try await run(
            Self.reading,
            [.text(SQLFunction.allCases.map(\.rawValue).joined(separator: " ")), .text(engine.namespace)],
            within: limit
        )
        guard case .integer(let time) = row.first, time >= 0 else { throw SharedStateError(.malformedAnswer) }
        let values = try row.dropFirst().map { value throws(SharedStateError) in
            guard case .text(let text) = value else { throw SharedStateError(.malformedAnswer) }
            return text
        }
        guard let facts = PostgreSQLFacts(values, timeLimit: engine.timeLimit) else {
            throw SharedStateError(.malformedAnswer)
        }
        var problems = facts.problems
        do {
            try engine.clock.measure(engineTime: .microseconds(time), sent: sent)
        } catch {
            problems.append(.init("clocksDiffer", error.description, "run a time service on all machines"))
        }
        if facts.isVersionReadable, facts.isTrusted {
            let version = SQLStatement(
                "version",
                "SELECT version::bigint FROM \"\(engine.namespace)\".version"
            )
            guard case .integer(let number) = try await run(version, [], within: limit).first else {
                throw SharedStateError(.malformedAnswer)
            }
            if number < SQLSchema.version { problems.append(Self.older) }
            if number > SQLSchema.version { problems.append(Self.newer) }
        }
        return problems
    }

    private func run(_ statement: SQLStatement, _ parameters: [SQLValue], within limit: Duration) async throws
        -> [SQLValue]
    {
        let rows = try await EngineBudget.step(upTo: limit) { limit in
            let end = ContinuousClock.now + limit
            while true {
                do {
                    return try await engine.runner.run(statement, parameters: parameters, within: end - .now)
                } catch let error as SharedStateError where error.sqlState == "57014" && end > .now {
                    // The limit of the role is that of a login. The next time the statement finds its catalogs in memory.
                    guard limit > engine.timeLimit else { throw error }
                }
            }
        }
        guard rows.count == 1, let row = rows.first else { throw SharedStateError(.malformedAnswer) }
        return row
    }

    private static let older = SharedStateProblem(
        "schemaOlder",
        "the schema is of an older version",
        "run the script of this version: credkit-server schema"
    )
    private static let newer = SharedStateProblem(
        "schemaNewer",
        "the schema is of a newer version",
        "update this server"
    )

    /// The facts in the order of ``PostgreSQLFacts``, from catalogs that every role may read.
    static let reading = SQLStatement(
        "check",
        """
        SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
          current_setting('server_version_num'), current_setting('fsync'), current_setting('full_page_writes'),
          current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
          pg_is_in_recovery()::text, current_setting('default_transaction_isolation'),
          (SELECT string_agg(setting, ' ' ORDER BY name) FROM pg_settings WHERE name IN
            ('idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout')),
          EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $2::text AND c.relname = 'version')::text,
          EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $2::text AND c.relname = 'version' AND c.relkind = 'r'
            AND has_table_privilege(c.oid, 'SELECT') AND has_schema_privilege(n.oid, 'USAGE'))::text,
          coalesce((SELECT string_agg(f.name, ', ') FROM unnest(string_to_array($1::text, ' ')) f(name)
            WHERE NOT EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
              WHERE n.nspname = $2::text AND p.proname = f.name
              AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE'))), ''),
          coalesce((SELECT string_agg(DISTINCT pg_get_userbyid(o.owner), ', ') FROM (
              SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = $2::text
              UNION SELECT c.relowner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $2::text
              UNION SELECT p.proowner FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $2::text
            ) o(owner) WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = o.owner AND (r.rolsuper
              OR r.oid = (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database())))), '')
        """
    )
}
