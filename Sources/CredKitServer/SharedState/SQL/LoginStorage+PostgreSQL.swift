// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginStorage {
    /// Returns stores in PostgreSQL, which any number of servers share. ``SQLSchema`` creates their tables.
    ///
    /// ```swift
    /// let configuration = try SharedStateConfiguration(key: secretOfAllServers)
    /// let storage = try LoginStorage.postgreSQL(client, configuration: configuration, serverCount: 4)
    /// ```
    ///
    /// Attempts are counted by the server itself while PostgreSQL does not answer: see ``FallbackRateStore``. Everything else
    /// fails then, so that nothing is accepted twice.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    ///   - serverCount: The number of servers that share the state, at least 1.
    /// - Returns: The stores.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public static func postgreSQL(
        _ runner: some SQLStatementRunner,
        configuration: SharedStateConfiguration,
        serverCount: Int
    ) throws(LoginServerError) -> Self {
        let engine = SQLEngine(runner, configuration)
        return Self(
            challenges: PostgreSQLChallengeStore(engine),
            replays: PostgreSQLReplayStore(engine),
            rates: try FallbackRateStore(PostgreSQLRateStore(engine), serverCount: serverCount),
            sessions: PostgreSQLSessionStore(engine),
            completions: PostgreSQLCompletionStore(engine)
        )
    }
}
